// The Kubernetes registry against a real API server: what changes there, and everything that can happen to the reading.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import * as z from 'zod';

import { mergeService } from '../../lib/aggregation/merge-service';
import type { Endpoint } from '../../lib/model/endpoint';
import type { ServiceKey } from '../../lib/model/service-key';
import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import type { ClusterAccess } from '../../lib/registries/kubernetes/cluster-access';
import { KubeconfigAccess } from '../../lib/registries/kubernetes/kubernetes-kubeconfig-access';
import { KubernetesEntriesRegistry } from '../../lib/registries/kubernetes/kubernetes-entries-registry';
import { KubernetesRegistry } from '../../lib/registries/kubernetes/kubernetes-registry';
import { rbacManifest } from '../../lib/registries/kubernetes/rbac-manifest';
import { kubernetesSettings } from '../../lib/registries/kubernetes/settings';
import { DEFAULT_WATCH_TIMING, type WatchTiming } from '../../lib/registries/kubernetes/watch-timing';
import type { Registry } from '../../lib/registries/registry';
import { systemClock } from '../../lib/runtime/system-clock';
import { parseAllDocuments } from 'yaml';
import { installIstioCustomResourceDefinitions } from './support/istiod/install-istio-crds';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { ClusterWriter } from './support/kubernetes/cluster-writer';
import { FollowedRegistry } from './support/kubernetes/followed-registry';
import { waitUntil } from './support/processes/wait-until';

const START_TIMEOUT_MS = 45 * 60_000;
const READERS = [
  { token: 'reader-1', user: 'reader-1' },
  { token: 'reader-2', user: 'reader-2' },
];

/** Watches are opened anew so often that a permission that is gone is noticed while a test waits. */
const BRISK: Partial<WatchTiming> = { watchSeconds: 1, retryMs: 100, outageMs: 20_000 };

let api: KubeApiServer;
beforeAll(async () => {
  api = await startKubeApiServer({
    users: READERS,
    flags: [
      '--feature-gates=ListFromCacheSnapshot=false', // pages come from etcd, where they can be compacted away
      '--service-cluster-ip-range=10.0.0.0/16,fd00:10::/108',
    ],
  });
  await installIstioCustomResourceDefinitions(api);
  await api.send('POST', '/api/v1/nodes', {
    metadata: { name: 'node-a', labels: { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'z' } },
  });
}, START_TIMEOUT_MS);
afterAll(() => api.stop());

const followers: FollowedRegistry[] = [];
afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.end();
});

type Wishes = {
  readonly server?: KubeApiServer;
  readonly cluster?: string;
  readonly kubeconfig?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly timing?: Partial<WatchTiming>;
  readonly access?: ClusterAccess;
  /** The cluster's ServiceEntries instead of its services. @default false */
  readonly entries?: boolean;
};

async function makeRegistry({
  server = api,
  cluster = 'prod',
  kubeconfig,
  settings = {},
  timing = {},
  access,
  entries = false,
}: Wishes = {}): Promise<Registry> {
  const file = kubeconfig ?? (await server.writeKubeConfig());
  const context = {
    cluster,
    mode: 'watch',
    domainSuffix: 'cluster.local',
    trustDomain: 'cluster.local',
    baseDir: '/',
  } as const;
  const parsed = z.strictObject(kubernetesSettings).parse({ kubeconfig: file, requestsPerSecond: 100, ...settings });
  return new (entries ? KubernetesEntriesRegistry : KubernetesRegistry)(context, parsed, {
    clock: systemClock,
    timing: { ...DEFAULT_WATCH_TIMING, ...timing },
    ...(access === undefined ? {} : { access }),
  });
}

/** A registry that is being followed, after its first reading. */
async function follow(wishes: Wishes = {}): Promise<FollowedRegistry> {
  const follower = new FollowedRegistry(await makeRegistry(wishes));
  followers.push(follower);
  await follower.until('a first reading', ({ readings }) => readings.length > 0);
  return follower;
}

function keyOf(namespace: string, name: string): ServiceKey {
  return `${namespace}/${name}.${namespace}.svc.cluster.local`;
}

