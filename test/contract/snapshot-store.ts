import * as fc from 'fast-check';
import type { StoredSnapshot } from '../../lib/model/service-snapshot';
import { SNAPSHOT_TOMBSTONE_DAYS, type SnapshotStore } from '../../lib/snapshots/snapshot-store';
import { arbitraryStoredSnapshot } from '../support/arbitraries';
import { CART, noise, sampleEndpoints, sampleSnapshot, sampleSnapshotTombstone } from '../support/store-samples';
import type { OpenStore } from '../support/store-under-test';

const CART_OF_DC1 = [{ registry: 'Consul/dc1', key: CART }] as const;

const LIFETIME_MS = SNAPSHOT_TOMBSTONE_DAYS * 24 * 60 * 60 * 1000;

/** What every SnapshotStore does. */
export function describeSnapshotStore(open: OpenStore<SnapshotStore>): void {
  describeReading(open);
  describeFence(open);
  describeTombstones(open);
  describeSizes(open);
  describeForeignItems(open);
}

function describeReading(open: OpenStore<SnapshotStore>): void {
  test('gives back a snapshot as it was put', async () => {
    const { store } = await open();
    const snapshot = sampleSnapshot({ labels: { app: 'cart', größe: '😀' } });
    await store.put(snapshot);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [snapshot], tombstones: [] });
  });

  test('gives back any snapshot as it was put', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryStoredSnapshot, async (snapshot) => {
        const { store } = await open();
        await store.put(snapshot);
        await expect(store.getMany([snapshot])).resolves.toEqual({ snapshots: [snapshot], tombstones: [] });
      }),
      { numRuns: 10 },
    );
  });

  test('knows of a registry what planning needs, and nothing of other registries', async () => {
    const { store } = await open();
    const snapshot = sampleSnapshot({ precedence: 3, sources: ['a', 'b'] });
    await store.put(snapshot);
    await store.put(sampleSnapshot({ registry: 'Consul/dc2' }));
    await expect(store.known('Consul/dc1')).resolves.toEqual([
      {
        key: CART,
        hash: snapshot.hash,
        precedence: 3,
        schema: 1,
        sources: ['a', 'b'],
        endpointCount: 2,
        endpointAccounts: ['spiffe://cluster.local/ns/shop/sa/cart'],
      },
    ]);
  });

  test('has nothing of what was never put', async () => {
    const { store } = await open();
    await expect(store.known('Consul/dc1')).resolves.toEqual([]);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [], tombstones: [] });
    await expect(store.getMany([])).resolves.toEqual({ snapshots: [], tombstones: [] });
  });

  test('finds the same service of several registries, asked for twice or not', async () => {
    const { store } = await open();
    const first = sampleSnapshot({});
    const second = sampleSnapshot({ registry: 'Kubernetes/eks-prod' });
    await store.put(first);
    await store.put(second);
    const addresses = [first, second, first, { registry: 'Mock/demo', key: CART } as const];
    const { snapshots } = await store.getMany(addresses);
    expect(byAddress(snapshots)).toEqual(byAddress([first, second]));
  });

  test('follows every page of a partition and every batch of keys', async () => {
    const { store } = await open();
    // 110 × 15 KB: a Query page holds 1 MB, a BatchGetItem 100 keys (and dynalite's answers 1.4 MB).
    const padding = noise('page', 15_000);
    const snapshots = Array.from({ length: 110 }, (_, n) =>
      sampleSnapshot({ key: `shop/s${n}.example.com`, labels: { padding } }),
    );
    await Promise.all(snapshots.map((snapshot) => store.put(snapshot)));
    const known = await store.known('Consul/dc1');
    expect(known.map(({ key }) => key).sort()).toEqual(snapshots.map(({ key }) => key).sort());
    const found = await store.getMany(snapshots);
    expect(byAddress(found.snapshots)).toEqual(byAddress(snapshots));
  });
}

function describeFence(open: OpenStore<SnapshotStore>): void {
  test('pitfall 22: refuses the put of an older generation and keeps the newer snapshot', async () => {
    const { store } = await open();
    const newer = sampleSnapshot({ generation: 2 });
    await store.put(newer);
    await expect(store.put(sampleSnapshot({ generation: 1, endpoints: [] }))).rejects.toMatchObject({
      code: 'SupersededError',
      transient: false,
      message: `Snapshots item Consul/dc1 ${CART} was written by a newer run than generation 1; this run ends`,
      details: { registry: 'Consul/dc1', key: CART, generation: 1 },
    });
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [newer], tombstones: [] });
  });

  test.each([
    ['the same', 5],
    ['a newer', 6],
  ])('lets %s generation put again', async (_which, generation) => {
    const { store } = await open();
    await store.put(sampleSnapshot({ generation: 5 }));
    const again = sampleSnapshot({ generation, endpoints: sampleEndpoints(3) });
    await store.put(again);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [again], tombstones: [] });
  });

  test('refuses the tombstone of an older generation', async () => {
    const { store, clock } = await open();
    const newer = sampleSnapshot({ generation: 2 });
    await store.put(newer);
    const late = sampleSnapshotTombstone(clock.iso(), { generation: 1 });
    await expect(store.remove(late)).rejects.toMatchObject({ code: 'SupersededError' });
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [newer], tombstones: [] });
  });

  test('pitfall 28: what one registry writes and removes leaves the same service of another alone', async () => {
    const { store, clock } = await open();
    const other = sampleSnapshot({ registry: 'Consul/dc2', generation: 1 });
    await store.put(other);
    await store.put(sampleSnapshot({ registry: 'Consul/dc1', generation: 9, endpoints: [] }));
    await store.remove(sampleSnapshotTombstone(clock.iso(), { registry: 'Consul/dc1', generation: 9 }));
    await store.put(other);
    await expect(store.getMany([other])).resolves.toEqual({ snapshots: [other], tombstones: [] });
  });
}

