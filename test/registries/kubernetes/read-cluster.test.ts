import type { DeltaReading, FullReading, RegistryReading } from '../../../lib/registries/registry';
import { ClusterState } from '../../../lib/registries/kubernetes/cluster-state';
import { EntriesState } from '../../../lib/registries/kubernetes/entries-state';
import { KubernetesApiServer } from '../../../lib/registries/kubernetes/kubernetes-api-server';
import { DEFAULT_PACE } from '../../../lib/registries/kubernetes/pace-changes';
import { readCluster, type ClusterPlan } from '../../../lib/registries/kubernetes/read-cluster';
import { RequestBudget } from '../../../lib/registries/request-budget';
import type { Selection } from '../../../lib/registries/kubernetes/resource-sources';
import { DEFAULT_WATCH_TIMING, type WatchTiming } from '../../../lib/registries/kubernetes/watch-timing';
import { systemClock } from '../../../lib/runtime/system-clock';
import { FakeApiServer, forbidden, statusBody } from '../../support/fake-api-server';
import {
  namespaceManifest,
  nodeManifest,
  podManifest,
  serviceEntryManifest,
  serviceManifest,
  sliceManifest,
  workloadEntryManifest,
} from '../../support/kube-manifests';

type Wishes = {
  readonly mode?: 'poll' | 'watch';
  readonly selection?: Partial<Selection>;
  readonly timing?: Partial<WatchTiming>;
  readonly pageSize?: number;
};

const CART = 'shop/cart.shop.svc.cluster.local';

let server: FakeApiServer;
let stop: AbortController;
beforeEach(async () => {
  server = await FakeApiServer.start();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await server.stop();
});

function read({
  mode = 'watch',
  selection = {},
  timing = {},
  pageSize = 500,
}: Wishes = {}): AsyncIterator<RegistryReading> {
  const choice = {
    namespaces: { include: [], exclude: [] },
    workloads: true,
    serviceEntries: false,
    services: 'kubernetes',
    ...selection,
  } as const;
  const conversion = {
    cluster: 'prod',
    domainSuffix: 'cluster.local',
    trustDomain: 'cluster.local',
    network: '',
    systemNamespace: 'istio-system',
    publishUnhealthy: false,
    workloads: choice.workloads,
    serviceEntries: choice.serviceEntries,
  };
  const plan: ClusterPlan = {
    mode,
    selection: choice,
    makeState: () => (choice.services === 'entries' ? new EntriesState(conversion) : new ClusterState(conversion)),
    pageSize,
    timing: { ...DEFAULT_WATCH_TIMING, backoffMs: { first: 1, max: 10 }, ...timing },
    pace: { ...DEFAULT_PACE, quietMs: 5 },
  };
  const budget = new RequestBudget({ maxConcurrency: 10, requestsPerSecond: 1_000 }, systemClock);
  return readCluster(new KubernetesApiServer(server.access(), budget), plan, systemClock, stop.signal);
}

async function next(readings: AsyncIterator<RegistryReading>): Promise<RegistryReading> {
  const result = await readings.next();
  if (result.done === true) throw new Error('there is no further reading');
  return result.value;
}

async function full(readings: AsyncIterator<RegistryReading>): Promise<FullReading> {
  const reading = await next(readings);
  if (reading.type !== 'full') throw new Error(`a ${reading.type} reading where a full one was expected`);
  return reading;
}

async function delta(readings: AsyncIterator<RegistryReading>): Promise<DeltaReading> {
  const reading = await next(readings);
  if (reading.type !== 'delta') throw new Error(`a ${reading.type} reading where a delta was expected`);
  return reading;
}

function addressesOf({ snapshots }: FullReading, key = CART): readonly string[] | undefined {
  return snapshots.find((snapshot) => snapshot.key === key)?.endpoints.map(({ addresses }) => addresses.join('+'));
}

function upserted({ upserts }: DeltaReading): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    upserts.map(({ key, endpoints }) => [key, endpoints.map(({ addresses }) => addresses.join('+'))]),
  );
}

