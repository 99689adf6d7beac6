import type { Item } from '../../lib/storage/item-size';
import { ManualClock } from './manual-clock';

/** A store over an empty table, as the contract suites want it. */
export type StoreUnderTest<Store> = {
  readonly store: Store;
  readonly clock: ManualClock;
  /** Puts an item that the store itself would not write. */
  readonly plant: (item: Item) => Promise<void>;
};

export type OpenStore<Store> = () => Promise<StoreUnderTest<Store>>;

/** A store of the memory twin. */
export function memoryStore<Store extends { readonly table: { put(item: Item): unknown } }>(
  make: (clock: ManualClock) => Store,
): OpenStore<Store> {
  return () => {
    const clock = new ManualClock();
    const store = make(clock);
    const plant = (item: Item): Promise<void> => {
      store.table.put(item);
      return Promise.resolve();
    };
    return Promise.resolve({ store, clock, plant });
  };
}

/** Everything that an iterable yields. */
export async function collect<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}
