// From the API server to the catalog and the change events: all stages in one process, over real API servers.
import type { ServiceChangeEvent } from '../../lib/changes/pilotless-event';
import { parseServiceKey } from '../../lib/model/service-key';
import { DEFAULT_PACE } from '../../lib/registries/kubernetes/pace-changes';
import { systemClock } from '../../lib/runtime/system-clock';
import { cli } from '../support/collected-io';
import { EmbeddedRun } from './support/embedded/embedded-run';
import { TableRequests } from './support/embedded/table-requests';
import { installIstioCustomResourceDefinitions } from './support/istiod/install-istio-crds';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { type Creation, createInBulk } from './support/kubernetes/bulk-writer';
import { ClusterWriter } from './support/kubernetes/cluster-writer';
import { logProgress } from './support/parts/log-progress';
import { processorWaitMs } from './support/processes/processor-wait';
import { waitUntil } from './support/processes/wait-until';

const START_TIMEOUT_MS = 45 * 60_000;
/** 40 changes for the better: the endpoints of a service grow to ten, are gone, and grow again. */
const ROUNDS = 4;
const LARGEST = 10;
const FLEET = 1_000;

let api: KubeApiServer;
/** With Istio's custom resources. */
let second: KubeApiServer;
beforeAll(async () => {
  [api, second] = await Promise.all([startKubeApiServer(), startKubeApiServer()]);
  await installIstioCustomResourceDefinitions(second);
}, START_TIMEOUT_MS);
afterAll(() => Promise.all([api.stop(), second.stop()]));

const runs: EmbeddedRun[] = [];
afterEach(async () => {
  await Promise.all(runs.splice(0).map(({ server }) => server.stop()));
});

type Cluster = { readonly cluster: string; readonly api: KubeApiServer; readonly settings?: object };

/** All stages over these clusters. */
async function run(...clusters: readonly Cluster[]): Promise<EmbeddedRun> {
  const registries = await Promise.all(
    clusters.map(async ({ cluster, api: own, settings }) => ({
      provider: 'Kubernetes',
      cluster,
      kubeconfig: await own.writeKubeConfig(),
      ...settings,
    })),
  );
  const started = await EmbeddedRun.start(JSON.stringify({ registries }));
  runs.push(started);
  return started;
}

function keyOf(namespace: string, name: string) {
  return `${namespace}/${name}.${namespace}.svc.cluster.local` as const;
}

function isOf(key: string, type?: string) {
  return (event: ServiceChangeEvent) => event.detail.service.key === key && (type === undefined || event.type === type);
}

type Delay = { readonly ms: number; /** Part of it that this process had no processor. */ readonly waited: number };

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** Prints the delays, and returns the median of what they come to on a processor of one's own. */
function report(what: string, delays: readonly Delay[]): number {
  const times = delays.map(({ ms }) => ms);
  const own = median(delays.map(({ ms, waited }) => ms - waited));
  logProgress(
    `Kubernetes, ${what}: ${median(times).toFixed(1)} ms from the API server's answer to the change event at the median of ${delays.length}, ` +
      `${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)}; ${own.toFixed(1)} ms without waiting for a processor`,
  );
  return own;
}

