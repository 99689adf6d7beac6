import type { ProviderId } from '../../model/provider-id';
import type { PollMode } from '../../model/registry-row';
import type { ReadingCost, Registry, RegistryReading } from '../registry';
import { fullReading, readingBetween, type CatalogView } from './catalog-view';
import { ListWatch } from './list-watch';
import { assured, readLists, wentBackwards } from './read-lists';
import { advanceView, readView, unreadableServices, type ViewReader } from './read-view';
import { NO_TOUCHES } from './what-changed';

export type ConsulRegistryOptions = ViewReader & {
  readonly cluster: string;
  readonly mode: PollMode;
  /** After this long everything is read again, whatever the indexes say. */
  readonly fullReadEveryMs: number;
  /** How long Consul holds a waiting request while nothing changes. */
  readonly waitMs: number;
};

/** The first change after a quiet time is looked at at once; looks are at least this far apart, so that a burst is a few. */
const QUIET_MS = 100;

/** How soon services that could not be read are tried again while watching. */
const RETRY_UNREADABLE_MS = 30_000;

type Memory = {
  readonly view: CatalogView;
  /** When everything is to be read again, in ms. */
  readonly fullAt: number;
};

type Step = { readonly memory: Memory; readonly reading: RegistryReading | undefined };

/**
 * Consul's services. A reading asks for the lists of services, failing checks and nodes, and reads again only what they,
 * and a sweep of indexes, say has changed since the reading before; everything when there is none, when the indexes went
 * backwards, and once in `fullReadEvery`. A failure forgets everything and lets go of the connections.
 */
export class ConsulRegistry implements Registry {
  readonly provider: ProviderId = 'Consul';
  readonly cluster: string;
  readonly #options: ConsulRegistryOptions;
  #memory: Memory | undefined;
  #reported: ReadingCost = { requests: 0, bytes: 0 };

  constructor(options: ConsulRegistryOptions) {
    this.cluster = options.cluster;
    this.#options = options;
  }

  async *read(signal: AbortSignal): AsyncGenerator<RegistryReading> {
    try {
      const memory = await this.#refresh(signal);
      this.#memory = memory;
      yield this.#withCost((cost) => fullReading(memory.view, cost));
      if (this.#options.mode === 'poll') return;
      for await (const step of this.#watch(memory, signal)) {
        this.#memory = step.memory;
        if (step.reading !== undefined) yield step.reading;
      }
    } catch (error) {
      this.#memory = undefined;
      if (signal.aborted) return;
      this.#options.api.reconnect();
      throw error;
    }
  }

  async #refresh(signal: AbortSignal): Promise<Memory> {
    const memory = this.#memory;
    if (memory === undefined || this.#options.clock.now() >= memory.fullAt) return this.#readEverything(signal);
    const lists = await readLists(this.#options.api, signal);
    if (wentBackwards(memory.view.lists, lists)) return this.#readEverything(signal);
    let { view } = memory;
    const news = { lists, retries: unreadableServices(view), signal };
    for await (const advance of advanceView(this.#options, view, news)) view = advance.view;
    return { ...memory, view };
  }

  async #readEverything(signal: AbortSignal): Promise<Memory> {
    const fullAt = this.#options.clock.now() + this.#options.fullReadEveryMs;
    const view = await readView(this.#options, { watched: this.#options.mode === 'watch', signal });
    return { view, fullAt };
  }

  /** Watches from one reading of everything to the next. */
  async *#watch(start: Memory, signal: AbortSignal): AsyncGenerator<Step> {
    let memory = start;
    for (;;) {
      for await (const step of this.#watchUntilFull(memory, signal)) {
        memory = step.memory;
        yield step;
      }
      signal.throwIfAborted();
      memory = await this.#readEverything(signal);
      const { view } = memory;
      yield { memory, reading: this.#withCost((cost) => fullReading(view, cost)) };
    }
  }

  /** Steps until everything has to be read again: it is time to, or the indexes went backwards. */
  async *#watchUntilFull(start: Memory, signal: AbortSignal): AsyncGenerator<Step> {
    const { api, clock, waitMs } = this.#options;
    const watch = new ListWatch({ api, clock, waitMs, signal });
    let memory = start;
    let retryAt = clock.now() + RETRY_UNREADABLE_MS;
    try {
      for (;;) {
        watch.ask(memory.view.lists);
        const retries = unreadableServices(memory.view);
        const wakeAt = retries.size === 0 ? memory.fullAt : Math.min(memory.fullAt, retryAt);
        const answered = await watch.next(Math.max(wakeAt - clock.now(), 0));
        if (clock.now() >= memory.fullAt) return;
        const asIs = await assured(api, memory.view.lists, answered, signal);
        if (wentBackwards(memory.view.lists, asIs)) return;
        const isRetryDue = clock.now() >= retryAt;
        if (isRetryDue) retryAt = clock.now() + RETRY_UNREADABLE_MS;
        let pauseMs = QUIET_MS;
        const lists = { ...memory.view.lists, ...asIs };
        const news = { lists, retries: isRetryDue ? retries : NO_TOUCHES, signal };
        for await (const { view, sweptMs } of advanceView(this.#options, memory.view, news)) {
          pauseMs = Math.max(pauseMs, sweptMs);
          const before = memory.view;
          memory = { ...memory, view };
          yield { memory, reading: this.#withCost((cost) => readingBetween(before, view, cost)) };
        }
        await clock.delay(pauseMs, signal);
      }
    } finally {
      watch.stop();
    }
  }

  /** What was asked since the reading before, which is only settled when there is a reading to say it. */
  #withCost<Reading extends RegistryReading | undefined>(make: (cost: ReadingCost) => Reading): Reading {
    const { requests, bytes } = this.#options.api.spent;
    const reading = make({ requests: requests - this.#reported.requests, bytes: bytes - this.#reported.bytes });
    if (reading !== undefined) this.#reported = { requests, bytes };
    return reading;
  }
}
