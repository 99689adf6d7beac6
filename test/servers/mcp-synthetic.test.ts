// Kubernetes services that istiod shows as entries, with their endpoints, held against what the Kubernetes registry reads
// of the same cluster. What cannot come over xDS stands in a short list with its reasons.
import * as z from 'zod';

import type { ServiceKey } from '../../lib/model/service-key';
import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import { KubernetesRegistry } from '../../lib/registries/kubernetes/kubernetes-registry';
import { kubernetesSettings } from '../../lib/registries/kubernetes/settings';
import { systemClock } from '../../lib/runtime/system-clock';
import { firstReading, ReadingWatch } from '../support/reading-watch';
import { accessIstiod, type McpAccess } from './support/istiod/mcp-access';
import { type Istiod, startIstiod } from './support/istiod/start-istiod';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { ClusterWriter } from './support/kubernetes/cluster-writer';
import { Chance, generatedServices } from './support/oracle/generated-cluster';
import { logProgress } from './support/parts/log-progress';
import { waitUntil } from './support/processes/wait-until';

const BUILD_TIMEOUT_MS = 45 * 60_000;
/** Another seed makes another cluster: `SEED=7 npm run test:servers`. */
const SEED = Number(process.env.SEED ?? 20_261_130);
const SERVICES = 100;
/** istiod's name for its cluster, where nothing else is configured. */
const CLUSTER = 'Kubernetes';

let api: KubeApiServer;
let istiod: Istiod;
let access: McpAccess;
let writer: ClusterWriter;

beforeAll(async () => {
  api = await startKubeApiServer({ flags: ['--service-cluster-ip-range=10.0.0.0/16,fd00:10::/108'] });
  istiod = await startIstiod({ api, configuration: 'custom-resources', env: { ISTIO_DUAL_STACK: 'true' } });
  access = await accessIstiod(istiod);
  writer = await ClusterWriter.start(api, 'oracle');
  for (const { resource, name, manifest, status } of generatedServices(new Chance(SEED), SERVICES)) {
    if (resource === 'workloadentries') continue;
    await writer.create(resource, name, manifest);
    if (status !== undefined) await writer.edit(resource, name, (object) => ({ ...object, status }), 'status');
  }
}, BUILD_TIMEOUT_MS);
afterAll(async () => {
  await istiod.stop();
  await api.stop();
});

async function readCluster(): Promise<readonly ServiceSnapshot[]> {
  const settings = { kubeconfig: await api.writeKubeConfig(), requestsPerSecond: 100 };
  const context = {
    cluster: CLUSTER,
    mode: 'poll',
    domainSuffix: 'cluster.local',
    trustDomain: 'cluster.local',
    baseDir: '/',
  } as const;
  const checked = z.strictObject(kubernetesSettings).parse(settings);
  return (await firstReading(new KubernetesRegistry(context, checked, { clock: systemClock }))).snapshots;
}

type Comparable = { readonly service: object; readonly endpoints: readonly string[] };

/**
 * What does not come over xDS, and so is not compared:
 * - labels, type, node ports, external addresses and traffic settings of a service: a ServiceEntry has no place for them;
 * - that a service is an alias: istiod shows it with resolution NONE;
 * - labels, account, network, node and host name of an endpoint: an Envoy is not told of them;
 * - its TLS mode: istiod leaves it out where its policy is not to use it;
 * - that a port is of SCTP: a ServiceEntry has a protocol only;
 * - how many parts a locality was given with;
 * - a weight of 0, which is 1 by then;
 * - endpoints of headless services that are terminating: an Envoy is not told of them;
 * - endpoints of UDP ports: Envoy has no clusters for them;
 * - endpoints of services that are local to the node: they depend on who asks.
 */
function comparable(snapshots: readonly ServiceSnapshot[]): ReadonlyMap<ServiceKey, Comparable> {
  return new Map(
    snapshots.map(({ key, service, endpoints }) => {
      const udp = new Set(service.ports.filter(({ transport }) => transport === 'UDP').map(({ name }) => name));
      const isAlias = service.resolution === 'Alias';
      const isNodeLocal = service.attributes.internalTrafficPolicy === 'Local';
      return [
        key,
        {
          service: {
            name: service.name,
            addresses: service.addresses.length > 0 ? service.addresses : [service.address],
            ports: service.ports.map((port) => ({ ...port, transport: port.transport === 'UDP' ? 'UDP' : 'TCP' })),
            resolution: isAlias ? 'Passthrough' : service.resolution,
            meshExternal: service.meshExternal,
            serviceAccounts: service.serviceAccounts,
            exportTo: service.exportTo,
            selector: service.attributes.selector ?? {},
          },
          endpoints: isNodeLocal
            ? []
            : endpoints
                .filter(({ servicePort, health }) => !udp.has(servicePort) && health !== 'Terminating')
                .map(({ addresses, port, servicePort, locality, health }) =>
                  JSON.stringify([servicePort, addresses, port, inThreeParts(locality), health]),
                )
                .sort(),
        },
      ];
    }),
  );
}

