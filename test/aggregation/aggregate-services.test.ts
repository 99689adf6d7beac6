import { aggregateServices, type AggregationPorts } from '../../lib/aggregation/aggregate-services';
import { MemoryCatalogStore } from '../../lib/catalog/memory-catalog-store';
import { AppError } from '../../lib/model/app-error';
import type { CatalogRecord } from '../../lib/model/catalog-entry';
import type { RegistryId } from '../../lib/model/registry-id';
import type { ServiceKey } from '../../lib/model/service-key';
import { ItemTooLargeError, VersionConflictError } from '../../lib/model/store-errors';
import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { MemorySnapshotStore } from '../../lib/snapshots/memory-snapshot-store';
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import { CollectedLog } from '../support/collected-log';
import { ManualClock } from '../support/manual-clock';
import { endpoint, storedSnapshot, type SnapshotInput } from '../support/stored-snapshots';

const CART: ServiceKey = 'shop/cart.shop.svc.cluster.local';

/** The stage on memory stores; the ports' own methods can be replaced one by one. */
function setUp() {
  const clock = new ManualClock();
  const stores = {
    registries: new MemoryRegistryStore(),
    snapshots: new MemorySnapshotStore(clock),
    catalog: new MemoryCatalogStore(clock),
  };
  const log = new CollectedLog();
  const metrics = new MemoryMetrics();
  const ports: AggregationPorts = { ...stores, clock, log, metrics };
  return { ...stores, clock, log, metrics, ports };
}

type Stage = ReturnType<typeof setUp>;

async function addRegistry({ registries }: Stage, registry: RegistryId) {
  await registries.acquire({
    registry,
    owner: 'run-1',
    leaseUntil: '2026-11-30T13:00:00.000Z',
    runStartedAt: '2026-11-30T12:00:00.000Z',
    precedence: 0,
    mode: 'poll',
    configVersion: 'v1',
  });
}

/** What the registry says of a service of that name. */
function snapshotOf(registry: RegistryId, name = 'cart', input: SnapshotInput = {}) {
  const service = { hostname: `${name}.shop.svc.cluster.local`, name, ...input.service };
  return storedSnapshot(registry, { endpoints: [endpoint('10.0.0.1')], ...input, service });
}

async function read(stage: Stage, snapshot: ReturnType<typeof snapshotOf>) {
  await addRegistry(stage, snapshot.registry);
  await stage.snapshots.put(snapshot);
}

function linesOf({ log }: Stage, level: string) {
  return log.lines.filter((line) => line.level === level).map(({ message, facts }) => ({ message, ...facts }));
}

/** A method that does something else first. */
function before<Arguments extends readonly unknown[], Result>(
  first: () => unknown,
  then: (...args: Arguments) => Promise<Result>,
) {
  return async (...args: Arguments) => {
    await first();
    return then(...args);
  };
}