function addressesOf(snapshot: ServiceSnapshot | undefined): readonly string[] | undefined {
  return snapshot?.endpoints.map(({ addresses, port, servicePort }) => `${addresses.join('+')}:${port}/${servicePort}`);
}

/** Waits until the service has just these endpoints (`address:port/name`), or does not exist. */
function has(follower: FollowedRegistry, key: ServiceKey, endpoints: readonly string[] | undefined): Promise<void> {
  const expected = JSON.stringify(endpoints);
  return follower.until(
    `${key} has ${expected}`,
    ({ snapshots }) => JSON.stringify(addressesOf(snapshots.get(key))) === expected,
  );
}

function firstEndpoint(follower: FollowedRegistry, key: ServiceKey): Endpoint | undefined {
  return follower.snapshots.get(key)?.endpoints[0];
}

describe('what changes in the cluster', () => {
  test('a service from its creation to its second life', async () => {
    const shop = await ClusterWriter.start(api, 'life');
    const key = keyOf('life', 'cart');
    const registry = await follow();

    await shop.service('cart', { clusterIP: '10.0.1.1' }, { labels: { team: 'a' } });
    await has(registry, key, []);
    await shop.pod('cart-0', ['10.1.0.1'], { labels: { app: 'cart', 'security.istio.io/tlsMode': 'istio' } });
    await shop.slice('cart-x', 'cart', { 'cart-0': '10.1.0.1' });
    await has(registry, key, ['10.1.0.1:8080/http']);
    expect(registry.snapshots.get(key)).toMatchObject({
      service: {
        address: '10.0.1.1',
        clusterVips: { prod: ['10.0.1.1'] },
        labels: { team: 'a' },
        resolution: 'ClientSideLB',
        ports: [{ name: 'http', number: 80, protocol: 'HTTP', transport: 'TCP' }],
      },
      endpoints: [
        {
          labels: { app: 'cart', 'security.istio.io/tlsMode': 'istio' },
          locality: 'r/z/',
          tlsMode: 'istio',
          serviceAccount: 'spiffe://cluster.local/ns/life/sa/runner',
          health: 'Healthy',
          workload: { name: 'cart-0', namespace: 'life' },
          node: 'node-a',
        },
      ],
      sources: ['endpointslices/life', 'pods/life', 'services/life'],
    });

    // 1 → 0 → 1
    await shop.relist('cart-x', {});
    await has(registry, key, []);
    await shop.relist('cart-x', { 'cart-0': '10.1.0.1' });
    await has(registry, key, ['10.1.0.1:8080/http']);

    // relabelled, not ready, ready, another address
    await shop.edit('pods', 'cart-0', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { app: 'cart', version: 'v2' } },
    }));
    await registry.until('new labels', () => firstEndpoint(registry, key)?.labels.version === 'v2');
    expect(firstEndpoint(registry, key)?.tlsMode).toBe('disabled');
    const notReady = { ready: false, serving: false, terminating: false };
    await shop.edit('endpointslices', 'cart-x', (slice) => ({
      ...slice,
      endpoints: shop.listed({ 'cart-0': '10.1.0.1' }).map((endpoint) => ({ ...endpoint, conditions: notReady })),
    }));
    await has(registry, key, []);
    await shop.remove('pods', 'cart-0');
    await shop.pod('cart-0', ['10.1.0.9'], { labels: { app: 'cart' } });
    await shop.relist('cart-x', { 'cart-0': '10.1.0.9' });
    await has(registry, key, ['10.1.0.9:8080/http']);

    // a second slice, ports changed, the service deleted and made again
    await shop.pod('cart-1', ['10.1.0.2'], { labels: { app: 'cart' } });
    await shop.slice('cart-y', 'cart', { 'cart-1': '10.1.0.2' });
    await has(registry, key, ['10.1.0.9:8080/http', '10.1.0.2:8080/http']);
    await shop.edit('endpointslices', 'cart-y', (slice) => ({
      ...slice,
      ports: [{ name: 'http', port: 9999, protocol: 'TCP' }],
    }));
    await has(registry, key, ['10.1.0.9:8080/http', '10.1.0.2:9999/http']);
    await shop.remove('endpointslices', 'cart-y');
    await has(registry, key, ['10.1.0.9:8080/http']);
    expect(registry.removals).toEqual([]);
    await shop.remove('services', 'cart');
    await has(registry, key, undefined);
    expect(registry.removals).toEqual([key]);
    await shop.service('cart');
    await has(registry, key, ['10.1.0.9:8080/http']);
    expect(registry.errors).toEqual([]);
    expect(registry.fullReadings).toBe(1);
  });

  test('nodes: created after their Pods, relabelled, deleted', async () => {
    const shop = await ClusterWriter.start(api, 'nodes');
    const key = keyOf('nodes', 'cart');
    await shop.service('cart');
    await shop.pod('cart-0', ['10.2.0.1'], { spec: { nodeName: 'node-b' } });
    await shop.slice('cart-x', 'cart', { 'cart-0': '10.2.0.1' });
    const registry = await follow();
    await has(registry, key, ['10.2.0.1:8080/http']);
    expect(firstEndpoint(registry, key)?.locality).toBe('');
    const locality = (is: string) =>
      registry.until(`locality ${is}`, () => firstEndpoint(registry, key)?.locality === is);
    const node = (zone: string) => ({ metadata: { name: 'node-b', labels: { 'topology.kubernetes.io/zone': zone } } });
    await shop.send('POST', '/api/v1/nodes', node('z1'));
    await locality('/z1/');
    await shop.send('PUT', '/api/v1/nodes/node-b', node('z2'));
    await locality('/z2/');
    await shop.send('DELETE', '/api/v1/nodes/node-b');
    await locality('');
  });

  test('kinds of services: headless, alias, UDP and TCP on one number, two families', async () => {
    const shop = await ClusterWriter.start(api, 'kinds');
    await shop.service('headless', { clusterIP: 'None' });
    await shop.service('alias', {
      type: 'ExternalName',
      externalName: 'example.com',
      selector: undefined,
      ports: [{ name: 'https', port: 443 }],
    });
    await shop.service('dns', {
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    });
    await shop.service('dual', {
      ipFamilyPolicy: 'RequireDualStack',
      clusterIP: '10.0.2.1',
      clusterIPs: ['10.0.2.1', 'fd00:10::21'],
    });
    await shop.pod('dual-0', ['10.3.0.1', 'fd00:3::1']);
    await shop.slice('dual-4', 'dual', { 'dual-0': '10.3.0.1' });
    await shop.slice('dual-6', 'dual', { 'dual-0': 'fd00:3::1' }, { addressType: 'IPv6' });
    const registry = await follow();
    const service = (name: string) => registry.snapshots.get(keyOf('kinds', name))?.service;
    expect(service('headless')).toMatchObject({
      resolution: 'Passthrough',
      address: '0.0.0.0',
      clusterVips: { prod: ['0.0.0.0'] },
    });
    expect(service('alias')).toMatchObject({
      resolution: 'Alias',
      meshExternal: true,
      attributes: { externalName: 'example.com' },
    });
    expect(service('dns')?.ports).toEqual([
      { name: 'dns-tcp', number: 53, protocol: 'TCP', transport: 'TCP' },
      { name: 'dns', number: 53, protocol: 'UDP', transport: 'UDP' },
    ]);
    expect(service('dual')).toMatchObject({ address: '10.0.2.1', clusterVips: { prod: ['10.0.2.1', 'fd00:10::21'] } });
    expect(addressesOf(registry.snapshots.get(keyOf('kinds', 'dual')))).toEqual(['10.3.0.1+fd00:3::1:8080/http']);
  });

  test('pitfall 36: an endpoint waits for its Pod', async () => {
    const shop = await ClusterWriter.start(api, 'waiting');
    const key = keyOf('waiting', 'cart');
    const registry = await follow();
    await shop.service('cart');
    await shop.slice('cart-x', 'cart', { 'cart-0': '10.4.0.1' });
    await has(registry, key, []);
    await shop.pod('cart-0', ['10.4.0.1'], { labels: { 'security.istio.io/tlsMode': 'istio' } });
    await has(registry, key, ['10.4.0.1:8080/http']);
    const published = registry.readings.flatMap((reading) => (reading.type === 'delta' ? reading.upserts : []));
    const modes = published
      .filter((snapshot) => snapshot.key === key)
      .flatMap(({ endpoints }) => endpoints.map(({ tlsMode }) => tlsMode));
    expect(new Set(modes)).toEqual(new Set(['istio']));
  });

  test('WorkloadEntries that a service selects: created, relabelled, re-addressed, deleted', async () => {
    const shop = await ClusterWriter.start(api, 'machines');
    const key = keyOf('machines', 'cart');
    await shop.service('cart');
    await shop.service('other');
    const registry = await follow({ settings: { serviceEntries: true } });
    await shop.create('workloadentries', 'vm-1', {
      spec: { address: '172.16.0.1', labels: { app: 'cart' }, serviceAccount: 'vm' },
    });
    await has(registry, key, ['172.16.0.1:8080/http']);
    expect(firstEndpoint(registry, key)).toMatchObject({
      tlsMode: 'istio',
      serviceAccount: 'spiffe://cluster.local/ns/machines/sa/vm',
    });
    await shop.edit('workloadentries', 'vm-1', (entry) => ({
      ...entry,
      spec: { ...entry.spec, address: '172.16.0.2' },
    }));
    await has(registry, key, ['172.16.0.2:8080/http']);
    await shop.edit('workloadentries', 'vm-1', (entry) => ({
      ...entry,
      spec: { ...entry.spec, labels: { app: 'other' } },
    }));
    await has(registry, keyOf('machines', 'other'), ['172.16.0.2:8080/http']);
    await has(registry, key, []);
    await shop.remove('workloadentries', 'vm-1');
    await has(registry, keyOf('machines', 'other'), []);
  });
});

