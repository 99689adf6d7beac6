import type { CatalogStore } from '../../lib/catalog/catalog-store';
import type { CatalogEntry } from '../../lib/model/catalog-entry';
import { compareText } from '../../lib/model/compare';
import { noise, sampleEntry, sampleTombstone } from '../support/store-samples';
import { collect, type OpenStore } from '../support/store-under-test';
import { describeVersionedRecords } from './versioned-records';

/** What every CatalogStore does. */
export function describeCatalogStore(open: OpenStore<CatalogStore>): void {
  describeVersionedRecords('Catalog', open);
  describeLists(open);
}

function describeLists(open: OpenStore<CatalogStore>): void {
  test('lists the entries of a namespace by host name and those of a host name by namespace', async () => {
    const { store } = await open();
    const b = sampleEntry({ key: 'shop/b.example.com' });
    const a = sampleEntry({ key: 'shop/a.example.com' });
    const other = sampleEntry({ key: 'default/b.example.com' });
    await putAll(store, [b, a, other]);
    await expect(collect(store.listNamespace('shop'))).resolves.toEqual([a, b]);
    await expect(collect(store.listHostname('b.example.com'))).resolves.toEqual([other, b]);
    expect(sorted(await collect(store.list()))).toEqual([other, a, b]);
  });

  test('lists nothing of a namespace or host name without entries', async () => {
    const { store } = await open();
    await store.put(sampleEntry({}), undefined);
    await expect(collect(store.listNamespace('sho'))).resolves.toEqual([]);
    await expect(collect(store.listHostname('example.com'))).resolves.toEqual([]);
  });

  test('a deleted entry is in no list, until it comes back', async () => {
    const { store, clock } = await open();
    const entry = sampleEntry({ version: 1 });
    const { key, namespace, hostname } = entry;
    await store.put(entry, undefined);
    await store.put(sampleTombstone(clock.iso(), { key, version: 2 }), 1);
    await expect(collect(store.list())).resolves.toEqual([]);
    await expect(collect(store.listNamespace(namespace))).resolves.toEqual([]);
    await expect(collect(store.listHostname(hostname))).resolves.toEqual([]);
    const back = sampleEntry({ version: 3 });
    await store.put(back, 2);
    await expect(collect(store.listNamespace(namespace))).resolves.toEqual([back]);
    await expect(collect(store.listHostname(hostname))).resolves.toEqual([back]);
  });

  test('follows every page and every batch of keys', async () => {
    const { store } = await open();
    // 110 × 15 KB: a page of a scan holds 1 MB, a BatchGetItem 100 keys (and dynalite's answers 1.4 MB).
    const padding = noise('page', 15_000);
    const entries = Array.from({ length: 110 }, (_, n) =>
      sampleEntry({ key: `shop/s${n}.example.com`, labels: { padding } }),
    );
    await putAll(store, entries);
    expect(sorted(await collect(store.list()))).toEqual(sorted(entries));
    await expect(collect(store.listNamespace('shop'))).resolves.toEqual(sorted(entries));
  });

  test('a list does not pass over an entry that newer code wrote', async () => {
    const { store, plant } = await open();
    await plant({ service: 'shop/a.example.com', namespace: 'shop', hostname: 'a.example.com', schema: 2, version: 5 });
    await expect(collect(store.list())).rejects.toMatchObject({ code: 'NewerSchemaError' });
    await expect(collect(store.listNamespace('shop'))).rejects.toMatchObject({ code: 'NewerSchemaError' });
    await expect(collect(store.listHostname('a.example.com'))).rejects.toMatchObject({ code: 'NewerSchemaError' });
  });
}

async function putAll(store: CatalogStore, entries: readonly CatalogEntry[]): Promise<void> {
  await Promise.all(entries.map((entry) => store.put(entry, undefined)));
}

function sorted(entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
  return [...entries].sort((a, b) => compareText(a.key, b.key));
}