/** `d` and `d//` are one locality to an Envoy. */
function inThreeParts(locality: string): string {
  const [region = '', zone = '', subzone = ''] = locality.split('/');
  return [region, zone, subzone].join('/');
}

/** Only what is exported to the root namespace is shown to whoever asks from there. */
function isShown({ service: { exportTo } }: ServiceSnapshot): boolean {
  return exportTo.length === 0 || exportTo.includes('*');
}

test('services and endpoints are those that the Kubernetes registry reads', async () => {
  const cluster = await readCluster();
  const nodeLocal = new Set(
    cluster.filter(({ service }) => service.attributes.internalTrafficPolicy === 'Local').map(({ key }) => key),
  );
  const expected = comparable(cluster.filter(isShown));
  const registry = access.registry({ synthetic: true, clusterId: CLUSTER }, 'poll');
  let found: ReadonlyMap<ServiceKey, Comparable> = new Map();
  await waitUntil({
    what: 'istiod serves all services',
    attempt: async () => {
      const { snapshots } = await firstReading(registry);
      const before = JSON.stringify([...found]);
      found = new Map(
        [...comparable(snapshots)].map(([key, one]) => [key, nodeLocal.has(key) ? { ...one, endpoints: [] } : one]),
      );
      return JSON.stringify([...found]) === before || undefined;
    },
  });

  expect(found).toEqual(expected);
  const endpoints = [...found.values()].reduce((sum, one) => sum + one.endpoints.length, 0);
  logProgress(`MCP: ${found.size} Kubernetes services and ${endpoints} endpoints are equal to those of the cluster`);
  expect(endpoints).toBeGreaterThan(0);
}, 120_000);

test('endpoints that come and go are seen, each by one push', async () => {
  const watch = new ReadingWatch(access.registry({ synthetic: true }));
  const key = 'oracle/live.oracle.svc.cluster.local';
  const countIs = (count: number) => (reading: { readonly snapshots: readonly ServiceSnapshot[] }) =>
    reading.snapshots.find((snapshot) => snapshot.key === key)?.endpoints.length === count;
  await writer.service('live');
  await watch.until(countIs(0));

  await writer.pod('live-1', ['10.77.0.1']);
  await writer.slice('live-a', 'live', { 'live-1': '10.77.0.1' });
  const { reading } = await watch.until(countIs(1));
  await writer.relist('live-a', {});
  await watch.until(countIs(0), watch.readings.length);

  expect(reading.snapshots.find((snapshot) => snapshot.key === key)).toMatchObject({
    service: { name: 'live', resolution: 'ClientSideLB', attributes: { selector: { app: 'live' } } },
    endpoints: [
      { addresses: ['10.77.0.1'], port: 8080, servicePort: 'http', workload: { name: 'live-1', namespace: 'oracle' } },
    ],
  });
  await watch.stop();
});

test('Pods that an entry selects are endpoints beside the machines', async () => {
  await writer.create('serviceentries', 'mixed', {
    spec: {
      hosts: ['mixed.example.com'],
      location: 'MESH_INTERNAL',
      resolution: 'STATIC',
      ports: [{ number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 }],
      workloadSelector: { labels: { app: 'mixed' } },
    },
  });
  await writer.create('workloadentries', 'mixed-vm', { spec: { address: '172.17.0.1', labels: { app: 'mixed' } } });
  await writer.pod('mixed-1', ['10.78.0.1'], { labels: { app: 'mixed' } });
  const key = 'oracle/mixed.example.com';
  const endpointsIn = (reading: { readonly snapshots: readonly ServiceSnapshot[] }) =>
    reading.snapshots.find((snapshot) => snapshot.key === key)?.endpoints ?? [];

  const watch = new ReadingWatch(access.registry({ synthetic: true }));
  const { reading } = await watch.until((one) => endpointsIn(one).length === 2);
  await watch.stop();
  const without = await firstReading(access.registry({}, 'poll'));

  expect(endpointsIn(reading)).toMatchObject([
    { addresses: ['10.78.0.1'], port: 8080, workload: { name: 'mixed-1', namespace: 'oracle' } },
    {
      addresses: ['172.17.0.1'],
      port: 8080,
      workload: { name: 'mixed-vm', namespace: 'oracle' },
      labels: { app: 'mixed' },
    },
  ]);
  expect(endpointsIn(without)).toMatchObject([{ addresses: ['172.17.0.1'] }]);
});

test('services that are local to their cluster have endpoints for a client in it, and none for others', async () => {
  const keyOf = (reading: { readonly snapshots: readonly ServiceSnapshot[] }) =>
    reading.snapshots.find(({ key }) => key === 'default/kubernetes.default.svc.cluster.local')!;
  const inside = keyOf(await firstReading(access.registry({ synthetic: true, clusterId: CLUSTER }, 'poll')));
  const outside = keyOf(await firstReading(access.registry({ synthetic: true }, 'poll')));

  expect(inside.endpoints).toHaveLength(1);
  expect(outside.endpoints).toHaveLength(0);
});
