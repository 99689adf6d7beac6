// From a change of an entry to the change event: the embedded server over a real istiod, beside istiod's own push.
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import { systemClock } from '../../lib/runtime/system-clock';
import { parseConfiguration } from '../../lib/bootstrap/parse-configuration';
import { PROVIDERS } from '../../lib/bootstrap/providers';
import type { ServiceChangeEvent } from '../../lib/changes/pilotless-event';
import { EmbeddedServer } from '../../lib/embedded/embedded-server';
import { CollectedLog } from '../support/collected-log';
import { ReadingWatch } from '../support/reading-watch';
import { type IstioObject, IstioObjects } from './support/istiod/istio-objects';
import { accessIstiod, type McpAccess } from './support/istiod/mcp-access';
import { type Istiod, startIstiod } from './support/istiod/start-istiod';
import { startSpoilingRelay } from './support/istiod/start-spoiling-relay';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { logProgress } from './support/parts/log-progress';
import { waitUntil } from './support/processes/wait-until';

const BUILD_TIMEOUT_MS = 45 * 60_000;
const CHANGES = 20;
const FLEET = 1_000;

let api: KubeApiServer;
let istiod: Istiod;
let access: McpAccess;
let objects: IstioObjects;
const servers: EmbeddedServer[] = [];

beforeAll(async () => {
  api = await startKubeApiServer();
  istiod = await startIstiod({ api, configuration: 'custom-resources' });
  access = await accessIstiod(istiod);
  objects = new IstioObjects(api);
}, BUILD_TIMEOUT_MS);
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  await objects.removeAll();
}, 120_000);
afterAll(async () => {
  await istiod.stop();
  await api.stop();
});

type SeenEvent = { readonly event: ServiceChangeEvent; readonly at: number };

/** A server over the registry, with the changes that it tells. */
async function serve(
  settings: Readonly<Record<string, unknown>>,
): Promise<{ server: EmbeddedServer; seen: SeenEvent[] }> {
  const document = JSON.stringify({ registries: [{ provider: 'MCP', cluster: 'istiod', ...settings }] });
  const { configuration } = parseConfiguration(document, { file: 'test', definitions: PROVIDERS });
  const server = await EmbeddedServer.open({
    configuration,
    providers: PROVIDERS,
    baseDir: access.folder,
    clock: systemClock,
    log: new CollectedLog(),
    metrics: new MemoryMetrics(),
  });
  servers.push(server);
  const seen: SeenEvent[] = [];
  server.appendServiceHandler((event) => void seen.push({ event, at: performance.now() }));
  await server.start();
  await server.firstReadings(AbortSignal.timeout(10_000));
  return { server, seen };
}

function entry(name: string, address = '10.0.0.1'): IstioObject {
  return {
    kind: 'ServiceEntry',
    metadata: { name, namespace: 'shop' },
    spec: {
      hosts: [`${name}.example.com`],
      ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
      resolution: 'STATIC',
      endpoints: [{ address }],
    },
  };
}

const keyOf = (name: string) => `shop/${name}.example.com`;

