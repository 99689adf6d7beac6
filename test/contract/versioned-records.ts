import * as fc from 'fast-check';
import { CATALOG_TOMBSTONE_DAYS } from '../../lib/catalog/catalog-store';
import type { PublishedStore } from '../../lib/changes/published-store';
import { arbitraryCatalogRecord } from '../support/arbitraries';
import { CART, noise, sampleEndpoints, sampleEntry, sampleTombstone } from '../support/store-samples';
import { collect, type OpenStore } from '../support/store-under-test';

const LIFETIME_MS = CATALOG_TOMBSTONE_DAYS * 24 * 60 * 60 * 1000;

/** What the Catalog and Published tables have in common: one record a service, each write on condition of the version read. */
export function describeVersionedRecords(table: 'Catalog' | 'Published', open: OpenStore<PublishedStore>): void {
  describeVersions(table, open);
  describeTombstones(open);
  describeItems(table, open);
}

function describeVersions(table: string, open: OpenStore<PublishedStore>): void {
  test('gives back an entry as it was put, and nothing where nothing is', async () => {
    const { store } = await open();
    const entry = sampleEntry({ labels: { größe: '😀' } });
    await expect(store.get(CART)).resolves.toBeUndefined();
    await store.put(entry, undefined);
    await expect(store.get(CART)).resolves.toEqual(entry);
  });

  test('gives back any record as it was put', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCatalogRecord, async (record) => {
        const { store, clock } = await open();
        clock.set(record.updatedAt);
        await store.put(record, undefined);
        await expect(store.get(record.key)).resolves.toEqual(record);
      }),
      { numRuns: 10 },
    );
  });

  test('puts over the version that was read', async () => {
    const { store } = await open();
    await store.put(sampleEntry({ version: 1 }), undefined);
    const second = sampleEntry({ version: 2, endpoints: [] });
    await store.put(second, 1);
    await expect(store.get(CART)).resolves.toEqual(second);
  });

  test.each([
    ['a version that is no longer there', 1, '1'],
    ['absence when there is a record', undefined, 'none'],
  ])('pitfall 22: refuses a put over %s', async (_case, expected, shown) => {
    const { store } = await open();
    const present = sampleEntry({ version: 2 });
    await store.put(present, undefined);
    await expect(store.put(sampleEntry({ version: 3 }), expected)).rejects.toMatchObject({
      code: 'VersionConflictError',
      transient: true,
      message: `${table} item ${CART} is no longer at version ${shown}`,
    });
    await expect(store.get(CART)).resolves.toEqual(present);
  });

  test('refuses a put over a version when there is no record', async () => {
    const { store } = await open();
    await expect(store.put(sampleEntry({ version: 2 }), 1)).rejects.toMatchObject({ code: 'VersionConflictError' });
    await expect(store.get(CART)).resolves.toBeUndefined();
  });

  test.each([
    ['over the same version', 1],
    ['where nothing was', undefined],
  ])('of many puts at once %s exactly one wins', async (_case, expected) => {
    const { store } = await open();
    if (expected !== undefined) await store.put(sampleEntry({ version: expected }), undefined);
    const puts = Array.from({ length: 8 }, (_, n) => store.put(sampleEntry({ version: 10 + n }), expected));
    const results = await Promise.allSettled(puts);
    const winners = results.flatMap((result, n) => (result.status === 'fulfilled' ? [10 + n] : []));
    const losers = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(winners).toHaveLength(1);
    expect(new Set(losers).size).toBe(1);
    expect(losers[0]).toMatch(/^VersionConflictError/);
    await expect(store.get(CART)).resolves.toMatchObject({ version: winners[0] });
  });

  test('lists key and version of every record, tombstones included, over every page', async () => {
    const { store, clock } = await open();
    // 22 × 50 KB: a page of a scan holds 1 MB.
    const padding = noise('page', 50_000);
    const entries = Array.from({ length: 22 }, (_, n) =>
      sampleEntry({ key: `shop/s${n}.example.com`, version: n + 1, labels: { padding } }),
    );
    const tombstone = sampleTombstone(clock.iso(), { version: 99 });
    await Promise.all([...entries, tombstone].map((record) => store.put(record, undefined)));
    const found = await collect(store.versions());
    expect(new Map(found.map(({ key, version }) => [key, version]))).toEqual(
      new Map([...entries, tombstone].map(({ key, version }) => [key, version])),
    );
    expect(found).toHaveLength(23);
    expect(Object.keys(found[0] ?? {}).sort()).toEqual(['key', 'version']);
  });
}

