import type { Clock } from '../../lib/runtime/clock';

type Timer = { readonly at: number; readonly order: number; readonly fire: () => void };

/** How many timers may fire before a test is taken to run in circles. */
const MAX_TIMERS = 1_000_000;

/**
 * Time that only a test moves. A `delay` resolves when the test has advanced the clock past it, in the order of the due
 * times and, among equal ones, of the calls; what the code does in answer happens before the next one resolves. So a run of
 * a quarter of an hour takes milliseconds, and always the same way.
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start: string | number = '2026-01-01T00:00:00.000Z') {
    this.#now = typeof start === 'number' ? start : Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  /** Now as ISO 8601, or `offsetMs` later. */
  iso(offsetMs = 0): string {
    return new Date(this.#now + offsetMs).toISOString();
  }

  delay(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms <= 2 ** 31 - 1)) {
      return Promise.reject(new RangeError(`A delay of ${ms} ms would pass at once on the machine's clock`));
    }
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const done = (): void => {
        this.#timers.delete(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer: Timer = { at: this.#now + Math.max(0, ms), order: (this.#order += 1), fire: done };
      this.#timers.add(timer);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  /** Delays that have not passed yet; zero after a run that has cleaned up behind itself. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves the time on by `ms`, through every delay that falls due. */
  async advance(ms: number): Promise<void> {
    if (ms < 0) throw new RangeError(`Time does not go back, as it would by ${ms} ms`);
    const until = this.#now + ms;
    await settle();
    for (let next = this.#next(); next !== undefined && next.at <= until; next = this.#next()) await this.#fire(next);
    this.#now = until;
  }

  /**
   * Moves the time on, from delay to delay, until the promise has settled, and gives its outcome. Fails when nothing waits
   * for the time any more, or after `limitMs`, so that a run that hangs is a failed test and not a hanging one.
   */
  async until<T>(promise: Promise<T>, limitMs = 24 * 3_600_000): Promise<T> {
    const deadline = this.#now + limitMs;
    const outcome: { settled: boolean } = { settled: false };
    const done = (): void => {
      outcome.settled = true;
    };
    promise.then(done, done);
    await settle();
    for (let fired = 0; !outcome.settled; fired += 1) {
      const next = this.#next();
      if (next === undefined) throw new Error('The promise waits for something that is no delay of this clock');
      if (next.at > deadline) throw new Error(`The promise had not settled after ${limitMs} ms`);
      if (fired > MAX_TIMERS) throw new Error('The promise had not settled after a million delays');
      await this.#fire(next);
    }
    return promise;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) {
        first = timer;
      }
    }
    return first;
  }

  async #fire(timer: Timer): Promise<void> {
    this.#now = Math.max(this.#now, timer.at);
    timer.fire();
    await settle();
  }
}

/** Lets everything happen that waits for no time: one turn of the event loop comes after all promises. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
