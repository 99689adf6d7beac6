import type { FullReading } from '../../../lib/registries/registry';
import { MockRegistry } from '../../../lib/registries/mock/mock-registry';
import type { Fault, MockSettings } from '../../../lib/registries/mock/settings';
import { AppError } from '../../../lib/model/app-error';
import { formatAddress } from '../../../lib/model/ip-address';
import { VirtualClock } from '../../support/virtual-clock';

const names = { domainSuffix: 'cluster.local', trustDomain: 'cluster.local' };

function mock(settings: MockSettings = {}, cluster = 'demo', clock = new VirtualClock()): MockRegistry {
  return new MockRegistry({ cluster, names, settings, clock });
}

async function readOnce(registry: MockRegistry): Promise<FullReading> {
  for await (const reading of registry.read(new AbortController().signal)) return reading;
  throw new Error('no reading');
}

async function readings(settings: MockSettings, count: number): Promise<readonly FullReading[]> {
  const registry = mock(settings);
  const all: FullReading[] = [];
  for (let number = 0; number < count; number += 1) all.push(await readOnce(registry));
  return all;
}

const faulty = (...faults: readonly Fault[]): MockSettings => ({ services: 100, endpoints: 400, faults: [...faults] });

const keys = (reading: FullReading): readonly string[] => reading.snapshots.map(({ key }) => key);
const workloads = (reading: FullReading): readonly string[] =>
  reading.snapshots.flatMap(({ endpoints }) =>
    endpoints.map(({ workload }) => `${workload.namespace}/${workload.name}`),
  );

describe('the two test services', () => {
  test('are hello and world, with 24 instances', async () => {
    const { snapshots, unreadable, notes, cost } = await readOnce(mock());
    expect({ unreadable, notes, cost }).toEqual({ unreadable: [], notes: [], cost: { requests: 1, bytes: 0 } });
    expect(snapshots.map(({ key, registry, sources }) => ({ key, registry, sources }))).toEqual([
      { key: 'default/hello.default.svc.cluster.local', registry: 'Mock/demo', sources: ['services/default/hello'] },
      { key: 'default/world.default.svc.cluster.local', registry: 'Mock/demo', sources: ['services/default/world'] },
    ]);
    expect(snapshots.map(({ service }) => [service.name, service.address, service.resolution])).toEqual([
      ['hello', '10.1.0.0', 'ClientSideLB'],
      ['world', '10.2.0.0', 'ClientSideLB'],
    ]);
    expect(snapshots.flatMap(({ endpoints }) => endpoints)).toHaveLength(24);
  });

  test('have the ports of the walkthrough', async () => {
    const { snapshots } = await readOnce(mock());
    const ports = [
      'http 80 HTTP TCP',
      'http-status 81 HTTP TCP',
      'custom 90 TCP TCP',
      'mongo 100 Mongo TCP',
      'redis 110 Redis TCP',
      'mysql 120 MySQL TCP',
    ];
    for (const { service } of snapshots) {
      expect(
        service.ports.map(({ name, number, protocol, transport }) => `${name} ${number} ${protocol} ${transport}`),
      ).toEqual(ports);
    }
  });

  test.each([
    [0, 'hello', '10.1'],
    [1, 'world', '10.2'],
  ])('service %d (%s): addresses %s.1.0 and .1, target ports, versions and locality', async (index, name, network) => {
    const { snapshots } = await readOnce(mock());
    const found = snapshots[index]?.endpoints.map(
      (endpoint) =>
        `${endpoint.servicePort} ${formatAddress(endpoint.addresses[0] ?? '', endpoint.port)} ${endpoint.labels.version ?? ''} ${endpoint.locality} ${endpoint.workload.namespace}/${endpoint.workload.name}`,
    );
    const targets = { custom: 1090, http: 80, 'http-status': 1081, mongo: 1100, mysql: 1120, redis: 1110 };
    const expected = ['v0', 'v1'].flatMap((version, number) =>
      Object.entries(targets).map(
        ([port, target]) =>
          `${port} ${network}.1.${number}:${target} ${version} region/zone default/${name}-${version}`,
      ),
    );
    expect(found?.toSorted()).toEqual(expected.toSorted());
  });

  test('world has two accounts, hello has none', async () => {
    const { snapshots } = await readOnce(mock());
    expect(snapshots.map(({ service }) => service.serviceAccounts)).toEqual([
      [],
      ['spiffe://cluster.local/ns/default/sa/serviceaccount1', 'spiffe://cluster.local/ns/default/sa/serviceaccount2'],
    ]);
  });

  test('domain suffix and trust domain are those of the configuration', async () => {
    const registry = new MockRegistry({
      cluster: 'demo',
      names: { domainSuffix: 'mesh', trustDomain: 'corp' },
      settings: {},
      clock: new VirtualClock(),
    });
    const { snapshots } = await readOnce(registry);
    expect(snapshots[1]).toMatchObject({
      key: 'default/world.default.svc.mesh',
      service: { serviceAccounts: [expect.stringContaining('spiffe://corp/'), expect.anything()] },
    });
  });
});