/** Keys of the deltas up to the first that removes something. */
async function untilRemoved(readings: AsyncIterator<RegistryReading>) {
  const upserts: string[] = [];
  for (;;) {
    const reading = await delta(readings);
    upserts.push(...reading.upserts.map(({ key }) => key));
    if (reading.removals.length > 0) return { upserts, removals: reading.removals };
  }
}

function paths(pattern: RegExp): readonly string[] {
  return server.requests.filter((request) => pattern.test(request));
}

function putCart(): void {
  server.put('nodes', nodeManifest());
  server.put('namespaces', namespaceManifest());
  server.put('services', serviceManifest());
  server.put('pods', podManifest('cart-0', '10.1.0.1'));
  server.put('endpointslices', sliceManifest([{ addresses: ['10.1.0.1'], pod: 'cart-0' }]));
}

const two = () =>
  sliceManifest([
    { addresses: ['10.1.0.1'], pod: 'cart-0' },
    { addresses: ['10.1.0.2'], pod: 'cart-1' },
  ]);

describe('poll mode', () => {
  test('is one full reading: one list of each kind, slices before Pods', async () => {
    putCart();
    const readings = read({ mode: 'poll' });
    const reading = await full(readings);
    expect(addressesOf(reading)).toEqual(['10.1.0.1']);
    expect(reading.snapshots[0]?.endpoints[0]?.locality).toBe('eu-west-1/eu-west-1a/');
    expect(reading).toMatchObject({ unreadable: [], notes: [] });
    expect(reading.cost.requests).toBe(5);
    await expect(readings.next()).resolves.toEqual({ value: undefined, done: true });
    expect(server.requests.map((request) => request.split('?')[0])).toEqual([
      '/apis/discovery.k8s.io/v1/endpointslices',
      '/api/v1/services',
      '/api/v1/pods',
      '/api/v1/nodes',
      '/api/v1/namespaces',
    ]);
  });

  test('without workloads, services and slices are all that is read', async () => {
    putCart();
    const reading = await full(read({ mode: 'poll', selection: { workloads: false } }));
    expect(addressesOf(reading)).toEqual(['10.1.0.1']);
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    { rule: 'none', count: 0, requests: 1 },
    { rule: 'one', count: 1, requests: 1 },
    { rule: 'a page', count: 5, requests: 1 },
    { rule: 'a page and one', count: 6, requests: 2 },
    { rule: 'ten pages', count: 50, requests: 10 },
  ])('pitfall 2: $rule is read to the end', async ({ count, requests }) => {
    for (let n = 0; n < count; n += 1) server.put('services', serviceManifest({ metadata: { name: `s-${n}` } }));
    const reading = await full(read({ mode: 'poll', pageSize: 5 }));
    expect(reading.snapshots).toHaveLength(count);
    expect(paths(/services/)).toHaveLength(requests);
  });

  test('a page token that expires leads to a new list, in one answer', async () => {
    for (let n = 0; n < 12; n += 1) server.put('services', serviceManifest({ metadata: { name: `s-${n}` } }));
    server.trouble(/services.*continue/, { status: 410, body: statusBody(410, 'Expired', 'too old') }, 1);
    const reading = await full(read({ mode: 'poll', pageSize: 5 }));
    expect(reading.snapshots).toHaveLength(12);
    expect(paths(/services/)).toEqual([
      '/api/v1/services?limit=5',
      expect.stringContaining('continue='),
      '/api/v1/services',
    ]);
  });

  test('pitfall 1: a list that fails fails the reading, whichever it is', async () => {
    for (const resource of ['services', 'endpointslices', 'pods', 'nodes', 'namespaces']) {
      server.calm();
      server.trouble(new RegExp(`/${resource}\\?`), { status: 500, body: statusBody(500, 'InternalError', 'boom') });
      await expect(next(read({ mode: 'poll' }))).rejects.toThrow(
        `/${resource}, the API server answered with status 500: boom`,
      );
    }
  });
});

