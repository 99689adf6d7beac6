/** Facts of a log line: flat, serialisable, without secrets. */
export type LogFacts = Readonly<Record<string, unknown>>;

/** Structured log: a constant message, the facts as keys. */
export interface Log {
  debug(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}
