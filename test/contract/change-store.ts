import * as fc from 'fast-check';
import { CHANGE_DAYS, type ChangeRecord, type ChangeStore } from '../../lib/changes/change-store';
import type { ServiceKey } from '../../lib/model/service-key';
import { arbitraryChangeRecord } from '../support/arbitraries';
import { CART, noise, sampleChange, sampleEndpoints, sampleEntry } from '../support/store-samples';
import { collect, type OpenStore } from '../support/store-under-test';

const LIFETIME_MS = CHANGE_DAYS * 24 * 60 * 60 * 1000;

/** What every ChangeStore does. */
export function describeChangeStore(open: OpenStore<ChangeStore>): void {
  describeHistory(open);
  describeSince(open);
  describeSizes(open);
  describeExpiry(open);
}

/** A change of the service at that time; the version follows the time, as versions do. */
function changeAt(publishedAt: string, key: ServiceKey = CART): ChangeRecord {
  return sampleChange(publishedAt, sampleEntry({ key, version: Date.parse(publishedAt) }));
}

async function putAll(store: ChangeStore, changes: readonly ChangeRecord[]): Promise<void> {
  await Promise.all(changes.map((change) => store.put(change)));
}

function describeHistory(open: OpenStore<ChangeStore>): void {
  test('gives back a change as it was put', async () => {
    const { store } = await open();
    const change = changeAt('2026-11-30T11:00:00.000Z');
    await store.put(change);
    await expect(collect(store.history(CART))).resolves.toEqual([change]);
  });

  test('gives back any change as it was put', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryChangeRecord, async (change) => {
        const { store, clock } = await open();
        clock.set(change.publishedAt);
        await store.put(change);
        await expect(collect(store.history(change.key))).resolves.toEqual([change]);
        await expect(collect(store.since(change.publishedAt, change.publishedAt))).resolves.toEqual([change]);
      }),
      { numRuns: 10 },
    );
  });

  test('gives back a deletion, which has no entry after it', async () => {
    const { store } = await open();
    const { after, ...rest } = changeAt('2026-11-30T11:00:00.000Z');
    expect(after).toBeDefined();
    const deletion: ChangeRecord = { ...rest, event: { ...rest.event, type: 'Service Deleted' } };
    await store.put(deletion);
    await expect(collect(store.history(CART))).resolves.toEqual([deletion]);
  });

  test('tells the changes of one service, newest first, as many as are wanted', async () => {
    const { store } = await open();
    const changes = [9, 10, 100, 11].map((version) =>
      sampleChange('2026-11-30T11:00:00.000Z', sampleEntry({ version })),
    );
    await putAll(store, [...changes, changeAt('2026-11-30T11:00:00.000Z', 'shop/other.example.com')]);
    const versions = async (options?: { readonly limit?: number }): Promise<readonly number[]> =>
      (await collect(store.history(CART, options))).map(({ version }) => version);
    await expect(versions()).resolves.toEqual([100, 11, 10, 9]);
    await expect(versions({ limit: 2 })).resolves.toEqual([100, 11]);
    await expect(versions({ limit: 4 })).resolves.toEqual([100, 11, 10, 9]);
    await expect(versions({ limit: 9 })).resolves.toEqual([100, 11, 10, 9]);
  });

  test('a repeated put of a version overwrites it, also in the order of time', async () => {
    const { store } = await open();
    const entry = sampleEntry({ version: 7 });
    const again = sampleChange('2026-11-30T11:30:00.000Z', entry);
    await store.put(sampleChange('2026-11-30T10:30:00.000Z', entry));
    await store.put(again);
    await expect(collect(store.history(CART))).resolves.toEqual([again]);
    await expect(collect(store.since('2026-11-30T10:00:00Z', '2026-11-30T12:00:00Z'))).resolves.toEqual([again]);
  });
}