describe('ServiceEntries as an External registry', () => {
  test('created, changed, with WorkloadEntries and Pods that they choose, deleted', async () => {
    const shop = await ClusterWriter.start(api, 'entries');
    const key: ServiceKey = 'entries/pay.example.com';
    const settings = { serviceEntries: true, namespaces: { include: ['entries'] } };
    const registry = await follow({ settings, entries: true });
    const spec = {
      hosts: ['pay.example.com'],
      location: 'MESH_INTERNAL',
      resolution: 'STATIC',
      ports: [{ number: 443, name: 'https', protocol: 'TLS', targetPort: 8443 }],
      workloadSelector: { labels: { app: 'pay' } },
    };
    await shop.create('serviceentries', 'pay', { spec });
    await has(registry, key, []);
    await shop.pod('pay-0', ['10.6.0.1'], { labels: { app: 'pay' } });
    await has(registry, key, ['10.6.0.1:8443/https']);
    await shop.create('workloadentries', 'vm-1', { spec: { address: '172.16.6.1', labels: { app: 'pay' } } });
    await has(registry, key, ['10.6.0.1:8443/https', '172.16.6.1:8443/https']);
    await shop.remove('pods', 'pay-0');
    await has(registry, key, ['172.16.6.1:8443/https']);
    await shop.edit('serviceentries', 'pay', (entry) => ({
      ...entry,
      spec: { ...spec, hosts: ['other.example.com'] },
    }));
    await has(registry, 'entries/other.example.com', ['172.16.6.1:8443/https']);
    await has(registry, key, undefined);
    await shop.remove('serviceentries', 'pay');
    await has(registry, 'entries/other.example.com', undefined);
    expect(registry.removals).toEqual([key, 'entries/other.example.com']);
    expect(registry.errors).toEqual([]);
  });

  test('a cluster that does not have them: a note, not an error', async () => {
    const plain = await startKubeApiServer();
    const registry = await follow({ server: plain, settings: { serviceEntries: true }, entries: true });
    expect(registry.readings[0]?.notes.map(({ code }) => code)).toEqual(['ResourceNotServed', 'ResourceNotServed']);
    expect(registry.unreadable).toEqual([]);
    await registry.end();
    await plain.stop();
  });
});