describe('from the answer of the API server to the change event', () => {
  let shop: ClusterWriter;
  beforeAll(async () => {
    shop = await ClusterWriter.start(api, 'latency');
    await shop.service('cart');
    await shop.slice('cart-x', 'cart', {});
  });

  /** Makes the slice list so many addresses, and says how long the event took. */
  async function resize(embedded: EmbeddedRun, count: number): Promise<Delay> {
    await systemClock.delay(150); // a quiet time, as there is between two changes of one service
    const seen = embedded.events.length;
    const told = embedded.expectTimeOfEvent(`${count} endpoints`, seen, isOf(keyOf('latency', 'cart')));
    const endpoints = Array.from({ length: count }, (_, index) => ({ addresses: [`10.200.0.${index + 1}`] }));
    await shop.edit('endpointslices', 'cart-x', (slice) => ({ ...slice, endpoints }));
    const answeredAt = performance.now();
    const waitedBefore = processorWaitMs();
    const ms = (await told) - answeredAt;
    const waited = processorWaitMs() - waitedBefore;
    expect(embedded.events.slice(seen)).toMatchObject([
      { type: 'Endpoints Changed', detail: { change: { endpoints: { after: count } } } },
    ]);
    return { ms, waited };
  }

  test.each([
    ['few services', 0],
    [`${FLEET} services`, FLEET],
  ])(
    'an endpoint more, among %s, is told at once; an endpoint less a breath later',
    async (fleet, size) => {
      await createInBulk(api, fleetOf(size));
      const embedded = await run({ cluster: 'prod', api });
      await waitUntil({
        what: 'the whole fleet has been told',
        timeoutMs: 120_000,
        attempt: () => Promise.resolve(embedded.events.length > size || undefined),
      });
      const more: Delay[] = [];
      const less: Delay[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        for (let count = 1; count <= LARGEST; count += 1) more.push(await resize(embedded, count));
        less.push(await resize(embedded, 0));
      }
      report(`${fleet}, an endpoint more`, more);
      // No timer ends early: what takes endpoints away waits for a breath.
      expect(report(`${fleet}, all endpoints gone`, less)).toBeGreaterThan(DEFAULT_PACE.quietMs / 2);
    },
    300_000,
  );
});

describe('with the ServiceEntries of the cluster', () => {
  const settings = { serviceEntries: true };
  const entry = (host: string, more: object = {}) => ({
    spec: {
      hosts: [host],
      location: 'MESH_INTERNAL',
      resolution: 'STATIC',
      ports: [{ number: 443, name: 'https', protocol: 'TLS', targetPort: 8443 }],
      ...more,
    },
  });

  test('of which it has none: an empty registry and a note, and no error', async () => {
    const shop = await ClusterWriter.start(api, 'plain');
    await shop.service('cart');
    const only = { ...settings, namespaces: { include: ['plain'] } };
    const embedded = await run({ cluster: 'prod', api, settings: only });
    expect((await embedded.server.catalog.getService(keyOf('plain', 'cart'))).data).toBeDefined();
    expect(await embedded.server.catalog.registries()).toMatchObject([
      { registry: 'Kubernetes/prod', state: 'synced', unreadable: [] },
      { registry: 'External/prod', state: 'synced', services: 0, unreadable: [] },
      { registry: 'External/default', state: 'synced' },
    ]);
    const noted = embedded.log.lines.flatMap(({ facts }) => (facts.notes === undefined ? [] : [facts]));
    expect(noted).toMatchObject([
      {
        registry: expect.stringMatching('/prod$') as unknown,
        notes: { ResourceNotServed: expect.any(Number) as unknown },
      },
      {
        registry: expect.stringMatching('/prod$') as unknown,
        notes: { ResourceNotServed: expect.any(Number) as unknown },
      },
    ]);
    expect(embedded.log.messages('error')).toEqual([]);
    expect(embedded.log.messages('warn')).toEqual([]);
  }, 60_000);

  test('they end in the catalog with the WorkloadEntries and Pods that they select, as a registry of their own', async () => {
    const shop = await ClusterWriter.start(second, 'entries');
    await shop.service('pay', { clusterIP: '10.0.7.1' });
    await shop.create(
      'serviceentries',
      'pay',
      entry('pay.example.com', { workloadSelector: { labels: { app: 'pay' } } }),
    );
    await shop.create('workloadentries', 'vm-1', { spec: { address: '172.16.6.1', labels: { app: 'pay' } } });
    const embedded = await run({ cluster: 'prod', api: second, settings });
    const endpointsOf = async (key: string) =>
      (await embedded.server.catalog.getService(parseServiceKey(key).key)).data?.endpoints.map(
        ({ addresses, port, registry }) => `${addresses.join('+')}:${port} ${registry}`,
      );
    expect(await endpointsOf('entries/pay.example.com')).toEqual(['172.16.6.1:8443 External/prod']);
    expect(await endpointsOf(keyOf('entries', 'pay'))).toEqual(['172.16.6.1:8080 Kubernetes/prod']);

    const seen = embedded.events.length;
    await shop.pod('pay-0', ['10.6.0.1'], { labels: { app: 'pay' } });
    const event = await embedded.expectEvent('the Pod', seen, isOf('entries/pay.example.com'));
    expect(event).toMatchObject({
      type: 'Service Updated',
      detail: {
        metadata: { cause: { registry: 'External/prod' } },
        change: { fields: ['endpoints', 'serviceAccounts'], endpoints: { before: 1, after: 2 } },
      },
    });
    expect(await endpointsOf('entries/pay.example.com')).toEqual([
      '10.6.0.1:8443 External/prod',
      '172.16.6.1:8443 External/prod',
    ]);
  }, 60_000);

  test('its removals are held, shown, and approved by its own id', async () => {
    const shop = await ClusterWriter.start(second, 'held');
    const names = Array.from({ length: 15 }, (_, number) => `e-${number}`);
    for (const name of names) await shop.create('serviceentries', name, entry(`${name}.example.com`));
    await shop.service('stays');
    const only = { ...settings, namespaces: { include: ['held'] } };
    const embedded = await run({ cluster: 'prod', api: second, settings: only });
    const command = async (...words: string[]) => {
      const result = await cli([...words, '--endpoint-url', embedded.server.endpoint]);
      expect([words, result.code, result.err]).toEqual([words, 0, expect.anything()]);
      return result;
    };
    for (const name of names) await shop.remove('serviceentries', name);
    const held = await waitUntil({
      what: 'all that are left are held',
      attempt: async () => {
        const rows = await embedded.server.catalog.registries();
        const row = rows.find(({ registry }) => registry === 'External/prod');
        return row?.held?.services === row?.services ? row?.held?.services : undefined;
      },
    });
    expect((await command('registries')).out).toMatch(/External\/prod +degraded/);
    expect((await command('registries')).out).toMatch(/Kubernetes\/prod +synced/);
    await command('sync', 'External/prod');
    const { err } = await command('approve', 'External/prod');
    expect(err).toBe(`Approved for External/prod: ${held} services and 0 endpoints go with the next reading.`);
    await waitUntil({
      what: 'they are gone',
      attempt: async () => (await embedded.server.catalog.services()).data.length === 1 || undefined,
    });
    expect((await embedded.server.catalog.services()).data).toMatchObject([{ name: 'stays' }]);
  }, 120_000);
});