describe('which namespaces', () => {
  const other = serviceManifest({ metadata: { namespace: 'other', name: 'x' } });

  test('those included are asked for one by one', async () => {
    putCart();
    server.put('services', other);
    const { snapshots } = await full(
      read({ mode: 'poll', selection: { namespaces: { include: ['shop', 'empty', 'not'], exclude: ['not'] } } }),
    );
    expect(snapshots.map(({ key }) => key)).toEqual([CART]);
    expect(paths(/services|pods/)).toEqual([
      '/api/v1/namespaces/shop/services?limit=500',
      '/api/v1/namespaces/empty/services?limit=500',
      '/api/v1/namespaces/shop/pods?limit=500&fieldSelector=status.phase%21%3DFailed',
      '/api/v1/namespaces/empty/pods?limit=500&fieldSelector=status.phase%21%3DFailed',
    ]);
  });

  test('those excluded are left out by the server, and services are chosen by label', async () => {
    putCart();
    server.put('services', other);
    const { snapshots } = await full(
      read({ mode: 'poll', selection: { namespaces: { include: [], exclude: ['other', 'b'] }, labelSelector: 'a=b' } }),
    );
    expect(snapshots.map(({ key }) => key)).toEqual([CART]);
    expect(paths(/services|nodes/)).toEqual([
      '/api/v1/services?limit=500&fieldSelector=metadata.namespace%21%3Dother%2Cmetadata.namespace%21%3Db&labelSelector=a%3Db',
      '/api/v1/nodes?limit=500',
    ]);
  });
});

describe('watch mode', () => {
  test('tells of each change, and of nothing else', async () => {
    putCart();
    const readings = read();
    await full(readings);
    server.put('pods', podManifest('cart-1', '10.1.0.2'));
    server.put('endpointslices', two());
    expect(upserted(await delta(readings))).toEqual({ [CART]: ['10.1.0.1', '10.1.0.2'] });
    server.put('services', serviceManifest({ metadata: { name: 'new' } }));
    expect(upserted(await delta(readings))).toEqual({ 'shop/new.shop.svc.cluster.local': [] });
    server.put('pods', podManifest('cart-0', '10.1.0.1', { metadata: { labels: { app: 'cart', v: '2' } } }));
    const relabelled = await delta(readings);
    expect(relabelled.upserts[0]?.endpoints[0]?.labels).toEqual({ app: 'cart', v: '2' });
    server.put('nodes', nodeManifest('node-a', { 'topology.istio.io/subzone': 's' }));
    const moved = await delta(readings);
    expect(moved.upserts[0]?.endpoints.map(({ locality }) => locality)).toEqual([
      'eu-west-1/eu-west-1a/s',
      'eu-west-1/eu-west-1a/s',
    ]);
    server.remove('endpointslices', 'cart-1');
    expect(upserted(await delta(readings))).toEqual({ [CART]: [] });
    server.remove('services', 'cart');
    expect(await delta(readings)).toMatchObject({ upserts: [], removals: [CART] });
  });

  test('pitfall 21: 0 ↔ 1 endpoints is never a removal', async () => {
    putCart();
    const readings = read();
    await full(readings);
    server.put('endpointslices', sliceManifest([]));
    expect(await delta(readings)).toMatchObject({ removals: [], upserts: [{ key: CART, endpoints: [] }] });
    server.put('endpointslices', sliceManifest([{ addresses: ['10.1.0.1'], pod: 'cart-0' }]));
    expect(upserted(await delta(readings))).toEqual({ [CART]: ['10.1.0.1'] });
  });

  test('a service that goes and comes within a moment is one change at most', async () => {
    putCart();
    const readings = read();
    await full(readings);
    server.remove('services', 'cart');
    server.put('services', serviceManifest({ metadata: { labels: { again: 'yes' } } }));
    expect(await delta(readings)).toMatchObject({ removals: [], upserts: [{ service: { labels: { again: 'yes' } } }] });
  });

  test('pitfall 36: an endpoint withheld for want of its Pod comes with the Pod', async () => {
    putCart();
    const readings = read();
    await full(readings);
    server.put('endpointslices', two());
    await server.until(() => paths(/endpointslices.*watch/).length > 0);
    server.put('pods', podManifest('cart-1', '10.1.0.2'));
    expect(upserted(await delta(readings))).toEqual({ [CART]: ['10.1.0.1', '10.1.0.2'] });
  });

  test('pitfall 7: when nothing happens, nothing is asked', async () => {
    putCart();
    const readings = read();
    await full(readings);
    for (const resource of ['services', 'endpointslices', 'pods', 'nodes', 'namespaces'] as const)
      await server.watched(resource);
    expect(server.requests).toHaveLength(10);
    server.bookmark('services');
    server.put('services', serviceManifest({ metadata: { name: 'new' } }));
    await delta(readings);
    expect(server.requests).toHaveLength(10);
  });

  test('a sign of life says that all streams are open, and what was asked', async () => {
    putCart();
    const readings = read({ timing: { heartbeatMs: 20 } });
    await full(readings);
    expect(await delta(readings)).toMatchObject({ upserts: [], removals: [], notes: [], cost: { requests: 5 } });
    expect(await delta(readings)).toMatchObject({ upserts: [], removals: [], notes: [], cost: { requests: 0 } });
  });

  test('ends without an error when the signal aborts, and nothing stays open', async () => {
    putCart();
    const readings = read();
    await full(readings);
    const last = readings.next();
    await server.watched('pods');
    stop.abort();
    await expect(last).resolves.toEqual({ value: undefined, done: true });
  });
});