describe('which part of the cluster', () => {
  test('namespaces and labels are chosen by the server', async () => {
    const one = await ClusterWriter.start(api, 'chosen-1');
    const two = await ClusterWriter.start(api, 'chosen-2');
    await one.service('a', {}, { labels: { tier: 'x' } });
    await one.service('b');
    await two.service('a', {}, { labels: { tier: 'x' } });
    const namesOf = ({ snapshots }: FollowedRegistry) =>
      [...snapshots.values()].map(({ service }) => `${service.namespace}/${service.name}`);
    const include = await follow({ settings: { namespaces: { include: ['chosen-1'] } } });
    expect(namesOf(include)).toEqual(['chosen-1/a', 'chosen-1/b']);
    const exclude = await follow({ settings: { namespaces: { exclude: ['chosen-1'] }, labelSelector: 'tier=x' } });
    expect(namesOf(exclude)).toEqual(['chosen-2/a']);
    await two.edit('services', 'a', (service) => ({
      ...service,
      metadata: { ...service.metadata, labels: { tier: 'y' } },
    }));
    await exclude.until('it is no longer chosen', ({ snapshots }) => snapshots.size === 0);
  });

  describe('lists of many pages', () => {
    const settings = { namespaces: { include: ['pages'] }, pageSize: 10, workloads: false };
    const listsSince = async (start: number) =>
      (await api.auditEvents())
        .slice(start)
        .filter(({ verb, requestURI }) => verb === 'list' && requestURI.includes('/pages/services'))
        .map(({ responseStatus }) => responseStatus?.code);

    beforeAll(async () => {
      const shop = await ClusterWriter.start(api, 'pages');
      for (let n = 0; n < 25; n += 1) await shop.service(`s-${n}`, { clusterIP: 'None' });
    });

    test('pitfall 2: are read to the end', async () => {
      const start = (await api.auditEvents()).length;
      expect((await follow({ settings })).snapshots.size).toBe(25);
      expect(await listsSince(start)).toEqual([200, 200, 200]);
    });

    test('are read anew when their token expires on the way (410)', async () => {
      const start = (await api.auditEvents()).length;
      const shop = new ClusterWriter(api, 'pages');
      const access = new KubeconfigAccess({ type: 'file', path: await api.writeKubeConfig() });
      let connections = 0;
      const compacting: ClusterAccess = {
        connect: async () => {
          connections += 1;
          if (connections === 3) {
            await shop.service('late', { clusterIP: 'None' });
            await api.etcd.compact();
          }
          return access.connect();
        },
        refused: () => access.refused(),
        close: () => access.close(),
      };
      const registry = await follow({ settings, access: compacting });
      expect(registry.snapshots.size).toBe(26);
      expect(await listsSince(start)).toEqual([200, 410, 200]);
      expect(registry.errors).toEqual([]);
    });
  });
});