function eventOf(seen: readonly SeenEvent[], type: string, name: string): Promise<SeenEvent> {
  return waitUntil({
    what: `${type} of ${name}`,
    attempt: () =>
      Promise.resolve(seen.find(({ event }) => event.type === type && event.detail.service.key === keyOf(name))),
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** Changes the entry's endpoint again and again, and says how long istiod's push and our event took each time. */
async function measure(seen: SeenEvent[], what: string): Promise<void> {
  const bare = new ReadingWatch(access.registry());
  await bare.until(({ snapshots }) => snapshots.some(({ key }) => key === keyOf('cart')));
  const times: { readonly push: number; readonly event: number }[] = [];
  for (let n = 0; n < CHANGES; n += 1) {
    const address = `10.1.0.${n + 1}`;
    const before = seen.length;
    await objects.change(entry('cart', address));
    const start = performance.now();
    const push = await bare.until((reading) =>
      reading.snapshots.some(({ key, endpoints }) => key === keyOf('cart') && endpoints[0]?.addresses[0] === address),
    );
    const event = await waitUntil({
      what: 'the change event',
      attempt: () =>
        Promise.resolve(seen.slice(before).find(({ event: one }) => one.detail.service.key === keyOf('cart'))),
    });
    times.push({ push: push.at - start, event: event.at - start });
  }
  await bare.stop();
  const medians = {
    push: median(times.map(({ push }) => push)),
    event: median(times.map(({ event }) => event)),
    between: median(times.map(({ push, event }) => event - push)),
  };
  logProgress(
    `MCP, ${what}: from the API server's answer to istiod's push ${medians.push.toFixed(1)} ms, to the change event ${medians.event.toFixed(1)} ms (${medians.between.toFixed(1)} ms after the push); medians of ${CHANGES} changes`,
  );
  expect(times).toHaveLength(CHANGES);
}

test('pitfall 27: a change of an entry becomes a change event, and its deletion one by its real key', async () => {
  await objects.create(entry('cart'));
  const { server, seen } = await serve(access.settings);
  await eventOf(seen, 'Service Added', 'cart');

  await measure(seen, 'few entries');

  await objects.remove(entry('cart'));
  await eventOf(seen, 'Service Deleted', 'cart');
  expect((await server.catalog.services()).data).toEqual([]);
}, 120_000);

test('of 1,000 entries one that changes becomes one event', async () => {
  const names = Array.from({ length: FLEET - 1 }, (_, index) => `many-${index}`);
  const queue = ['cart', ...names][Symbol.iterator]();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const name of queue) await objects.create(entry(name));
    }),
  );
  const { server, seen } = await serve(access.settings);
  await waitUntil({
    what: 'all entries are in the catalog',
    timeoutMs: 60_000,
    attempt: async () => ((await server.catalog.services()).data.length === FLEET ? true : undefined),
  });
  await waitUntil({ what: 'all are told', attempt: () => Promise.resolve(seen.length === FLEET || undefined) });

  await measure(seen, `${FLEET} entries`);

  const later = seen.slice(FLEET);
  expect(new Set(later.map(({ event }) => event.detail.service.key))).toEqual(new Set([keyOf('cart')]));
  expect(later).toHaveLength(CHANGES);
}, 300_000);

test('pitfall 1: istiod is killed, and what it had stays until it is back', async () => {
  await objects.create(entry('cart'));
  const { server, seen } = await serve(access.settings);
  await eventOf(seen, 'Service Added', 'cart');

  await istiod.kill();
  await waitUntil({
    what: 'the registry has failed',
    attempt: async () => ((await server.catalog.services()).completeness.failed.length > 0 ? true : undefined),
  });
  expect((await server.catalog.services()).data).toMatchObject([{ hostname: 'cart.example.com' }]);

  await istiod.start();
  await objects.change(entry('cart', '10.0.0.2'));
  await eventOf(seen, 'Endpoints Changed', 'cart');
  expect(seen.map(({ event }) => event.type)).toEqual(['Service Added', 'Endpoints Changed']);
}, 120_000);

test('pitfall 3: an object that cannot be decoded keeps its service, and the others go on', async () => {
  const relay = await startSpoilingRelay(istiod);
  await objects.create(entry('cart'));
  await objects.create(entry('web'));
  const { server, seen } = await serve({ address: `xds://${relay.address}`, interval: '5s' });
  await eventOf(seen, 'Service Added', 'cart');
  await eventOf(seen, 'Service Added', 'web');

  relay.spoiled.add('shop/cart');
  await objects.change(entry('cart', '10.0.0.2'));
  await objects.remove(entry('web'));
  await eventOf(seen, 'Service Deleted', 'web');

  const { data: services, completeness } = await server.catalog.services();
  expect(services).toMatchObject([{ hostname: 'cart.example.com', endpoints: [{ addresses: ['10.0.0.1'] }] }]);
  expect(completeness.degraded).toHaveLength(1);

  relay.spoiled.clear();
  await eventOf(seen, 'Endpoints Changed', 'cart');
  relay.stop();
}, 120_000);
