/** Facts about an error that a log line or a dead letter carries: flat, serialisable, without secrets. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

export type AppErrorOptions = {
  /** Stable identifier in PascalCase, e.g. `ItemTooLargeError`; what logs, metrics and rows name. */
  readonly code: string;
  /** True when the same call may succeed later without anybody changing anything. */
  readonly transient?: boolean;
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
};

/**
 * The one error of the product. The message says what was wrong, the value, and what is allowed.
 * A subclass exists only for a condition that somebody handles.
 */
export class AppError extends Error {
  readonly code: string;
  readonly transient: boolean;
  readonly details: ErrorDetails;

  constructor(message: string, options: AppErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = options.code;
    this.code = options.code;
    this.transient = options.transient ?? false;
    this.details = options.details ?? {};
  }
}

/** Bad input: a value that is not allowed. Never transient. */
export class InvalidValueError extends AppError {
  constructor(message: string, details?: ErrorDetails) {
    super(message, { code: 'InvalidValueError', ...(details === undefined ? {} : { details }) });
  }
}

/** A short `{code, message}` of anything thrown, for rows and events. Messages are cut at 1,000 characters. */
export function describeError(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof AppError) return { code: error.code, message: error.message.slice(0, 1000) };
  if (error instanceof Error) return { code: error.name, message: error.message.slice(0, 1000) };
  return { code: 'UnknownError', message: String(error).slice(0, 1000) };
}

/**
 * Whether a repetition may help. An `AppError` says so itself; bugs (`TypeError` and its kin) never are;
 * anything else comes from an SDK or the network and is taken as transient.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof AppError) return error.transient;
  return !(
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  );
}
