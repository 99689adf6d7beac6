import { compareText } from '../model/compare';
import type { ServiceKey } from '../model/service-key';
import type { Clock } from '../runtime/clock';
import { CHANGES_TABLE } from '../runtime/table-definitions';
import { asynchronously } from '../storage/asynchronously';
import { deepFreeze } from '../storage/deep-freeze';
import { isExpired } from '../storage/expiry';
import type { StoredItem } from '../storage/item-reading';
import { MemoryTable } from '../storage/memory-table';
import { decodeChange, encodeChange } from './change-codec';
import type { ChangeRecord, ChangeStore } from './change-store';
import { publicationIndex, publicationRange } from './publication-time';

/** The twin of the Changes table: same codec, same order, in memory. What it returns is frozen. */
export class MemoryChangeStore implements ChangeStore {
  readonly table = new MemoryTable(CHANGES_TABLE);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  put(record: ChangeRecord): Promise<void> {
    return asynchronously(() => void this.table.put(encodeChange(record)));
  }

  async *history(key: ServiceKey, options: { readonly limit?: number } = {}): AsyncIterable<ChangeRecord> {
    const changes = await asynchronously(() => this.#current((item) => item.service === key));
    yield* changes.toSorted((a, b) => b.version - a.version).slice(0, options.limit);
  }

  async *since(since: string, until: string): AsyncIterable<ChangeRecord> {
    const { first, last } = publicationRange(since, until, this.#clock.now());
    const changes = await asynchronously(() => this.#current(() => true));
    yield* changes
      .map((change) => ({ change, order: publicationIndex(change).publishedOrder }))
      .filter(({ order }) => order >= first && order <= last)
      .sort((a, b) => compareText(a.order, b.order))
      .map(({ change }) => change);
  }

  /** Only what is wanted is decoded: the history of each of many services would otherwise read all of them each time. */
  #current(isWanted: (item: StoredItem) => boolean): readonly ChangeRecord[] {
    const items = this.table.items().filter((item) => isWanted(item) && !isExpired(item, this.#clock.now()));
    return deepFreeze(items.map(decodeChange));
  }
}