function describeSince(open: OpenStore<ChangeStore>): void {
  test('tells the changes of all services, oldest first, over the edges of hours', async () => {
    const { store } = await open();
    const changes = [
      changeAt('2026-11-30T09:59:59.999Z', 'shop/b.example.com'),
      changeAt('2026-11-30T10:00:00.000Z', 'shop/a.example.com'),
      changeAt('2026-11-30T10:00:00.000Z', 'shop/c.example.com'),
      changeAt('2026-11-30T11:59:59.000Z', 'shop/a.example.com'),
    ];
    await putAll(store, [...changes].reverse());
    await expect(collect(store.since('2026-11-30T09:00:00Z', '2026-11-30T12:00:00Z'))).resolves.toEqual(changes);
  });

  test.each([
    ['both ends included', '2026-11-30T10:00:00.000Z', '2026-11-30T10:00:02.000Z', ['0', '1', '2']],
    ['not before since', '2026-11-30T10:00:00.001Z', '2026-11-30T10:00:02.000Z', ['1', '2']],
    ['not after until', '2026-11-30T10:00:00.000Z', '2026-11-30T10:00:01.999Z', ['0', '1']],
    ['times in another spelling', '2026-11-30T12:00:01+02:00', '2026-11-30T10:00:01Z', ['1']],
    ['nothing when until is before since', '2026-11-30T10:00:02.000Z', '2026-11-30T10:00:00.000Z', []],
  ])('keeps to the time asked for: %s', async (_case, since, until, expected) => {
    const { store } = await open();
    await putAll(
      store,
      [0, 1, 2].map((n) => changeAt(`2026-11-30T10:00:0${n}.000Z`, `shop/${n}.example.com`)),
    );
    const found = await collect(store.since(since, until));
    expect(found.map(({ key }) => key)).toEqual(expected.map((n) => `shop/${n}.example.com`));
  });

  test('follows every batch of keys within an hour', async () => {
    const { store, clock } = await open();
    const start = clock.now() - 10 * 60 * 1000;
    const changes = Array.from({ length: 110 }, (_, n) => changeAt(new Date(start + n).toISOString()));
    await putAll(store, changes);
    await expect(collect(store.since('2026-11-30T11:00:00Z', '2026-11-30T12:00:00Z'))).resolves.toEqual(changes);
  });

  test.each([
    ['since', 'yesterday', '2026-11-30T12:00:00Z'],
    ['until', '2026-11-30T12:00:00Z', 'yesterday'],
  ])('refuses a %s that is no time', async (name, since, until) => {
    const { store } = await open();
    await expect(collect(store.since(since, until))).rejects.toMatchObject({
      code: 'InvalidValueError',
      message: `${name} "yesterday" is not a time; ISO 8601 is allowed, e.g. 2026-11-30T12:00:00Z`,
    });
  });
}

function describeSizes(open: OpenStore<ChangeStore>): void {
  test('gives back 1,200 endpoints, which are stored compressed', async () => {
    const { store } = await open();
    const change = sampleChange('2026-11-30T11:00:00.000Z', sampleEntry({ endpoints: sampleEndpoints(1200) }));
    await store.put(change);
    await expect(collect(store.history(CART))).resolves.toEqual([change]);
  });

  test('leaves the endpoints out of a change over 350 KB and says so', async () => {
    const { store } = await open();
    const endpoints = sampleEndpoints(4).map((endpoint, n) => ({
      ...endpoint,
      labels: { padding: noise(`${n}`, 120_000) },
    }));
    const change = sampleChange('2026-11-30T11:00:00.000Z', sampleEntry({ endpoints }));
    await store.put(change);
    await expect(collect(store.history(CART))).resolves.toEqual([
      { ...change, after: { ...change.after, endpoints: [] }, endpointsOmitted: true },
    ]);
  });

  test('refuses a change over 400 KB even without endpoints, naming service, version and size', async () => {
    const { store } = await open();
    const change = sampleChange('2026-11-30T11:00:00.000Z', sampleEntry({ labels: { p: noise('large', 220_000) } }));
    await expect(store.put(change)).rejects.toThrow(
      /^Changes item shop\/cart\.example\.com 1 would be 44\d{4} bytes; DynamoDB allows 409600/,
    );
  });
}

function describeExpiry(open: OpenStore<ChangeStore>): void {
  test('keeps changes for 14 days', async () => {
    const { store, clock } = await open();
    const publishedAt = clock.iso();
    const change = changeAt(publishedAt);
    await store.put(change);
    clock.advance(LIFETIME_MS - 1);
    await expect(collect(store.history(CART))).resolves.toEqual([change]);
    await expect(collect(store.since(publishedAt, publishedAt))).resolves.toEqual([change]);
    clock.advance(1);
    await expect(collect(store.history(CART))).resolves.toEqual([]);
    await expect(collect(store.since(publishedAt, publishedAt))).resolves.toEqual([]);
  });

  test('expired changes do not count as wanted ones', async () => {
    const { store, clock } = await open();
    const old = sampleChange(clock.iso(), sampleEntry({ version: 2 }));
    clock.advance(LIFETIME_MS);
    const recent = sampleChange(clock.iso(), sampleEntry({ version: 1 }));
    await putAll(store, [old, recent]);
    await expect(collect(store.history(CART, { limit: 1 }))).resolves.toEqual([recent]);
  });

  test('says of an item with a newer schema who can read it', async () => {
    const { store, plant } = await open();
    await plant({ service: CART, version: 1, schema: 2 });
    await expect(collect(store.history(CART))).rejects.toMatchObject({
      code: 'NewerSchemaError',
      details: { table: 'Changes', key: CART, found: 2, supported: 1 },
    });
  });
}