describe('aggregateServices', () => {
  test('writes what all registries say of a key', async () => {
    const stage = setUp();
    await read(stage, snapshotOf('Kubernetes/a'));
    await read(stage, snapshotOf('Consul/dc1', 'cart', { precedence: 3, endpoints: [endpoint('10.0.0.2')] }));
    const outcomes = await aggregateServices([CART], stage.ports);
    const version = stage.clock.now();
    expect(outcomes).toEqual([{ key: CART, result: 'written', version, conflicts: 0 }]);
    expect(await stage.catalog.get(CART)).toMatchObject({
      version,
      endpoints: [{ registry: 'Consul/dc1' }, { registry: 'Kubernetes/a' }],
      updatedAt: stage.clock.iso(),
    });
  });

  test('pitfall 25: looks again and writes nothing while nothing has changed', async () => {
    const stage = setUp();
    await read(stage, snapshotOf('Kubernetes/a'));
    await aggregateServices([CART], stage.ports);
    const put = jest.spyOn(stage.catalog, 'put');
    stage.clock.advance(1000);
    expect(await aggregateServices([CART], stage.ports)).toEqual([{ key: CART, result: 'unchanged' }]);
    expect(put).not.toHaveBeenCalled();
  });

  test('pitfall 17: of two sources one removed leaves the other, both removed leave a tombstone', async () => {
    const stage = setUp();
    const [a, b] = [snapshotOf('Consul/a'), snapshotOf('Consul/b', 'cart', { endpoints: [endpoint('10.0.0.2')] })];
    await read(stage, a);
    await read(stage, b);
    await aggregateServices([CART], stage.ports);
    const removal = { key: CART, generation: 1, pollId: 'poll-2', removedAt: '2026-11-30T12:00:01.000Z' };

    await stage.snapshots.remove({ ...removal, registry: 'Consul/a' });
    await aggregateServices([CART], stage.ports);
    expect(await stage.catalog.get(CART)).toMatchObject({ endpoints: [{ registry: 'Consul/b' }] });

    await stage.snapshots.remove({ ...removal, registry: 'Consul/b', pollId: 'poll-3' });
    const [outcome] = await aggregateServices([CART], stage.ports);
    expect(outcome).toMatchObject({ result: 'written', conflicts: 0 });
    expect(await stage.catalog.get(CART)).toMatchObject({
      deleted: true,
      cause: { registry: 'Consul/b', pollId: 'poll-3', observedAt: '2026-11-30T12:00:01.000Z' },
    });
    expect(await aggregateServices([CART], stage.ports)).toEqual([{ key: CART, result: 'unchanged' }]);
  });

  test('a key that nobody knows is unchanged', async () => {
    const stage = setUp();
    expect(await aggregateServices([CART], stage.ports)).toEqual([{ key: CART, result: 'unchanged' }]);
  });

  test('pitfall 1: a registry whose row is lost keeps what it brought', async () => {
    const stage = setUp();
    await read(stage, snapshotOf('Kubernetes/a'));
    await aggregateServices([CART], stage.ports);
    const ports = { ...stage.ports, registries: { list: () => Promise.resolve([]) } };
    expect(await aggregateServices([CART], ports)).toEqual([{ key: CART, result: 'unchanged' }]);
  });

  test('a key named twice is looked at once', async () => {
    const stage = setUp();
    await read(stage, snapshotOf('Kubernetes/a'));
    const get = jest.spyOn(stage.catalog, 'get');
    expect(await aggregateServices([CART, CART], stage.ports)).toHaveLength(1);
    expect(get).toHaveBeenCalledTimes(1);
  });

  test('reads the entry first, then the registries once, then the snapshots of all keys', async () => {
    const stage = setUp();
    await read(stage, snapshotOf('Kubernetes/a'));
    await read(stage, snapshotOf('Kubernetes/a', 'basket'));
    const calls: string[] = [];
    const { registries, snapshots, catalog } = stage;
    const note = (call: string) => () => calls.push(call);
    await aggregateServices([CART, 'shop/basket.shop.svc.cluster.local'], {
      ...stage.ports,
      catalog: {
        get: before(note('entry'), (key) => catalog.get(key)),
        put: before(note('put'), (record, expected) => catalog.put(record, expected)),
      },
      registries: { list: before(note('registries'), () => registries.list()) },
      snapshots: { getMany: before(note('snapshots'), (addresses) => snapshots.getMany(addresses)) },
    });
    expect(calls).toEqual(['entry', 'entry', 'registries', 'snapshots', 'put', 'put']);
  });

  describe('pitfall 22: when somebody else writes the entry meanwhile', () => {
    test('starts again at the entry, with the registries that there are then', async () => {
      const stage = setUp();
      await read(stage, snapshotOf('Kubernetes/a'));
      let overtaken = false;
      const { catalog } = stage;
      const ports: AggregationPorts = {
        ...stage.ports,
        catalog: {
          get: (key) => catalog.get(key),
          put: before(
            async () => {
              if (overtaken) return;
              overtaken = true;
              await read(stage, snapshotOf('Kubernetes/b', 'cart', { precedence: 1 }));
              await aggregateServices([CART], stage.ports);
            },
            (record, expected) => catalog.put(record, expected),
          ),
        },
      };
      expect(await aggregateServices([CART], ports)).toEqual([{ key: CART, result: 'unchanged' }]);
      expect(await catalog.get(CART)).toMatchObject({
        endpoints: [{ registry: 'Kubernetes/a' }, { registry: 'Kubernetes/b' }],
      });
    });

    test('gives up after five looks, for a later delivery', async () => {
      const stage = setUp();
      await read(stage, snapshotOf('Kubernetes/a'));
      const put = jest.fn((record: CatalogRecord) =>
        Promise.reject(new VersionConflictError('Catalog', record.key, undefined)),
      );
      const ports = { ...stage.ports, catalog: { get: () => Promise.resolve(undefined), put } };
      expect(await aggregateServices([CART], ports)).toEqual([
        {
          key: CART,
          result: 'failed',
          transient: true,
          error: { code: 'VersionConflictError', message: `Catalog item ${CART} is no longer at version none` },
        },
      ]);
      expect(put).toHaveBeenCalledTimes(5);
    });
  });

  describe('one bad key harms no other', () => {
    const BAD: ServiceKey = 'shop/bad.shop.svc.cluster.local';
    const poison = new AppError('Catalog item is no item', { code: 'ItemUnreadableError' });

    async function withTwo() {
      const stage = setUp();
      await read(stage, snapshotOf('Kubernetes/a'));
      await read(stage, snapshotOf('Kubernetes/a', 'bad'));
      return stage;
    }

    const failed = { key: BAD, result: 'failed', transient: false };

    test('when its entry cannot be read', async () => {
      const stage = await withTwo();
      const { catalog } = stage;
      const ports = {
        ...stage.ports,
        catalog: {
          get: (key: ServiceKey) => (key === BAD ? Promise.reject(poison) : catalog.get(key)),
          put: catalog.put.bind(catalog),
        },
      };
      const outcomes = await aggregateServices([BAD, CART], ports);
      expect(outcomes).toEqual([
        { ...failed, error: { code: 'ItemUnreadableError', message: 'Catalog item is no item' } },
        expect.objectContaining({ key: CART, result: 'written' }),
      ]);
    });

    test('when its snapshot cannot be read', async () => {
      const stage = await withTwo();
      const { snapshots } = stage;
      const getMany = jest.fn((addresses: Parameters<typeof snapshots.getMany>[0]) =>
        addresses.some(({ key }) => key === BAD) ? Promise.reject(poison) : snapshots.getMany(addresses),
      );
      const outcomes = await aggregateServices([BAD, CART], { ...stage.ports, snapshots: { getMany } });
      expect(outcomes).toEqual([
        expect.objectContaining(failed),
        expect.objectContaining({ key: CART, result: 'written' }),
      ]);
      expect(getMany).toHaveBeenCalledTimes(3);
      expect(stage.metrics.sum('AggregateFailures')).toBe(1);
      expect(stage.metrics.sum('ItemsTooLarge')).toBe(0);
      expect(linesOf(stage, 'info')).toEqual([
        { message: 'Services aggregated', keys: 2, written: 1, unchanged: 0, failed: 1 },
      ]);
    });

    test('when its entry is too large', async () => {
      const stage = await withTwo();
      const { catalog } = stage;
      const ports = {
        ...stage.ports,
        catalog: {
          get: catalog.get.bind(catalog),
          put: (record: CatalogRecord, expected: number | undefined) =>
            record.key === BAD
              ? Promise.reject(new ItemTooLargeError('Catalog', BAD, 500_000))
              : catalog.put(record, expected),
        },
      };
      const outcomes = await aggregateServices([CART, BAD], ports);
      expect(outcomes).toEqual([
        expect.objectContaining(failed),
        expect.objectContaining({ key: CART, result: 'written' }),
      ]);
      expect(stage.metrics.sum('ItemsTooLarge')).toBe(1);
      expect(linesOf(stage, 'error')).toEqual([
        {
          message: 'Service not aggregated',
          key: BAD,
          code: 'ItemTooLargeError',
          reason: new ItemTooLargeError('Catalog', BAD, 500_000).message,
          transient: false,
        },
      ]);
    });
  });

  describe('when nothing can be read for now', () => {
    const throttled = new AppError('Too fast', { code: 'DynamoDbError', transient: true });

    const refuse = () => Promise.reject(throttled);

    test.each<[string, (ask: typeof refuse) => Partial<AggregationPorts>]>([
      ['the registries', (ask) => ({ registries: { list: ask } })],
      ['the snapshots', (ask) => ({ snapshots: { getMany: ask } })],
    ])('%s, all keys are left to a later delivery and none is asked for alone', async (_what, broken) => {
      const stage = setUp();
      await read(stage, snapshotOf('Kubernetes/a'));
      const ask = jest.fn(refuse);
      const outcomes = await aggregateServices([CART, 'shop/other'], { ...stage.ports, ...broken(ask) });
      expect(ask).toHaveBeenCalledTimes(1);
      const error = { code: 'DynamoDbError', message: 'Too fast' };
      expect(outcomes).toEqual([
        { key: CART, result: 'failed', transient: true, error },
        { key: 'shop/other', result: 'failed', transient: true, error },
      ]);
      expect(await stage.catalog.get(CART)).toBeUndefined();
    });
  });

  test('takes any number of keys, a hundred at a time', async () => {
    const stage = setUp();
    await addRegistry(stage, 'Kubernetes/a');
    const names = Array.from({ length: 201 }, (_, index) => `s${index}`);
    for (const name of names) await stage.snapshots.put(snapshotOf('Kubernetes/a', name));
    const getMany = jest.spyOn(stage.snapshots, 'getMany');
    const outcomes = await aggregateServices(
      names.map((name): ServiceKey => `shop/${name}.shop.svc.cluster.local`),
      stage.ports,
    );
    expect(outcomes.filter(({ result }) => result === 'written')).toHaveLength(201);
    expect(getMany.mock.calls.map(([addresses]) => addresses.length)).toEqual([100, 100, 1]);
  });

  test('says what it did in one line and in metrics, zeros included', async () => {
    const stage = setUp();
    await read(stage, snapshotOf('Kubernetes/a', 'cart', { pollId: 'poll-7' }));
    await read(stage, snapshotOf('Consul/dc1', 'cart', { precedence: 1, service: { resolution: 'DNSLB' } }));
    await aggregateServices([CART, 'shop/unknown'], stage.ports);
    expect(linesOf(stage, 'info')).toEqual([
      { message: 'Services aggregated', keys: 2, written: 1, unchanged: 1, failed: 0 },
    ]);
    expect(linesOf(stage, 'debug')).toEqual([
      { message: 'Catalog entry written', key: CART, version: stage.clock.now(), pollId: 'poll-1', deleted: false },
    ]);
    for (const [name, value] of [
      ['AggregateRuns', 1],
      ['AggregateFailures', 0],
      ['CatalogWrites', 1],
      ['Conflicts', 1],
      ['ItemsTooLarge', 0],
    ] as const) {
      expect([name, stage.metrics.sum(name)]).toEqual([name, value]);
    }
  });

  test('logs what could not go into an entry when it is written', async () => {
    const stage = setUp();
    await read(stage, snapshotOf('Consul/dc1', 'cart', { endpoints: [endpoint('10.0.0.1', { servicePort: 'x' })] }));
    await aggregateServices([CART], stage.ports);
    await aggregateServices([CART], stage.ports);
    expect(linesOf(stage, 'warn')).toEqual([
      {
        message: 'Left out of the catalog',
        key: CART,
        version: stage.clock.now(),
        code: 'EndpointPortUnknown',
        note: `Endpoints (1: 10.0.0.1) of ${CART} in Consul/dc1 name the port "x", which the service does not have there; left out`,
      },
    ]);
  });
});