describe('what happens to the connection', () => {
  test('the API server is killed in the middle of a watch and comes back: nothing is lost, nothing is removed', async () => {
    const shop = await ClusterWriter.start(api, 'killed');
    const key = keyOf('killed', 'cart');
    await shop.service('cart');
    await shop.pod('cart-0', ['10.5.0.1']);
    await shop.slice('cart-x', 'cart', { 'cart-0': '10.5.0.1' });
    const registry = await follow({ settings: { namespaces: { include: ['killed'] } }, timing: { outageMs: 60_000 } });
    await api.kill();
    await api.start();
    await shop.relist('cart-x', {});
    await has(registry, key, []);
    expect(registry.removals).toEqual([]);
    expect(registry.errors).toEqual([]);
  });

  test('away for too long: the reading fails, says so, and is complete again afterwards', async () => {
    const shop = await ClusterWriter.start(api, 'away');
    const key = keyOf('away', 'cart');
    await shop.service('cart');
    const registry = await follow({ settings: { namespaces: { include: ['away'] } }, timing: { outageMs: 300 } });
    await api.kill();
    await registry.until('a failed reading', ({ errors }) => errors.length > 0);
    expect(registry.errors[0]).toMatch(/cannot be reached: Error: connect ECONNREFUSED|cut off/);
    expect(registry.snapshots.has(key)).toBe(true);
    await api.start();
    await shop.service('new');
    await registry.until('the new service', ({ snapshots }) => snapshots.has(keyOf('away', 'new')));
    expect(registry.removals).toEqual([]);
  });

  test('history is compacted while it is away (410): a new list, no event lost, no deletion invented', async () => {
    const shop = await ClusterWriter.start(api, 'compacted');
    await shop.service('stays');
    await shop.service('goes');
    // Another API server over the same etcd, so that objects can change while the one that is read is away.
    const replica = await startKubeApiServer({ etcd: api.etcd });
    const settings = { namespaces: { include: ['compacted'] }, workloads: false };
    const registry = await follow({ server: replica, settings, timing: { outageMs: 60_000 } });
    await replica.kill();
    await shop.remove('services', 'goes');
    await shop.service('comes');
    await api.etcd.compact();
    await replica.start();
    await has(registry, keyOf('compacted', 'goes'), undefined);
    await has(registry, keyOf('compacted', 'comes'), []);
    expect(registry.removals).toEqual([keyOf('compacted', 'goes')]);
    expect(registry.errors).toEqual([]);
    const lists = (await replica.auditEvents()).filter(
      ({ verb, requestURI }) => verb === 'list' && requestURI.includes('/compacted/services'),
    );
    expect(lists).toHaveLength(2);
    await registry.end();
    await replica.stop();
  });
});

