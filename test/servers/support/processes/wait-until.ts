import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
const ATTEMPT_TIMEOUT_MS = 5_000;
const DEFAULT_TIMEOUT_MS = 30_000;

export type Wait<T> = {
  /** What is waited for, for the error message. */
  readonly what: string;
  /** Answers `undefined` or throws as long as it is not so yet; the signal aborts an attempt that hangs. */
  readonly attempt: (signal: AbortSignal) => Promise<T | undefined>;
  /** @default 30 s */
  readonly timeoutMs?: number;
  /** Checked before each attempt; what it throws ends the waiting. */
  readonly giveUp?: () => void;
};

/**
 * Tries until there is an answer, and returns it.
 *
 * @throws Error when the time is up, with the error of the last attempt as its cause.
 */
export async function waitUntil<T>({ what, attempt, timeoutMs = DEFAULT_TIMEOUT_MS, giveUp }: Wait<T>): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  let lastError = '';
  do {
    giveUp?.();
    try {
      const answer = await attempt(AbortSignal.timeout(ATTEMPT_TIMEOUT_MS));
      if (answer !== undefined) return answer;
    } catch (error) {
      cause = error;
      lastError = `; last error: ${String(error)}`;
    }
    await delay(POLL_MS);
  } while (performance.now() < deadline);
  throw new Error(`${what}: not so after ${timeoutMs} ms${lastError}`, { cause });
}
