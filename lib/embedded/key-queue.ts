import { failedKey, isFailed, type FailedKey, type KeyOutcome } from '../model/key-outcome';
import type { ServiceKey } from '../model/service-key';
import type { Clock } from '../runtime/clock';
import type { Log } from '../runtime/log';

export type KeyQueueOptions = {
  /** For log lines. */
  readonly stage: string;
  /** Looks at the keys and says what became of each; never rejects but for a bug. */
  readonly process: (keys: readonly ServiceKey[]) => Promise<readonly KeyOutcome[]>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called whenever the queue has run dry. */
  readonly onIdle?: () => void;
};

/** Keys looked at together; as many as a stream batch of the deployed stages. */
export const KEY_BATCH = 100;

/** Attempts at one key before it is given up; what is given up is healed by the next reconciliation. */
export const MAX_ATTEMPTS = 8;

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 10_000;

/**
 * What stands in for a stream and its consumer in one process: a set of keys to look at again. A key that is added while
 * it waits is looked at once; one that is added while it is being processed is looked at once more afterwards.
 */
export class KeyQueue {
  readonly #options: KeyQueueOptions;
  readonly #waiting = new Set<ServiceKey>();
  readonly #attempts = new Map<ServiceKey, number>();
  readonly #retries = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #working: Promise<void> | undefined;
  #idle: (() => void)[] = [];

  constructor(options: KeyQueueOptions) {
    this.#options = options;
  }

  add(key: ServiceKey): void {
    this.#waiting.add(key);
    this.#working ??= Promise.resolve().then(() => this.#work());
  }

  /** Whether nothing waits, is being processed, or waits for another attempt. */
  get isIdle(): boolean {
    return this.#working === undefined && this.#retries.size === 0;
  }

  /** Resolves when the queue {@link isIdle}. */
  async idle(): Promise<void> {
    if (this.isIdle) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Processes what waits and makes no further attempts; keys that still fail are looked at by the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.idle();
  }

  async #work(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, KEY_BATCH);
      for (const key of batch) this.#waiting.delete(key);
      this.#settle(batch, await this.#process(batch));
    }
    this.#working = undefined;
    this.#announceIdle();
  }

  async #process(batch: readonly ServiceKey[]): Promise<readonly KeyOutcome[]> {
    try {
      return await this.#options.process(batch);
    } catch (error) {
      return batch.map((key) => failedKey(key, error));
    }
  }

  #settle(batch: readonly ServiceKey[], outcomes: readonly KeyOutcome[]): void {
    const failed = new Map(outcomes.filter(isFailed).map((failure) => [failure.key, failure]));
    for (const key of batch) {
      const failure = failed.get(key);
      if (failure === undefined) this.#attempts.delete(key);
      else this.#fail(failure);
    }
  }

  #fail({ key, transient, error }: FailedKey): void {
    const { log, stage } = this.#options;
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    if (!transient || attempt >= MAX_ATTEMPTS || this.#closing.signal.aborted) {
      this.#attempts.delete(key);
      log.error('Key given up until the next reconciliation', { stage, service: key, ...error, attempt });
      return;
    }
    this.#attempts.set(key, attempt);
    log.warn('Key failed, trying again', { stage, service: key, ...error, attempt });
    const wait = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS);
    const retry = this.#options.clock.delay(wait, this.#closing.signal).then(() => {
      this.#retries.delete(retry);
      this.add(key);
    });
    this.#retries.add(retry);
  }

  #announceIdle(): void {
    if (!this.isIdle) return;
    const waiters = this.#idle;
    this.#idle = [];
    for (const resolve of waiters) resolve();
    this.#options.onIdle?.();
  }
}