describe('a fleet', () => {
  test('has the services and endpoints asked for, spread evenly, each endpoint at an address of its own', async () => {
    const { snapshots } = await readOnce(mock({ services: 300, endpoints: 1000 }));
    expect(new Set(snapshots.map(({ key }) => key)).size).toBe(300);
    const sizes = snapshots.map(({ endpoints }) => endpoints.length);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([3, 4]);
    const addresses = snapshots.flatMap(({ endpoints }) => endpoints.map(({ addresses: [address] }) => address));
    expect(addresses).toHaveLength(1000);
    expect(new Set(addresses).size).toBe(1000);
  });

  test('has two endpoints a service when nothing is said, and may have none', async () => {
    const count = async (settings: MockSettings) => workloads(await readOnce(mock(settings))).length;
    expect(await count({ services: 7 })).toBe(14);
    expect(await count({ services: 7, endpoints: 0 })).toBe(0);
    expect(await count({ endpoints: 3 })).toBe(3);
  });

  test('of clusters with other numbers has the same services at other addresses', async () => {
    const read = (cluster: string) => readOnce(mock({ services: 3, endpoints: 9 }, cluster));
    const [a, b] = [await read('fleet-1'), await read('fleet-2')];
    expect(keys(a)).toEqual(keys(b));
    const addresses = [a, b].flatMap(({ snapshots }) =>
      snapshots.flatMap(({ endpoints }) => endpoints.map(({ addresses: [address] }) => address)),
    );
    expect(new Set(addresses).size).toBe(18);
  });

  test('comes in the order of its keys', async () => {
    const reading = await readOnce(mock({ services: 120 }));
    expect(keys(reading)).toEqual([...keys(reading)].sort());
  });

  test('is the same in every reading', async () => {
    const [first, second] = await readings({ services: 20, endpoints: 50 }, 2);
    expect(second).toEqual(first);
  });
});

