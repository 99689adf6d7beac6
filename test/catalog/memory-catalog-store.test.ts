import { MemoryCatalogStore } from '../../lib/catalog/memory-catalog-store';
import { describeCatalogStore } from '../contract/catalog-store';
import { ManualClock } from '../support/manual-clock';
import { sampleEntry } from '../support/store-samples';
import { collect, memoryStore } from '../support/store-under-test';

describe('MemoryCatalogStore', () => {
  describeCatalogStore(memoryStore((clock) => new MemoryCatalogStore(clock)));

  test('returns frozen values', async () => {
    const store = new MemoryCatalogStore(new ManualClock());
    const entry = sampleEntry({});
    await store.put(entry, undefined);
    const found = [await store.get(entry.key), ...(await collect(store.list())), ...(await collect(store.versions()))];
    expect(found.map((value) => Object.isFrozen(value))).toEqual([true, true, true]);
    expect(Object.isFrozen((await collect(store.listNamespace('shop')))[0]?.endpoints[0]?.labels)).toBe(true);
    expect(Object.isFrozen(entry)).toBe(false);
  });
});