function describeTombstones(open: OpenStore<PublishedStore>): void {
  test('pitfall 34: a tombstone keeps the version, so that a delayed writer cannot bring the entry back', async () => {
    const { store, clock } = await open();
    await store.put(sampleEntry({ version: 1 }), undefined);
    const tombstone = sampleTombstone(clock.iso(), { version: 2 });
    await store.put(tombstone, 1);
    await expect(store.put(sampleEntry({ version: 3 }), 1)).rejects.toMatchObject({ code: 'VersionConflictError' });
    await expect(store.put(sampleEntry({ version: 3 }), undefined)).rejects.toMatchObject({
      code: 'VersionConflictError',
    });
    await expect(store.get(CART)).resolves.toEqual(tombstone);
  });

  test('a service that comes back is put over its tombstone', async () => {
    const { store, clock } = await open();
    await store.put(sampleTombstone(clock.iso(), { version: 2 }), undefined);
    const back = sampleEntry({ version: 3 });
    await store.put(back, 2);
    await expect(store.get(CART)).resolves.toEqual(back);
  });

  test('a tombstone stands until just before its last second', async () => {
    const { store, clock } = await open();
    const tombstone = sampleTombstone(clock.iso(), { version: 2 });
    await store.put(tombstone, undefined);
    clock.advance(LIFETIME_MS - 1);
    await expect(store.get(CART)).resolves.toEqual(tombstone);
    await expect(collect(store.versions())).resolves.toEqual([{ key: CART, version: 2 }]);
    await expect(store.put(sampleEntry({ version: 3 }), undefined)).rejects.toMatchObject({
      code: 'VersionConflictError',
    });
  });

  test('an expired tombstone counts as absent, for readers and for conditions', async () => {
    const { store, clock } = await open();
    await store.put(sampleTombstone(clock.iso(), { version: 2 }), undefined);
    clock.advance(LIFETIME_MS);
    await expect(store.get(CART)).resolves.toBeUndefined();
    await expect(collect(store.versions())).resolves.toEqual([]);
    await expect(store.put(sampleEntry({ version: 3 }), 2)).rejects.toMatchObject({ code: 'VersionConflictError' });
    const anew = sampleEntry({ version: 3 });
    await store.put(anew, undefined);
    await expect(store.get(CART)).resolves.toEqual(anew);
  });
}

function describeItems(table: string, open: OpenStore<PublishedStore>): void {
  test('gives back 1,200 endpoints, which are stored compressed', async () => {
    const { store } = await open();
    const large = sampleEntry({ endpoints: sampleEndpoints(1200) });
    await store.put(large, undefined);
    await expect(store.get(CART)).resolves.toEqual(large);
  });

  test('refuses an entry over 400 KB, naming table, service and size, and keeps the last good one', async () => {
    const { store } = await open();
    const good = sampleEntry({ version: 1 });
    await store.put(good, undefined);
    const large = sampleEntry({ version: 2, labels: { padding: noise('large', 450_000) } });
    await expect(store.put(large, 1)).rejects.toThrow(
      new RegExp(`^${table} item ${CART} would be 45\\d{4} bytes; DynamoDB allows 409600`),
    );
    await expect(store.get(CART)).resolves.toEqual(good);
  });

  test('says of an item with a newer schema who can read it, and lists its version all the same', async () => {
    const { store, plant } = await open();
    await plant({ service: CART, schema: 2, version: 5 });
    await expect(store.get(CART)).rejects.toMatchObject({
      code: 'NewerSchemaError',
      details: { table, key: CART, found: 2, supported: 1 },
    });
    await expect(collect(store.versions())).resolves.toEqual([{ key: CART, version: 5 }]);
  });

  test('names an item that it cannot read, and why', async () => {
    const { store, plant } = await open();
    await plant({ ...sampleEntry({}), service: CART, schema: 1, resolution: 'Guess' });
    await expect(store.get(CART)).rejects.toThrow(`${table} item ${CART} cannot be read: resolution: Invalid option`);
  });
}