describe('a stream that breaks', () => {
  test('is resumed at the last version, and what happened meanwhile is not lost', async () => {
    putCart();
    const readings = read();
    await full(readings);
    await server.watched('services');
    server.put('services', serviceManifest({ metadata: { labels: { n: '1' } } }));
    await delta(readings);
    server.endWatches('services');
    server.put('services', serviceManifest({ metadata: { labels: { n: '2' } } }));
    expect((await delta(readings)).upserts[0]?.service.labels).toEqual({ n: '2' });
    expect(
      paths(/services/).map((request) => new URLSearchParams(request.split('?')[1]).get('resourceVersion')),
    ).toEqual([null, '6', '7']);
  });

  test('is resumed at the last bookmark', async () => {
    putCart();
    const readings = read();
    await full(readings);
    await server.watched('services');
    server.put('namespaces', namespaceManifest('elsewhere'));
    server.bookmark('services');
    server.put('services', serviceManifest({ metadata: { name: 'x' } }));
    await delta(readings);
    server.endWatches('services', true);
    await server.until(() => paths(/services.*watch/).length === 2);
    expect(paths(/services.*resourceVersion=8/)).toHaveLength(1);
  });

  test('is resumed when it falls silent', async () => {
    putCart();
    const readings = read({ timing: { silenceMs: 50 } });
    await full(readings);
    await server.watched('services');
    server.mute('services');
    server.put('services', serviceManifest({ metadata: { labels: { n: '1' } } }));
    expect((await delta(readings)).upserts[0]?.service.labels).toEqual({ n: '1' });
  });

  test('is read anew when its version is forgotten: no event is lost, no deletion invented', async () => {
    putCart();
    server.put('services', serviceManifest({ metadata: { name: 'old' } }));
    const readings = read();
    await full(readings);
    await server.watched('services');
    server.endWatches('services');
    server.put('services', serviceManifest({ metadata: { name: 'new' } }));
    server.remove('services', 'old');
    server.compact();
    const told = await untilRemoved(readings);
    expect(told.removals).toEqual(['shop/old.shop.svc.cluster.local']);
    expect(told.upserts).toEqual(['shop/new.shop.svc.cluster.local']);
    expect(paths(/services\?limit/)).toHaveLength(2);
  });

  test('that cannot be resumed fails the reading after a while', async () => {
    putCart();
    const readings = read({ timing: { outageMs: 40 } });
    await full(readings);
    await server.watched('pods');
    server.trouble(/pods/, { status: 503, body: statusBody(503, 'ServiceUnavailable', 'no etcd') });
    server.endWatches('pods');
    await expect(readings.next()).rejects.toThrow(
      'Asked to watch /api/v1/pods, the API server answered with status 503: no etcd',
    );
  });

  test('and is resumed before that counts as alive again', async () => {
    putCart();
    const readings = read({ timing: { outageMs: 10_000 } });
    await full(readings);
    await server.watched('services');
    server.trouble(/services/, { status: 503, body: statusBody(503, 'ServiceUnavailable', 'no etcd') }, 3);
    server.endWatches('services');
    server.put('services', serviceManifest({ metadata: { labels: { n: '1' } } }));
    expect((await delta(readings)).upserts[0]?.service.labels).toEqual({ n: '1' });
    expect(paths(/services.*watch/)).toHaveLength(5);
  });
});

