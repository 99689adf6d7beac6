/**
 * Something that a pure function wants a person to know but that is no error: an object that was skipped, a value that
 * was replaced. Use cases log and count notes by `code`.
 */
export type Note = {
  /** Stable identifier in PascalCase, e.g. `EndpointPortUnknown`. */
  readonly code: string;
  /** One sentence with the value concerned and what was done about it. */
  readonly message: string;
};
