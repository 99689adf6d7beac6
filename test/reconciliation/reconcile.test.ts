import { aggregateServices } from '../../lib/aggregation/aggregate-services';
import { MemoryCatalogStore } from '../../lib/catalog/memory-catalog-store';
import { MemoryPublishedStore } from '../../lib/changes/memory-published-store';
import { isDeleted } from '../../lib/model/catalog-entry';
import type { RegistryId } from '../../lib/model/registry-id';
import type { ServiceKey } from '../../lib/model/service-key';
import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { SupersededError } from '../../lib/polling/registry-store';
import { reconcile, type ReconcileParts } from '../../lib/reconciliation/reconcile';
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import { MemorySnapshotStore } from '../../lib/snapshots/memory-snapshot-store';
import { CollectedLog } from '../support/collected-log';
import { ManualClock } from '../support/manual-clock';
import { endpoint, storedSnapshot } from '../support/stored-snapshots';

const CART: ServiceKey = 'shop/cart.shop.svc.cluster.local';
const KEPT: RegistryId = 'Mock/kept';
const GONE: RegistryId = 'Consul/gone';

async function setUp() {
  const clock = new ManualClock();
  const registries = new MemoryRegistryStore();
  const snapshots = new MemorySnapshotStore(clock);
  const catalog = new MemoryCatalogStore(clock);
  const published = new MemoryPublishedStore(clock);
  const metrics = new MemoryMetrics();
  const log = new CollectedLog();
  const looked: ServiceKey[][] = [];
  const parts: ReconcileParts = {
    registries,
    snapshots,
    catalog,
    published,
    aggregate: async (keys) => {
      looked.push([...keys]);
      const outcomes = await aggregateServices(keys, { registries, snapshots, catalog, clock, log, metrics });
      return outcomes.flatMap(({ key, result }) => (result === 'written' ? [key] : []));
    },
    publish: async (keys) => {
      for (const key of keys) {
        const record = await catalog.get(key);
        if (record !== undefined) await published.put(record, (await published.get(key))?.version);
      }
    },
    reconcileId: 'reconcile-1',
    clock,
    log,
    metrics,
  };
  const acquire = (registry: RegistryId) =>
    registries.acquire({
      registry,
      owner: `poller of ${registry}`,
      leaseUntil: clock.iso(),
      runStartedAt: clock.iso(),
      precedence: 0,
      mode: 'poll',
      configVersion: 'v1',
    });
  await acquire(KEPT);
  await acquire(GONE);
  return { parts, registries, snapshots, catalog, published, metrics, looked, clock };
}

const both = { configured: [KEPT, GONE] };

