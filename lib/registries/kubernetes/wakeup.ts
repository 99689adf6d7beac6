import type { Clock } from '../../runtime/clock';
import { linkedAbort } from './linked-abort';

/** Lets one loop sleep until somebody has something for it. A call that comes while nobody sleeps is kept. */
export class Wakeup {
  #called = false;
  #sleeper: AbortController | undefined;

  wake(): void {
    this.#called = true;
    this.#sleeper?.abort();
  }

  /** Resolves when woken, after `ms`, or when the signal aborts. */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#called) {
      const { controller, unlink } = linkedAbort(signal);
      this.#sleeper = controller;
      await clock.delay(ms, controller.signal);
      this.#sleeper = undefined;
      unlink();
    }
    this.#called = false;
  }
}
