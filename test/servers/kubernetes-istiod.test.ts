// The same objects go to Pilotless and to a real istiod on the same API server; what they make of them is compared. Each
// intended difference is an entry of a short list with its reason; anything else fails.
import * as z from 'zod';

import { KubernetesEntriesRegistry } from '../../lib/registries/kubernetes/kubernetes-entries-registry';
import { KubernetesRegistry } from '../../lib/registries/kubernetes/kubernetes-registry';
import { kubernetesSettings } from '../../lib/registries/kubernetes/settings';
import type { FullReading } from '../../lib/registries/registry';
import { systemClock } from '../../lib/runtime/system-clock';
import { type Istiod, startIstiod } from './support/istiod/start-istiod';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { ClusterWriter } from './support/kubernetes/cluster-writer';
import { type ComparableCatalog, differences } from './support/oracle/comparable';
import { Chance, generatedEntries, generatedServices, type GeneratedObject } from './support/oracle/generated-cluster';
import { INTENDED, withIntended } from './support/oracle/intended-differences';
import { istiodCatalog } from './support/oracle/istiod-catalog';
import { ownCatalog } from './support/oracle/own-catalog';
import { logProgress } from './support/parts/log-progress';
import { waitUntil } from './support/processes/wait-until';

const START_TIMEOUT_MS = 45 * 60_000;
/** Another seed makes another cluster: `SEED=7 npm run test:servers`. */
const SEED = Number(process.env.SEED ?? 20_261_130);
const SERVICES = 200;
const ENTRIES = 120;
const PARALLEL = 8;

/** The cluster's name in istiod, where nothing else is configured. */
const CLUSTER = 'Kubernetes';

let api: KubeApiServer;
let istiod: Istiod;
beforeAll(async () => {
  api = await startKubeApiServer({ flags: ['--service-cluster-ip-range=10.0.0.0/16,fd00:10::/108'] });
  istiod = await startIstiod({ api, configuration: 'custom-resources', env: { ISTIO_DUAL_STACK: 'true' } });
  const writer = await ClusterWriter.start(api, 'oracle');
  for (const [name, labels] of Object.entries(NODES))
    await writer.send('POST', '/api/v1/nodes', { metadata: { name, labels } });
  const chance = new Chance(SEED);
  const objects = [...generatedServices(chance, SERVICES), ...generatedEntries(chance, ENTRIES)];
  await writeAll(writer, objects);
  // What istiod makes of a slice depends on what it knew of the service when it saw the slice: it sees each once more.
  for (const { resource, name } of objects) {
    if (resource !== 'endpointslices') continue;
    await writer.edit(resource, name, (slice) => ({
      ...slice,
      metadata: { ...slice.metadata, annotations: { again: 'yes' } },
    }));
  }
}, START_TIMEOUT_MS);
afterAll(async () => {
  await istiod.stop();
  await api.stop();
});

const NODES = {
  'node-a': {
    'topology.kubernetes.io/region': 'r1',
    'topology.kubernetes.io/zone': 'z1',
    'topology.istio.io/subzone': 's1',
  },
  'node-b': { 'failure-domain.beta.kubernetes.io/region': 'r2', 'failure-domain.beta.kubernetes.io/zone': 'z2' },
  'node-c': {},
};

async function writeAll(writer: ClusterWriter, objects: readonly GeneratedObject[]): Promise<void> {
  const queue = objects[Symbol.iterator]();
  const work = async () => {
    for (const { resource, name, manifest, status } of queue) {
      await writer.create(resource, name, manifest);
      if (status !== undefined) await writer.edit(resource, name, (object) => ({ ...object, status }), 'status');
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

async function readOurs(
  Registry: typeof KubernetesRegistry | typeof KubernetesEntriesRegistry,
): Promise<ComparableCatalog> {
  const settings = {
    kubeconfig: await api.writeKubeConfig(),
    serviceEntries: true,
    publishUnhealthy: true,
    requestsPerSecond: 100,
  };
  const context = {
    cluster: CLUSTER,
    mode: 'poll',
    domainSuffix: 'cluster.local',
    trustDomain: 'cluster.local',
    baseDir: '/',
  } as const;
  const registry = new Registry(context, z.strictObject(kubernetesSettings).parse(settings), { clock: systemClock });
  const readings: FullReading[] = [];
  for await (const reading of registry.read(new AbortController().signal))
    if (reading.type === 'full') readings.push(reading);
  return ownCatalog(readings.flatMap(({ snapshots }) => snapshots));
}

/** How long istiod has to say the same before it counts as having worked through its queues. */
const SETTLED_MS = 3_000;

async function compare(
  provider: 'Kubernetes' | 'External',
  Registry: typeof KubernetesRegistry | typeof KubernetesEntriesRegistry,
): Promise<readonly string[]> {
  const ours = await readOurs(Registry);
  let last: readonly string[] = ['nothing compared yet'];
  let since = performance.now();
  await waitUntil({
    what: 'istiod has worked through its queues',
    attempt: async () => {
      const found = differences(withIntended(await istiodCatalog(istiod, provider), ours, INTENDED[provider]), ours);
      if (JSON.stringify(found) !== JSON.stringify(last)) since = performance.now();
      last = found;
      return last.length === 0 || performance.now() - since >= SETTLED_MS || undefined;
    },
  });
  const endpoints = [...ours.values()].reduce((sum, one) => sum + one.endpoints.length, 0);
  logProgress(
    `${provider}: ${ours.size} services and ${endpoints} endpoints compared with istiod's, ${last.length} differences`,
  );
  expect(ours.size).toBeGreaterThanOrEqual(provider === 'Kubernetes' ? SERVICES : ENTRIES);
  expect(endpoints).toBeGreaterThan(ours.size);
  return last;
}

test('services of Kubernetes', async () => {
  expect(await compare('Kubernetes', KubernetesRegistry)).toEqual([]);
}, 120_000);

test('ServiceEntries', async () => {
  expect(await compare('External', KubernetesEntriesRegistry)).toEqual([]);
}, 120_000);
