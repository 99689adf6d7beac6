import type { Clock } from '../../runtime/clock';
import type { CatalogApi } from './catalog-api';
import type { ListName, Lists } from './catalog-view';
import { LIST_NAMES, readList } from './read-lists';

/**
 * One registration wakes up to three waiting requests within a few milliseconds; waiting this long for the others makes one
 * look of them.
 */
const GATHER_MS = 10;

export type ListWatchOptions = {
  readonly api: CatalogApi;
  readonly clock: Clock;
  /** How long Consul holds a request while nothing changes. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
};

/** The three waiting requests (Consul's blocking queries): at most one of each is under way. */
export class ListWatch {
  readonly #options: ListWatchOptions;
  readonly #underWay = new Set<ListName>();
  readonly #stopped = new AbortController();
  #answered: Partial<Lists> = {};
  #failure: { readonly error: unknown } | undefined;
  #wake = new AbortController();

  constructor(options: ListWatchOptions) {
    this.#options = options;
    if (options.signal.aborted) this.stop();
    options.signal.addEventListener('abort', this.stop, { once: true });
  }

  /** Asks for what comes after these lists, where no request is under way already. */
  ask(lists: Lists): void {
    for (const name of LIST_NAMES) {
      if (!this.#underWay.has(name)) void this.#wait(name, lists[name].index);
    }
  }

  /**
   * The lists that have answered, after `timeoutMs` perhaps none. An answer need not differ: Consul answers unchanged
   * lists after the wait as well. @throws what the first failed request threw; the signal's reason.
   */
  async next(timeoutMs: number): Promise<Partial<Lists>> {
    const { clock, signal } = this.#options;
    await clock.delay(timeoutMs, this.#wake.signal);
    if (this.#wake.signal.aborted) await clock.delay(GATHER_MS, this.#stopped.signal);
    signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure.error;
    const answered = this.#answered;
    this.#answered = {};
    this.#wake = new AbortController();
    return answered;
  }

  /** Ends the requests. */
  readonly stop = (): void => {
    this.#options.signal.removeEventListener('abort', this.stop);
    this.#stopped.abort(this.#options.signal.reason);
    this.#wake.abort();
  };

  async #wait(name: ListName, after: number): Promise<void> {
    const { api, waitMs } = this.#options;
    this.#underWay.add(name);
    try {
      const answer = await readList(api, name, { signal: this.#stopped.signal, waiting: { after, waitMs } });
      this.#answered = { ...this.#answered, ...answer };
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#underWay.delete(name);
      this.#wake.abort();
    }
  }
}
