import type { FullReading, Registry, RegistryReading } from '../../lib/registries/registry';

/** A reading, and when it came (`performance.now()`). */
export type TimedReading = { readonly reading: FullReading; readonly at: number };

/** Reads a registry in the background and keeps what comes, so that a test can wait for what it needs. */
export class ReadingWatch {
  readonly readings: TimedReading[] = [];
  /** Settles when the reading has ended: with what it threw, or `undefined`. */
  readonly ended: Promise<unknown>;
  readonly #abort = new AbortController();
  readonly #waiting = new Set<() => void>();
  #end: { readonly error: Error } | undefined;

  constructor(registry: Registry) {
    this.ended = this.#follow(registry);
  }

  /** The first reading, there already or to come, of which the test is true. Rejects when there will be none. */
  async until(test: (reading: FullReading) => boolean, from = 0): Promise<TimedReading> {
    for (let index = from; ; index += 1) {
      while (this.readings.length <= index) {
        if (this.#end !== undefined) return Promise.reject(this.#end.error);
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
      const timed = this.readings[index];
      if (timed !== undefined && test(timed.reading)) return timed;
    }
  }

  /** Ends the reading and waits until it has cleaned up. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }

  async #follow(registry: Registry): Promise<unknown> {
    let error: unknown;
    try {
      for await (const reading of registry.read(this.#abort.signal)) this.#keep(reading);
    } catch (thrown) {
      error = thrown;
    }
    this.#end = { error: error instanceof Error ? error : new Error(`the reading ended: ${String(error)}`) };
    this.#wake();
    return error;
  }

  #keep(reading: RegistryReading): void {
    if (reading.type === 'full') this.readings.push({ reading, at: performance.now() });
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

/** The one reading of a registry in poll mode, or the first of another. */
export async function firstReading(registry: Registry): Promise<FullReading> {
  const watch = new ReadingWatch(registry);
  const { reading } = await watch.until(() => true);
  await watch.stop();
  return reading;
}