describe('permissions and credentials', () => {
  const roles = (name: string, user: string, include: readonly string[] = []) =>
    parseAllDocuments(
      rbacManifest({
        name,
        subject: { kind: 'User', name: user },
        namespaces: { include, exclude: [] },
        workloads: true,
        serviceEntries: true,
      }),
    ).map((document) => z.looseObject({ kind: z.string() }).parse(document.toJS()));

  async function grant(name: string, user: string, include: readonly string[] = []): Promise<void> {
    for (const role of roles(name, user, include)) {
      const namespace = z.looseObject({ metadata: z.looseObject({ namespace: z.string().optional() }) }).parse(role)
        .metadata.namespace;
      const folder = `/apis/rbac.authorization.k8s.io/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}/${role.kind.toLowerCase()}s`;
      const { status, body } = await api.send('POST', folder, role);
      if (status !== 201) throw new Error(body);
    }
  }

  test('the printed manifest allows just what is read', async () => {
    const shop = await ClusterWriter.start(api, 'least');
    await shop.service('cart');
    const kubeconfig = await api.writeKubeConfig('reader-1');
    await grant('least', 'reader-1', ['least']);
    const registry = await follow({
      kubeconfig,
      settings: { namespaces: { include: ['least'] }, serviceEntries: true },
    });
    expect(registry.unreadable).toEqual([]);
    expect(registry.readings.flatMap(({ notes }) => notes)).toEqual([]);
    expect(registry.snapshots.size).toBe(1);
    const outside = await follow({ kubeconfig, settings: { workloads: false } });
    expect(outside.unreadable.map(({ source }) => source)).toEqual(['endpointslices/', 'services/']);
    expect(outside.unreadable[1]?.reason).toContain(
      'Missing permission to list services in the whole cluster: services is forbidden: User "reader-1"',
    );
  });

  test('a permission revoked in the middle and given back', async () => {
    const shop = await ClusterWriter.start(api, 'revoked');
    const key = keyOf('revoked', 'cart');
    await shop.service('cart');
    await grant('revoked', 'reader-2', ['revoked']);
    const kubeconfig = await api.writeKubeConfig('reader-2');
    const registry = await follow({ kubeconfig, settings: { namespaces: { include: ['revoked'] } }, timing: BRISK });
    expect(registry.unreadable).toEqual([]);
    const role = '/apis/rbac.authorization.k8s.io/v1/namespaces/revoked/roles/revoked';
    const old = z.looseObject({}).parse(JSON.parse((await api.send('GET', role)).body));
    await api.send('PUT', role, { ...old, rules: [] });
    await registry.until('services are unreadable', ({ unreadable }) =>
      unreadable.some(({ source }) => source === 'services/revoked'),
    );
    expect(registry.snapshots.has(key)).toBe(true);
    await shop.service('meanwhile');
    await api.send('PUT', role, { ...old, metadata: { name: 'revoked', namespace: 'revoked' } });
    await registry.until(
      'all is readable',
      ({ unreadable, snapshots }) => unreadable.length === 0 && snapshots.has(keyOf('revoked', 'meanwhile')),
    );
    expect(registry.removals).toEqual([]);
    expect(registry.errors).toEqual([]);
  });

  test('pitfall 8: a token that is rotated needs no restart, and its predecessor may end', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'pilotless-token-'));
    const tokenFile = path.join(folder, 'token');
    const shop = await ClusterWriter.start(api, 'rotated');
    await grant('rotated-1', 'reader-1', ['rotated']);
    await writeFile(tokenFile, 'reader-1\n');
    const text = api.kubeConfigText('x').replace('"token": "x"', `"tokenFile": ${JSON.stringify(tokenFile)}`);
    const kubeconfig = path.join(folder, 'config');
    await writeFile(kubeconfig, text);
    const registry = await follow({
      kubeconfig,
      settings: { namespaces: { include: ['rotated'] }, workloads: false },
      timing: BRISK,
    });
    expect(registry.unreadable).toEqual([]);
    await grant('rotated-2', 'reader-2', ['rotated']);
    await writeFile(tokenFile, 'reader-2\n');
    await api.send('DELETE', '/apis/rbac.authorization.k8s.io/v1/namespaces/rotated/rolebindings/rotated-1');
    const usersOfWatches = async () =>
      (await api.auditEvents())
        .filter(({ verb, requestURI }) => verb === 'watch' && requestURI.includes('/namespaces/rotated/services'))
        .map(({ user }) => user.username);
    await waitUntil({
      what: 'a watch with the new token',
      attempt: async () => (await usersOfWatches()).includes('reader-2') || undefined,
    });
    expect(await usersOfWatches()).toContain('reader-1');
    await shop.service('cart');
    await registry.until('the service', ({ snapshots }) => snapshots.has(keyOf('rotated', 'cart')));
    expect(registry.errors).toEqual([]);
    expect(registry.unreadable).toEqual([]);
  });
});