describe('reconcile', () => {
  test('repairs an entry whose aggregation was lost, publishes it, and counts it', async () => {
    const { parts, snapshots, catalog, published, metrics } = await setUp();
    await snapshots.put(storedSnapshot(KEPT, { endpoints: [endpoint('10.0.0.1')] }));
    expect(await reconcile(parts, both)).toEqual({
      keys: 1,
      repaired: 1,
      removedRegistries: [],
      complete: true,
      last: CART,
    });
    const entry = await catalog.get(CART);
    expect(entry).toMatchObject({ endpoints: [{ addresses: ['10.0.0.1'] }] });
    expect((await published.get(CART))?.version).toBe(entry?.version);
    expect(metrics.last('KeysRepaired')).toBe(1);
  });

  test('in health it repairs nothing, and says so with a zero', async () => {
    const { parts, snapshots, metrics } = await setUp();
    await snapshots.put(storedSnapshot(KEPT));
    await reconcile(parts, both);
    expect(await reconcile(parts, both)).toMatchObject({ keys: 1, repaired: 0, complete: true });
    expect(metrics.last('KeysRepaired')).toBe(0);
  });

  test('publishes what was aggregated but never published', async () => {
    const { parts, snapshots, catalog, published } = await setUp();
    await snapshots.put(storedSnapshot(KEPT));
    await parts.aggregate([CART]);
    expect(await reconcile(parts, both)).toMatchObject({ repaired: 1 });
    expect(await published.get(CART)).toEqual(await catalog.get(CART));
  });

  test('looks at keys page by page in order, stops when told to, and goes on where it stopped', async () => {
    const { parts, snapshots, looked } = await setUp();
    for (let number = 0; number < 150; number += 1) {
      const hostname = `s${String(number).padStart(3, '0')}.example.com`;
      await snapshots.put(storedSnapshot(KEPT, { service: { hostname } }));
    }
    const stop = new AbortController();
    const first = await reconcile(
      {
        ...parts,
        publish: async (keys) => {
          await parts.publish(keys);
          stop.abort();
        },
      },
      { ...both, signal: stop.signal },
    );
    expect(first).toMatchObject({ keys: 100, complete: false, last: 'shop/s099.example.com' });
    const second = await reconcile(parts, { ...both, ...(first.last === undefined ? {} : { after: first.last }) });
    expect(second).toMatchObject({ keys: 50, repaired: 50, complete: true, last: 'shop/s149.example.com' });
    expect(looked.map((page) => page.length)).toEqual([100, 50]);
  });

  test('told to stop before it has begun, it has looked at nothing and stands where it stood', async () => {
    const { parts, snapshots } = await setUp();
    await snapshots.put(storedSnapshot(KEPT));
    const request = { ...both, after: 'a/a' as const, signal: AbortSignal.abort() };
    expect(await reconcile(parts, request)).toMatchObject({ keys: 0, complete: false, last: 'a/a' });
  });
});

describe('a registry that left the configuration', () => {
  test('pitfall 15: its services and endpoints go, those of the others stay', async () => {
    const { parts, registries, snapshots, catalog } = await setUp();
    await snapshots.put(storedSnapshot(KEPT, { endpoints: [endpoint('10.0.0.1')] }));
    await snapshots.put(storedSnapshot(GONE, { endpoints: [endpoint('10.0.0.2')] }));
    await snapshots.put(storedSnapshot(GONE, { service: { hostname: 'only.example.com' } }));
    await reconcile(parts, both);
    expect(await reconcile(parts, { configured: [KEPT] })).toMatchObject({ removedRegistries: [GONE], repaired: 2 });
    expect(await catalog.get(CART)).toMatchObject({
      endpoints: [{ addresses: ['10.0.0.1'], registry: KEPT }],
      registries: [{ registry: KEPT }],
    });
    const only = await catalog.get('shop/only.example.com');
    expect(only !== undefined && isDeleted(only)).toBe(true);
    expect(await registries.get(GONE)).toMatchObject({ state: 'removed', services: 0, endpoints: 0 });
  });

  test('its poller, if it still runs, is shut out', async () => {
    const { parts, snapshots, registries } = await setUp();
    await snapshots.put(storedSnapshot(GONE));
    await reconcile(parts, { configured: [KEPT] });
    await expect(snapshots.put(storedSnapshot(GONE))).rejects.toThrow(SupersededError);
    const fence = { registry: GONE, owner: `poller of ${GONE}`, generation: 1 };
    await expect(registries.update(fence, {})).rejects.toThrow(SupersededError);
  });

  test('is removed once', async () => {
    const { parts } = await setUp();
    await reconcile(parts, { configured: [KEPT] });
    expect(await reconcile(parts, { configured: [KEPT] })).toMatchObject({ removedRegistries: [] });
  });

  test('told to stop, it goes on at the next reconciliation', async () => {
    const { parts, registries, snapshots } = await setUp();
    await snapshots.put(storedSnapshot(GONE));
    await reconcile(parts, { configured: [KEPT], signal: AbortSignal.abort() });
    expect((await registries.get(GONE))?.state).not.toBe('removed');
    expect(await reconcile(parts, { configured: [KEPT] })).toMatchObject({ removedRegistries: [GONE] });
  });
});