describe('an idle minute', () => {
  test('pitfall 7, 25: nothing is listed, and nothing is written but the rows', async () => {
    const shop = await ClusterWriter.start(second, 'idle');
    await shop.service('cart');
    const registries = [
      {
        provider: 'Kubernetes',
        cluster: 'prod',
        kubeconfig: await second.writeKubeConfig(),
        serviceEntries: true,
      },
      { provider: 'External', cluster: 'resting', paused: true },
    ];
    const tables = new TableRequests();
    const watches = async () =>
      (await second.auditEvents()).filter(({ verb, stage }) => verb === 'watch' && stage === 'ResponseStarted').length;
    const before = await watches();
    const embedded = await EmbeddedRun.start(JSON.stringify({ registries }));
    runs.push(embedded);
    // Both of WorkloadEntries, Pods, nodes and namespaces; one of services and slices, one of ServiceEntries.
    await waitUntil({
      what: 'all watches are open',
      attempt: async () => (await watches()) - before >= 6 + 5 || undefined,
    });
    const [asked, written] = [(await second.auditEvents()).length, tables.requests.length];

    await systemClock.delay(60_000);

    const requests = (await second.auditEvents()).slice(asked).map(({ verb }) => verb);
    const counts = tables.counts(written);
    tables.end();
    logProgress(
      `Kubernetes, an idle minute of two watching registries: requests to the API server ${JSON.stringify(requests)}, to the tables ${JSON.stringify(counts)}`,
    );
    expect(requests).toEqual([]);
    const writes = Object.keys(counts).filter((name) => !/^(GetItem|BatchGetItem|Query|Scan) /.test(name));
    expect(writes).toEqual(['UpdateItem Registries']);
    // A lease is renewed each 10 s, and an account of the streams is given once a minute.
    expect(counts['UpdateItem Registries']).toBeLessThanOrEqual(2 * (6 + 2));
  }, 150_000);
});