describe('permissions', () => {
  test('services of one namespace forbidden: that source is unreadable, with the permission that is missing', async () => {
    putCart();
    server.trouble(/other\/services/, forbidden('services'));
    const reading = await full(
      read({ mode: 'poll', selection: { namespaces: { include: ['shop', 'other'], exclude: [] } } }),
    );
    expect(reading.unreadable).toEqual([
      {
        source: 'services/other',
        reason:
          'Missing permission to list services in namespace other: services is forbidden: User "u" cannot do that',
      },
    ]);
    expect(addressesOf(reading)).toEqual(['10.1.0.1']);
  });

  test('slices forbidden everywhere: everything below is unreadable', async () => {
    putCart();
    server.trouble(/endpointslices/, forbidden('endpointslices'));
    const reading = await full(read({ mode: 'poll' }));
    expect(reading.unreadable).toEqual([
      {
        source: 'endpointslices/',
        reason:
          'Missing permission to list endpointslices.discovery.k8s.io in the whole cluster: endpointslices is forbidden: User "u" cannot do that',
      },
    ]);
    expect(reading.snapshots[0]?.sources).toContain('endpointslices/shop');
  });

  test.each(['pods', 'nodes', 'namespaces'] as const)('%s forbidden: a note, and all else', async (resource) => {
    putCart();
    server.trouble(new RegExp(`/${resource}\\?`), forbidden(resource));
    const reading = await full(read({ mode: 'poll' }));
    expect(reading.unreadable).toEqual([]);
    expect(reading.notes).toEqual([
      {
        code: 'PermissionMissing',
        message: `Missing permission to list ${resource} in the whole cluster: ${resource} is forbidden: User "u" cannot do that; endpoints go without what ${resource} tell`,
      },
    ]);
    expect(addressesOf(reading)).toEqual(['10.1.0.1']);
  });

  test('given back, it is noticed: a full reading without anything unreadable', async () => {
    putCart();
    server.trouble(/services/, forbidden('services'), 1);
    const readings = read({ timing: { retryMs: 5 } });
    expect((await full(readings)).unreadable).toHaveLength(1);
    const later = await full(readings);
    expect(later.unreadable).toEqual([]);
    expect(addressesOf(later)).toEqual(['10.1.0.1']);
  });

  test('to Pods, given back: endpoints have what the Pods tell', async () => {
    putCart();
    server.trouble(/pods/, forbidden('pods'), 1);
    const readings = read({ timing: { retryMs: 5 } });
    expect((await full(readings)).snapshots[0]?.endpoints[0]?.serviceAccount).toBe('');
    expect((await full(readings)).snapshots[0]?.endpoints[0]?.serviceAccount).toBe(
      'spiffe://cluster.local/ns/shop/sa/cart',
    );
  });

  test('taken away while watching: unreadable, and what was known still stands', async () => {
    putCart();
    const readings = read({ timing: { retryMs: 100_000 } });
    await full(readings);
    await server.watched('services');
    server.trouble(/services/, forbidden('services'));
    server.endWatches('services', true);
    const reading = await full(readings);
    expect(reading.unreadable).toEqual([
      { source: 'services/', reason: expect.stringContaining('Missing permission to watch services') as string },
    ]);
    expect(addressesOf(reading)).toEqual(['10.1.0.1']);
  });
});