function describeTombstones(open: OpenStore<SnapshotStore>): void {
  test('a tombstone takes the place of the snapshot, and is not known any more', async () => {
    const { store, clock } = await open();
    await store.put(sampleSnapshot({}));
    const tombstone = sampleSnapshotTombstone(clock.iso());
    await store.remove(tombstone);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [], tombstones: [tombstone] });
    await expect(store.known('Consul/dc1')).resolves.toEqual([]);
  });

  test('pitfall 34: a delayed writer of an older generation cannot bring a removed snapshot back', async () => {
    const { store, clock } = await open();
    const tombstone = sampleSnapshotTombstone(clock.iso(), { generation: 2 });
    await store.remove(tombstone);
    await expect(store.put(sampleSnapshot({ generation: 1 }))).rejects.toMatchObject({ code: 'SupersededError' });
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [], tombstones: [tombstone] });
  });

  test('the run that removed a snapshot may put it again', async () => {
    const { store, clock } = await open();
    await store.remove(sampleSnapshotTombstone(clock.iso(), { generation: 2 }));
    const back = sampleSnapshot({ generation: 2 });
    await store.put(back);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [back], tombstones: [] });
  });

  test('a tombstone holds until just before its last second', async () => {
    const { store, clock } = await open();
    const tombstone = sampleSnapshotTombstone(clock.iso(), { generation: 2 });
    await store.remove(tombstone);
    clock.advance(LIFETIME_MS - 1);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [], tombstones: [tombstone] });
    await expect(store.put(sampleSnapshot({ generation: 1 }))).rejects.toMatchObject({ code: 'SupersededError' });
  });

  test('an expired tombstone counts as absent, for readers and for the fence', async () => {
    const { store, clock } = await open();
    await store.remove(sampleSnapshotTombstone(clock.iso(), { generation: 2 }));
    clock.advance(LIFETIME_MS);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [], tombstones: [] });
    const old = sampleSnapshot({ generation: 1 });
    await store.put(old);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [old], tombstones: [] });
  });
}

function describeSizes(open: OpenStore<SnapshotStore>): void {
  test('gives back 1,200 endpoints, which are stored compressed', async () => {
    const { store } = await open();
    const large = sampleSnapshot({ endpoints: sampleEndpoints(1200) });
    await store.put(large);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [large], tombstones: [] });
    await expect(store.known('Consul/dc1')).resolves.toMatchObject([{ endpointCount: 1200 }]);
  });

  test('refuses a snapshot over 400 KB, naming service and size, and keeps the last good one', async () => {
    const { store } = await open();
    const good = sampleSnapshot({});
    await store.put(good);
    const error = await store.put(sampleSnapshot({ labels: { padding: noise('large', 450_000) } })).catch(String);
    expect(error).toMatch(
      /^ItemTooLargeError: Snapshots item Consul\/dc1 shop\/cart\.example\.com would be 45\d{4} bytes; DynamoDB allows 409600/,
    );
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [good], tombstones: [] });
  });
}

function describeForeignItems(open: OpenStore<SnapshotStore>): void {
  const newer = { registry: 'Consul/dc1', service: CART, schema: 2, generation: 1 };

  test('says of an item with a newer schema who can read it', async () => {
    const { store, plant } = await open();
    await plant(newer);
    await expect(store.getMany(CART_OF_DC1)).rejects.toMatchObject({
      code: 'NewerSchemaError',
      details: { table: 'Snapshots', key: `Consul/dc1 ${CART}`, found: 2, supported: 1 },
    });
  });

  test('knows an item with a newer schema by it, and lets it be written anew', async () => {
    const { store, plant } = await open();
    const facts = { hash: 'h', precedence: 1, sources: [], endpointCount: 0, endpointAccounts: [] };
    await plant({ ...newer, ...facts });
    await expect(store.known('Consul/dc1')).resolves.toEqual([{ key: CART, schema: 2, ...facts }]);
    const again = sampleSnapshot({});
    await store.put(again);
    await expect(store.getMany(CART_OF_DC1)).resolves.toEqual({ snapshots: [again], tombstones: [] });
  });

  test('names an item that it cannot read, and why', async () => {
    const { store, plant } = await open();
    await plant({ registry: 'Consul/dc1', service: CART, schema: 1, generation: 1 });
    await expect(store.getMany(CART_OF_DC1)).rejects.toMatchObject({ code: 'ItemUnreadableError', transient: false });
    await expect(store.getMany(CART_OF_DC1)).rejects.toThrow(
      /^Snapshots item Consul\/dc1 shop\/cart\.example\.com cannot be read: hostname: /,
    );
  });

  test('keeps what was put although the caller changes its own lists afterwards', async () => {
    const { store } = await open();
    const sources = ['a'];
    const snapshot = { ...sampleSnapshot({}), sources };
    await store.put(snapshot);
    sources.push('b');
    await expect(store.known('Consul/dc1')).resolves.toMatchObject([{ sources: ['a'] }]);
  });
}

function byAddress(snapshots: readonly StoredSnapshot[]): ReadonlyMap<string, StoredSnapshot> {
  return new Map(snapshots.map((snapshot) => [`${snapshot.registry} ${snapshot.key}`, snapshot]));
}
