// The MCP registry reads a real istiod over a real API server: what it makes of entries, and what an outage does to it.
import { performance } from 'node:perf_hooks';

import type { Registry } from '../../lib/registries/registry';
import { firstReading, ReadingWatch } from '../support/reading-watch';
import { type IstioObject, IstioObjects } from './support/istiod/istio-objects';
import { accessIstiod, type McpAccess } from './support/istiod/mcp-access';
import { type Istiod, startIstiod } from './support/istiod/start-istiod';
import { type SpoilingRelay, startSpoilingRelay } from './support/istiod/start-spoiling-relay';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { logProgress } from './support/parts/log-progress';
import { waitUntil } from './support/processes/wait-until';

const BUILD_TIMEOUT_MS = 45 * 60_000;

let api: KubeApiServer;
let istiod: Istiod;
let access: McpAccess;
let objects: IstioObjects;
const watches: ReadingWatch[] = [];

beforeAll(async () => {
  api = await startKubeApiServer();
  istiod = await startIstiod({ api, configuration: 'custom-resources' });
  access = await accessIstiod(istiod);
  objects = new IstioObjects(api);
}, BUILD_TIMEOUT_MS);
afterEach(async () => {
  await Promise.all(watches.splice(0).map((watch) => watch.stop()));
  await objects.removeAll();
});
afterAll(async () => {
  await istiod.stop();
  await api.stop();
});

function watching(registry: Registry): ReadingWatch {
  const watch = new ReadingWatch(registry);
  watches.push(watch);
  return watch;
}

const ports = [{ number: 80, name: 'http', protocol: 'HTTP' }];

function entry(name: string, spec: object = {}): IstioObject {
  return {
    kind: 'ServiceEntry',
    metadata: { name, namespace: 'shop' },
    spec: {
      hosts: [`${name}.example.com`],
      ports,
      resolution: 'STATIC',
      endpoints: [{ address: '10.0.0.1' }],
      ...spec,
    },
  };
}

function machine(name: string, address: string, labels: Readonly<Record<string, string>> = { app: 'vm' }): IstioObject {
  return { kind: 'WorkloadEntry', metadata: { name, namespace: 'shop' }, spec: { address, labels } };
}

const keyOf = (name: string) => `shop/${name}.example.com`;

type Reading = Awaited<ReturnType<typeof firstReading>>;

function addressesOf(reading: Reading, name: string): readonly string[] | undefined {
  const snapshot = reading.snapshots.find(({ key }) => key === keyOf(name));
  return snapshot?.endpoints.map(({ addresses }) => addresses.join());
}

test('no entries at all are a complete reading, and the cluster’s own service is left out', async () => {
  expect(await firstReading(access.registry())).toMatchObject({ snapshots: [], unreadable: [], notes: [] });
});

test('entries that are added, changed and deleted are seen, each by one push', async () => {
  const watch = watching(access.registry());
  await watch.until(({ snapshots }) => snapshots.length === 0);

  await objects.create(entry('cart'));
  await watch.until((reading) => addressesOf(reading, 'cart')?.join() === '10.0.0.1');

  await objects.change(entry('cart', { endpoints: [{ address: '10.0.0.2' }, { address: '10.0.0.3' }] }));
  await watch.until((reading) => addressesOf(reading, 'cart')?.join() === '10.0.0.2,10.0.0.3');

  await objects.remove(entry('cart'));
  const end = await watch.until(({ snapshots }) => snapshots.length === 0, watch.readings.length);
  expect(end.reading.unreadable).toEqual([]);
});

test('machines come and go with their labels', async () => {
  const watch = watching(access.registry());
  await objects.create(
    entry('vms', { location: 'MESH_INTERNAL', endpoints: undefined, workloadSelector: { labels: { app: 'vm' } } }),
  );
  await objects.create(machine('vm-1', '10.1.0.1'));
  await watch.until((reading) => addressesOf(reading, 'vms')?.join() === '10.1.0.1');

  await objects.create(machine('vm-2', '10.1.0.2'));
  await watch.until((reading) => addressesOf(reading, 'vms')?.join() === '10.1.0.1,10.1.0.2');

  await objects.change(machine('vm-1', '10.1.0.1', { app: 'other' }));
  const { reading } = await watch.until((one) => addressesOf(one, 'vms')?.join() === '10.1.0.2');
  expect(reading.snapshots[0]!.sources).toEqual(['ServiceEntry/shop/vms', 'WorkloadEntry/shop/vm-2']);
});

test('labels, localities, export scopes and accounts come through', async () => {
  await objects.create({
    ...entry('full', {
      location: 'MESH_INTERNAL',
      exportTo: ['.', 'other'],
      subjectAltNames: ['spiffe://cluster.local/ns/shop/sa/cart'],
      endpoints: [
        {
          address: '10.0.0.1',
          labels: { app: 'cart' },
          locality: 'eu/a/r',
          network: 'vm',
          weight: 7,
          serviceAccount: 'cart',
        },
      ],
    }),
    metadata: { name: 'full', namespace: 'shop', labels: { team: 'shop' } },
  });
  const { reading } = await watching(access.registry()).until(({ snapshots }) => snapshots.length === 1);

  expect(reading.snapshots[0]).toMatchObject({
    service: {
      labels: { team: 'shop' },
      exportTo: ['.', 'other'],
      meshExternal: false,
      serviceAccounts: ['spiffe://cluster.local/ns/shop/sa/cart'],
    },
    endpoints: [
      {
        labels: { app: 'cart' },
        locality: 'eu/a/r',
        network: 'vm',
        weight: 7,
        serviceAccount: 'spiffe://cluster.local/ns/shop/sa/cart',
        tlsMode: 'istio',
      },
    ],
  });
});