describe('faults', () => {
  test('error: that share of the readings fails, the same ones for the same seed', async () => {
    const outcomes = async (seed: number) => {
      const registry = mock(faulty({ type: 'error', rate: 0.5, seed }));
      const failed: number[] = [];
      for (let number = 1; number <= 40; number += 1) {
        await readOnce(registry).catch(() => failed.push(number));
      }
      return failed;
    };
    const failed = await outcomes(1);
    expect(failed.length).toBeGreaterThan(8);
    expect(failed.length).toBeLessThan(32);
    expect(await outcomes(1)).toEqual(failed);
    expect(await outcomes(2)).not.toEqual(failed);
  });

  test.each([
    ['never', 0, false],
    ['always', 1, true],
  ])('error at rate %s', async (_, rate, fails) => {
    const code = await readOnce(mock(faulty({ type: 'error', rate }))).then(
      () => undefined,
      (error: unknown) => (error instanceof AppError && error.transient ? error.code : 'another error'),
    );
    expect(code).toBe(fails ? 'MockError' : undefined);
  });

  test('pitfall 5: empty is a complete reading without services', async () => {
    expect((await readings(faulty({ type: 'empty' }), 1))[0]).toMatchObject({ snapshots: [], unreadable: [] });
  });

  test('truncate leaves services out without a word', async () => {
    const [reading] = await readings(faulty({ type: 'truncate', share: 0.3 }), 1);
    expect(reading?.snapshots.length).toBeGreaterThan(50);
    expect(reading?.snapshots.length).toBeLessThan(90);
    expect(reading?.unreadable).toEqual([]);
  });

  test('partial names what is missing as unreadable', async () => {
    const [reading] = await readings(faulty({ type: 'partial', share: 0.3 }), 1);
    const sources = [
      ...reading!.snapshots.flatMap((snapshot) => snapshot.sources),
      ...reading!.unreadable.map(({ source }) => source),
    ];
    expect(reading!.unreadable.length).toBeGreaterThan(10);
    expect(new Set(sources).size).toBe(100);
    expect(sources).toHaveLength(100);
  });

  test('churn replaces its share of the endpoints each reading, never the number of them', async () => {
    const [before, first, second] = await readings(faulty({ type: 'churn', share: 0.25, from: 2 }), 3);
    const replaced = (a: FullReading, b: FullReading) => {
      const known = new Set(workloads(a));
      return workloads(b).filter((workload) => !known.has(workload)).length;
    };
    for (const count of [replaced(before!, first!), replaced(first!, second!)]) {
      expect(count).toBeGreaterThan(60);
      expect(count).toBeLessThan(140);
    }
    expect(workloads(second!)).toHaveLength(400);
    expect(keys(second!)).toEqual(keys(before!));
  });

  test('flap takes its share of the endpoints away in every other reading', async () => {
    const counts = (await readings(faulty({ type: 'flap', share: 0.5, from: 2 }), 5)).map(
      (reading) => workloads(reading).length,
    );
    expect(counts[0]).toBe(400);
    expect(counts[1]).toBeLessThan(260);
    expect(counts.slice(1)).toEqual([counts[1], 400, counts[1], 400]);
  });

  test('reorder changes the order of what is read and nothing else', async () => {
    const settings = { services: 20, endpoints: 100 };
    const plain = await readOnce(mock(settings));
    const mixed = await readOnce(mock({ ...settings, faults: [{ type: 'reorder' }] }));
    expect(keys(mixed)).not.toEqual(keys(plain));
    const byKey = ({ snapshots }: FullReading) => snapshots.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    expect(byKey(mixed)).toEqual(byKey(plain));
  });

  test('latency makes a reading take up to its delay; a signal ends it without a reading', async () => {
    const clock = new VirtualClock();
    const start = clock.now();
    const registry = mock({ faults: [{ type: 'latency', delay: 1000, seed: 7 }] }, 'demo', clock);
    await clock.until(readOnce(registry));
    expect(clock.now() - start).toBeGreaterThan(0);
    expect(clock.now() - start).toBeLessThanOrEqual(1000);
    const stop = new AbortController();
    const second = (async () => {
      const found: unknown[] = [];
      for await (const reading of registry.read(stop.signal)) found.push(reading);
      return found;
    })();
    await clock.advance(0);
    stop.abort();
    expect(await second).toEqual([]);
  });

  test('act from and until the readings that are named', async () => {
    const sizes = (await readings(faulty({ type: 'empty', from: 2, until: 3 }), 4)).map(
      ({ snapshots }) => snapshots.length,
    );
    expect(sizes).toEqual([100, 0, 0, 100]);
  });

  test('several act one after the other', async () => {
    const faults: readonly Fault[] = [{ type: 'partial', share: 0.5 }, { type: 'empty' }];
    const [reading] = await readings(faulty(...faults), 1);
    expect(reading?.snapshots).toEqual([]);
    expect(reading?.unreadable.length).toBeGreaterThan(0);
  });
});
