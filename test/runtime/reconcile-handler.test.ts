import { MemoryCatalogStore } from '../../lib/catalog/memory-catalog-store';
import { MemoryChangeStore } from '../../lib/changes/memory-change-store';
import { MemoryPublishedStore } from '../../lib/changes/memory-published-store';
import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import { reconcileHandler, type ReconcileEvent } from '../../lib/runtime/reconcile-handler';
import { MemorySnapshotStore } from '../../lib/snapshots/memory-snapshot-store';
import { CollectedEvents } from '../support/collected-events';
import { CollectedLog } from '../support/collected-log';
import { lambdaContext } from '../support/lambda-context';
import { ManualClock } from '../support/manual-clock';
import { storedSnapshot } from '../support/stored-snapshots';

async function setUp() {
  const clock = new ManualClock();
  const again: ReconcileEvent[] = [];
  const parts = {
    registries: new MemoryRegistryStore(),
    snapshots: new MemorySnapshotStore(clock),
    catalog: new MemoryCatalogStore(clock),
    published: new MemoryPublishedStore(clock),
    changes: new MemoryChangeStore(clock),
    events: new CollectedEvents(),
    clock,
    log: new CollectedLog(),
    metrics: new MemoryMetrics(),
    invokeAgain: (event: ReconcileEvent) => Promise.resolve(void again.push(event)),
  };
  const leaseUntil = clock.iso();
  const lease = { leaseUntil, runStartedAt: leaseUntil, precedence: 0, mode: 'poll', configVersion: 'one' } as const;
  await parts.registries.acquire({ registry: 'Mock/demo', owner: 'poller', ...lease });
  await parts.registries.release({ registry: 'Mock/demo', owner: 'poller', generation: 1 }, { state: 'synced' });
  await parts.snapshots.put({ ...storedSnapshot('Mock/demo'), generation: 1 });
  const handler = reconcileHandler(parts);
  const invoke = (event: object, remainingMs?: number) => handler(event, lambdaContext(remainingMs));
  return { ...parts, again, invoke };
}

test('does what the stages have left undone, and nothing when it is called again', async () => {
  const { invoke, events, metrics } = await setUp();

  await expect(invoke({ registries: ['Mock/demo'] })).resolves.toMatchObject({ keys: 1, repaired: 1, complete: true });
  expect(events.types).toEqual(['Service Added']);
  await expect(invoke({ registries: ['Mock/demo'] })).resolves.toMatchObject({ keys: 1, repaired: 0, complete: true });
  expect(events.types).toEqual(['Service Added']);
  expect(metrics.sum('ReconcileRuns')).toBe(2);
  expect(metrics.sum('ReconcileFailures')).toBe(0);
});

test('pitfall 15: a registry that left the configuration is taken out of the catalog', async () => {
  const { invoke, events, registries } = await setUp();
  await invoke({ registries: ['Mock/demo'] });

  await expect(invoke({ registries: [] })).resolves.toMatchObject({ removedRegistries: ['Mock/demo'] });
  await expect(registries.get('Mock/demo')).resolves.toMatchObject({ state: 'removed' });
  expect(events.types).toEqual(['Service Added', 'Service Deleted']);
});

test('without time left it leaves the rest to an invocation more', async () => {
  const { invoke, again, events } = await setUp();
  const event = { registries: ['Mock/demo'], after: 'a/a' };

  await expect(invoke(event, 0)).resolves.toMatchObject({ complete: false });
  expect(again).toEqual([event]);
  expect(events.types).toEqual([]);
});

test('a round that breaks off is counted as a failure', async () => {
  const parts = await setUp();
  jest.spyOn(parts.registries, 'list').mockRejectedValue(new Error('throttled'));

  await expect(parts.invoke({ registries: ['Mock/demo'] })).rejects.toThrow('throttled');
  expect(parts.metrics.sum('ReconcileRuns')).toBe(1);
  expect(parts.metrics.sum('ReconcileFailures')).toBe(1);
});