test('an entry that istiod took although it is invalid is converted, with a note', async () => {
  await objects.create(entry('odd', { ports: [{ number: 80, name: 'http', protocol: 'SCTP' }] }));
  const { reading } = await watching(access.registry()).until(({ snapshots }) => snapshots.length === 1);

  expect(reading.notes).toMatchObject([{ code: 'InvalidEntry' }]);
  expect(addressesOf(reading, 'odd')).toEqual(['10.0.0.1']);
});

test('1,000 entries are one reading', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `many-${index}`);
  const queue = names[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const name of queue) await objects.create(entry(name));
    }),
  );
  await waitUntil({
    what: 'istiod has seen all entries',
    attempt: async () => ((await firstReading(access.registry())).snapshots.length === 1_000 ? true : undefined),
  });

  const start = performance.now();
  const { snapshots, unreadable, cost } = await firstReading(access.registry({}, 'poll'));
  logProgress(`MCP: 1,000 entries read anew in ${Math.round(performance.now() - start)} ms, ${cost.bytes} bytes`);

  expect(new Set(snapshots.map(({ key }) => key))).toEqual(new Set(names.map(keyOf)));
  expect(unreadable).toEqual([]);
}, 300_000);

test('pitfall 1: istiod is killed in the middle of a stream, and what it had is there when it is back', async () => {
  await objects.create(entry('cart'));
  const registry = access.registry();
  const watch = watching(registry);
  const before = await watch.until(({ snapshots }) => snapshots.length === 1);

  await istiod.kill();

  expect(await watch.ended).toMatchObject({
    code: expect.stringMatching(/^Mcp(StreamBroken|Unreachable|Stream)Error$/) as string,
    transient: true,
  });
  expect(watch.readings.at(-1)!.reading.snapshots).toHaveLength(1);
  await expect(firstReading(registry)).rejects.toMatchObject({ code: 'McpUnreachableError' });

  await istiod.start();
  expect((await firstReading(registry)).snapshots).toEqual(before.reading.snapshots);
});

test('istiod stops in the middle of a stream', async () => {
  const watch = watching(access.registry());
  await watch.until(() => true);
  await istiod.stop();
  expect(await watch.ended).toMatchObject({ transient: true });
  await istiod.start();
});

test('ends without an error when it is told to', async () => {
  const watch = watching(access.registry());
  await watch.until(() => true);
  const start = performance.now();
  await watch.stop();
  logProgress(`MCP: stream closed in ${Math.round(performance.now() - start)} ms`);
  expect(await watch.ended).toMatchObject({ name: 'AbortError' });
});

describe('pitfall 3: behind a relay that spoils an object', () => {
  let relay: SpoilingRelay;
  beforeAll(async () => {
    relay = await startSpoilingRelay(istiod);
  });
  afterEach(() => relay.spoiled.clear());
  afterAll(() => relay.stop());

  test('that object is unreadable, and the others are read', async () => {
    await objects.create(entry('cart'));
    await objects.create(entry('web'));
    const watch = watching(access.registryAt(`xds://${relay.address}`));
    await watch.until(({ snapshots }) => snapshots.length === 2);

    relay.spoiled.add('shop/cart');
    await objects.create(entry('new'));
    const { reading } = await watch.until(({ unreadable }) => unreadable.length > 0);

    expect(reading.unreadable).toMatchObject([{ source: 'ServiceEntry/shop/cart' }]);
    expect(reading.snapshots.map(({ key }) => key)).toEqual([keyOf('new'), keyOf('web')]);
  });

  test('istiod counts the refusal and goes on', async () => {
    await objects.create(entry('cart'));
    relay.spoiled.add('shop/cart');
    const watch = watching(access.registryAt(`xds://${relay.address}`));
    await watch.until(({ unreadable }) => unreadable.length > 0);

    relay.spoiled.clear();
    await objects.create(entry('web'));
    const { reading } = await watch.until(({ snapshots }) => snapshots.length === 2);

    expect(reading.unreadable).toEqual([]);
  });
});

test('several istiods are several registries', async () => {
  await objects.create(entry('cart'));
  const second = await startIstiod({ api, configuration: 'files' });
  const other = await accessIstiod(second);

  const [here, there] = await Promise.all([
    watching(access.registry()).until(({ snapshots }) => snapshots.length === 1),
    watching(other.registry()).until(() => true),
  ]);

  expect(here.reading.snapshots).toHaveLength(1);
  expect(there.reading.snapshots).toEqual([]);
  await second.stop();
});