describe('pitfalls 10 and 15: two clusters with one service', () => {
  test('one goes away and comes back: its part of the service stays, and what they disagree on is told', async () => {
    const key = keyOf('shared', 'cart');
    const here = await ClusterWriter.start(api, 'shared');
    const there = await ClusterWriter.start(second, 'shared');
    await here.service('cart', { clusterIP: '10.0.5.1' });
    await here.slice('cart-x', 'cart', {}, { endpoints: [{ addresses: ['10.1.0.1'] }] });
    await there.service('cart', {
      clusterIP: '10.0.5.2',
      ports: [
        { name: 'tcp', port: 80 },
        { name: 'grpc', port: 90 },
      ],
    });
    await there.slice(
      'cart-x',
      'cart',
      {},
      { ports: [{ name: 'tcp', port: 8080 }], endpoints: [{ addresses: ['10.2.0.1'] }] },
    );
    const settings = { namespaces: { include: ['shared'] } };
    const embedded = await run({ cluster: 'one', api, settings }, { cluster: 'two', api: second, settings });
    const entry = async () => (await embedded.server.catalog.getService(key)).data;
    const whole = {
      clusterVips: { one: ['10.0.5.1'], two: ['10.0.5.2'] },
      ports: [
        { name: 'http', number: 80, protocol: 'HTTP' },
        { name: 'grpc', number: 90, protocol: 'GRPC' },
      ],
      endpoints: [
        { addresses: ['10.1.0.1'], registry: 'Kubernetes/one' },
        { addresses: ['10.2.0.1'], registry: 'Kubernetes/two' },
      ],
    };
    expect(await entry()).toMatchObject(whole);
    expect((await entry())?.conflicts.map(({ type, field, losers }) => [type, field, losers[0]?.registry])).toEqual([
      ['PortConflict', 'ports/TCP/80', 'Kubernetes/two'],
      ['ProtocolConflict', 'ports/TCP/80', 'Kubernetes/two'],
    ]);

    const version = (await entry())?.version;
    await second.kill();
    await waitUntil({
      what: 'the cluster is known to be away',
      timeoutMs: 60_000,
      attempt: async () =>
        (await embedded.server.catalog.services()).completeness.failed.includes('Kubernetes/two') || undefined,
    });
    expect(await entry()).toMatchObject({ ...whole, version });
    const seen = embedded.events.length;
    await here.service('other');
    await embedded.expectEvent('the other cluster goes on', seen, isOf(keyOf('shared', 'other'), 'Service Added'));

    await second.start();
    await there.edit('endpointslices', 'cart-x', (slice) => ({
      ...slice,
      endpoints: [{ addresses: ['10.2.0.1'] }, { addresses: ['10.2.0.2'] }],
    }));
    const event = await embedded.expectEvent('it is back', seen, isOf(key, 'Endpoints Changed'));
    expect(event.detail.change.endpoints.counts).toEqual({ added: 1, removed: 0, changed: 0 });
    expect(embedded.events.filter(({ type }) => type === 'Service Deleted')).toEqual([]);
    expect((await entry())?.clusterVips).toEqual(whole.clusterVips);
    expect((await embedded.server.catalog.services()).completeness.failed).toEqual([]);
  }, 180_000);
});

function fleetOf(size: number): readonly Creation[] {
  return Array.from({ length: size }, (_, number) => [
    {
      folder: '/api/v1/namespaces/latency/services',
      manifest: {
        metadata: { name: `svc-${number}` },
        spec: { clusterIP: 'None', ports: [{ name: 'http', port: 80 }] },
      },
    },
    {
      folder: '/apis/discovery.k8s.io/v1/namespaces/latency/endpointslices',
      manifest: {
        metadata: { name: `svc-${number}-x`, labels: { 'kubernetes.io/service-name': `svc-${number}` } },
        addressType: 'IPv4',
        ports: [{ name: 'http', port: 8080 }],
        endpoints: [{ addresses: [`10.${64 + (number >> 8)}.${number & 255}.1`] }],
      },
    },
  ]).flat();
}