describe('custom resources', () => {
  test('WorkloadEntries that a service selects are its endpoints', async () => {
    putCart();
    server.put('workloadentries', workloadEntryManifest());
    const readings = read({ selection: { serviceEntries: true } });
    expect(addressesOf(await full(readings))).toEqual(['10.1.0.1', '172.16.0.1']);
    await server.watched('workloadentries');
    server.remove('workloadentries', 'vm-1');
    expect(upserted(await delta(readings))).toEqual({ [CART]: ['10.1.0.1'] });
  });

  test('a cluster that does not have them: a note, until it does', async () => {
    putCart();
    server.put('workloadentries', workloadEntryManifest());
    server.trouble(/workloadentries/, { status: 404, body: '404 page not found' }, 1);
    const readings = read({ selection: { serviceEntries: true }, timing: { retryMs: 5 } });
    const reading = await full(readings);
    expect(reading.unreadable).toEqual([]);
    expect(reading.notes).toEqual([
      {
        code: 'ResourceNotServed',
        message: 'The cluster does not serve /apis/networking.istio.io/v1/workloadentries (404); read again when it is',
      },
    ]);
    expect(addressesOf(await full(readings))).toEqual(['10.1.0.1', '172.16.0.1']);
  });

  test('a resource of Kubernetes itself that is not served is a failure', async () => {
    server.trouble(/endpointslices/, { status: 404, body: '404 page not found' });
    await expect(next(read({ mode: 'poll' }))).rejects.toThrow(
      'does not serve /apis/discovery.k8s.io/v1/endpointslices',
    );
  });
});

describe('ServiceEntries of a cluster', () => {
  const selection = { services: 'entries', serviceEntries: true } as const;
  const PAY = 'shop/pay.example.com';
  const putPay = () =>
    server.put(
      'serviceentries',
      serviceEntryManifest('pay', { spec: { workloadSelector: { labels: { app: 'cart' } } } }),
    );

  test('with the WorkloadEntries and Pods that they choose', async () => {
    putPay();
    server.put('pods', podManifest('cart-0', '10.1.0.1'));
    const readings = read({ selection });
    const reading = await full(readings);
    expect(reading.unreadable).toEqual([]);
    expect(addressesOf(reading, PAY)).toEqual(['10.1.0.1']);
    server.put('workloadentries', workloadEntryManifest());
    expect(upserted(await delta(readings))).toEqual({ [PAY]: ['10.1.0.1', '172.16.0.1'] });
    server.remove('serviceentries', 'pay');
    expect(await delta(readings)).toMatchObject({ upserts: [], removals: [PAY] });
  });

  test('in a cluster that does not have them: nothing, with notes', async () => {
    server.trouble(/entries/, { status: 404, body: '404 page not found' });
    const reading = await full(read({ mode: 'poll', selection }));
    expect(reading).toMatchObject({ snapshots: [], unreadable: [] });
    expect(reading.notes.map(({ code }) => code)).toEqual(['ResourceNotServed', 'ResourceNotServed']);
  });

  test('whose Pods may not be read: what chooses from them is unknown, not gone', async () => {
    putPay();
    server.put('serviceentries', serviceEntryManifest('plain', { spec: { hosts: ['plain.example.com'] } }));
    server.trouble(/pods/, forbidden('pods'));
    const reading = await full(read({ mode: 'poll', selection }));
    expect(reading.unreadable.map(({ source }) => source)).toEqual(['pods/']);
    expect(
      Object.fromEntries(reading.snapshots.map(({ key, sources }) => [key, sources.includes('pods/shop')])),
    ).toEqual({
      [PAY]: true,
      'shop/plain.example.com': false,
    });
  });
});

describe('pitfall 3: an object that cannot be understood', () => {
  const broken = () => serviceManifest({ metadata: { name: 'odd' }, spec: { ports: 'none' } });

  test('makes its own source unreadable, and nothing else', async () => {
    putCart();
    server.put('services', broken());
    const reading = await full(read({ mode: 'poll' }));
    expect(reading.unreadable).toEqual([
      {
        source: 'services/shop',
        reason: 'services shop/odd: spec.ports: Invalid input: expected array, received string',
      },
    ]);
    expect(addressesOf(reading)).toEqual(['10.1.0.1']);
  });

  test('in a watch keeps what was known, until it can be understood or is gone', async () => {
    putCart();
    server.put('services', serviceManifest({ metadata: { name: 'odd' } }));
    const readings = read();
    await full(readings);
    await server.watched('services');
    server.put('services', broken());
    const odd = await full(readings);
    expect(odd.unreadable).toHaveLength(1);
    expect(odd.snapshots.map(({ key }) => key)).toContain('shop/odd.shop.svc.cluster.local');
    server.remove('services', 'odd');
    const gone = await full(readings);
    expect(gone.unreadable).toEqual([]);
    expect(gone.snapshots.map(({ key }) => key)).toEqual([CART]);
  });
});