describe('pitfall 10 and 15: two clusters with one service', () => {
  let second: KubeApiServer;
  beforeAll(async () => {
    second = await startKubeApiServer();
  }, START_TIMEOUT_MS);
  afterAll(() => second.stop());

  test('VIPs by cluster, union of ports; one going away and coming back deletes nothing', async () => {
    const settings = { namespaces: { include: ['shared'] } };
    const key = keyOf('shared', 'cart');
    const here = await ClusterWriter.start(api, 'shared');
    const there = await ClusterWriter.start(second, 'shared');
    await here.service('cart', { clusterIP: '10.0.5.1' });
    await there.service('cart', {
      clusterIP: '10.0.5.2',
      ports: [
        { name: 'http', port: 80 },
        { name: 'grpc', port: 90 },
      ],
    });
    const one = await follow({ cluster: 'one', settings });
    const two = await follow({ cluster: 'two', server: second, settings, timing: { outageMs: 300 } });
    const snapshots = [one, two].flatMap(({ snapshots: known }, precedence) =>
      [...known.values()]
        .filter((snapshot) => snapshot.key === key)
        .map((snapshot) => ({
          ...snapshot,
          precedence,
          endpointAccounts: [],
          generation: 1,
          pollId: 'p',
          observedAt: '2026-01-01T00:00:00.000Z',
        })),
    );
    const merged = mergeService(snapshots)?.service;
    expect(merged?.clusterVips).toEqual({ one: ['10.0.5.1'], two: ['10.0.5.2'] });
    expect(merged?.ports.map(({ name }) => name)).toEqual(['http', 'grpc']);

    await second.kill();
    await two.until('a failed reading', ({ errors }) => errors.length > 0);
    await here.service('other');
    await one.until('the other cluster goes on', (followed) => followed.snapshots.has(keyOf('shared', 'other')));
    await second.start();
    await there.service('other');
    await two.until('it is back', (followed) => followed.snapshots.has(keyOf('shared', 'other')));
    expect([...one.removals, ...two.removals]).toEqual([]);
    expect(two.snapshots.has(key)).toBe(true);
  });
});
