import { describeError, isTransient } from './app-error';
import type { ServiceKey } from './service-key';

/** What a stage made of one key that it was asked to look at. */
export type KeyOutcome = { readonly key: ServiceKey; readonly result: string };

/**
 * A key that a stage could not deal with; the others of its batch are done. The caller gives transient ones back to the
 * stream (partial batch failure) and sends the rest to the dead letters.
 */
export type FailedKey = {
  readonly key: ServiceKey;
  readonly result: 'failed';
  /** Whether the same look may succeed later. */
  readonly transient: boolean;
  readonly error: { readonly code: string; readonly message: string };
};

export function failedKey(key: ServiceKey, error: unknown): FailedKey {
  return { key, result: 'failed', transient: isTransient(error), error: describeError(error) };
}

export function isFailed(outcome: KeyOutcome): outcome is FailedKey {
  return outcome.result === 'failed';
}
