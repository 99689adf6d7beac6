import type { Environment } from '../bootstrap/configuration-document';
import type { Clock } from '../runtime/clock';

/** The outside of a command: everything it reads and writes besides its tables. */
export type CliIo = {
  /** Data. A newline is added. */
  readonly out: (text: string) => void;
  /** Everything else. A newline is added. */
  readonly err: (text: string) => void;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Aborts on SIGINT and SIGTERM. */
  readonly stopped: AbortSignal;
};

/** Exit codes (DESIGN "Running it"). */
export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
