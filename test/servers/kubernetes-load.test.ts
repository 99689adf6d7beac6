// What a cluster of 1,000 services with 10 Pods each costs: requests, bytes, memory, time; and how soon a change is told.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import * as z from 'zod';

import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import { KubernetesRegistry } from '../../lib/registries/kubernetes/kubernetes-registry';
import { kubernetesSettings } from '../../lib/registries/kubernetes/settings';
import type { RegistryReading } from '../../lib/registries/registry';
import { systemClock } from '../../lib/runtime/system-clock';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { type Creation, createInBulk } from './support/kubernetes/bulk-writer';
import { ClusterWriter } from './support/kubernetes/cluster-writer';
import { logProgress } from './support/parts/log-progress';

const START_TIMEOUT_MS = 45 * 60_000;
const SERVICES = 1_000;
const PODS_EACH = 10;
const CHANGES = 40;

let api: KubeApiServer;
beforeAll(async () => {
  api = await startKubeApiServer();
  await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'fleet' } });
  await createInBulk(api, fleet());
}, START_TIMEOUT_MS);
afterAll(() => api.stop());

async function makeRegistry(mode: 'poll' | 'watch'): Promise<KubernetesRegistry> {
  const context = { cluster: 'prod', mode, domainSuffix: 'cluster.local', trustDomain: 'cluster.local', baseDir: '/' };
  const settings = z.strictObject(kubernetesSettings).parse({ kubeconfig: await api.writeKubeConfig() });
  return new KubernetesRegistry(context, settings, { clock: systemClock });
}

async function nextOf(readings: AsyncIterator<RegistryReading>): Promise<RegistryReading> {
  const result = await readings.next();
  if (result.done === true) throw new Error('there is no further reading');
  return result.value;
}

test('a fleet from empty: one list of each kind, within 512 MB', async () => {
  const collect = collector();
  collect();
  const before = process.memoryUsage().heapUsed;
  const stop = new AbortController();
  const startedAt = performance.now();
  const readings = (await makeRegistry('watch')).read(stop.signal);
  const reading = await nextOf(readings);
  const seconds = (performance.now() - startedAt) / 1_000;
  collect();
  const megabytes = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  if (reading.type !== 'full') throw new Error('the first reading has to be full');
  const fleetOf = reading.snapshots.filter(({ service }) => service.namespace === 'fleet');
  const endpoints = fleetOf.reduce((sum, snapshot: ServiceSnapshot) => sum + snapshot.endpoints.length, 0);
  const { requests, bytes } = reading.cost;
  logProgress(
    `Kubernetes, ${SERVICES} services × ${PODS_EACH} endpoints from empty: ${requests} requests, ${bytes} bytes, ${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB kept`,
  );
  expect([fleetOf.length, endpoints]).toEqual([SERVICES, SERVICES * PODS_EACH]);
  // 500 objects a page: 3 pages of services and slices (those of the API server itself included), 20 of Pods, nodes, namespaces.
  expect(requests).toBe(3 + 3 + 20 + 1 + 1);
  expect(megabytes).toBeLessThan(512);
  stop.abort();
  await readings.next();
}, 120_000);

test('pitfall 7: in an idle time nothing is asked', async () => {
  const stop = new AbortController();
  const readings = (await makeRegistry('watch')).read(stop.signal);
  await nextOf(readings);
  const idle = readings.next();
  await systemClock.delay(1_000); // its watches are open by now
  const requests = async () =>
    (await api.auditEvents()).filter(({ user, stage }) => user.username === 'admin' && stage === 'ResponseStarted')
      .length +
    (await api.auditEvents()).filter(({ user, verb }) => user.username === 'admin' && verb === 'list').length;
  const before = await requests();
  await systemClock.delay(3_000);
  expect(await requests()).toBe(before);
  stop.abort();
  await idle;
}, 120_000);

test('a change is told within 50 ms at the median', async () => {
  const shop = await ClusterWriter.start(api, 'latency');
  const stop = new AbortController();
  const readings = (await makeRegistry('watch')).read(stop.signal);
  await nextOf(readings);
  await shop.service('cart', {});
  await nextOf(readings);
  await shop.slice('cart-x', 'cart', {});
  const delays: number[] = [];
  for (let n = 1; n <= CHANGES; n += 1) {
    await systemClock.delay(120); // a quiet time, after which good news is told at once
    const told = nextOf(readings).then(() => performance.now());
    const addresses = Array.from({ length: n }, (_, index) => `10.200.0.${index + 1}`);
    await shop.edit('endpointslices', 'cart-x', (slice) => ({
      ...slice,
      endpoints: addresses.map((one) => ({ addresses: [one] })),
    }));
    const writtenAt = performance.now();
    delays.push((await told) - writtenAt);
  }
  const sorted = delays.sort((a, b) => a - b);
  const [median = NaN, worst = NaN] = [sorted[CHANGES / 2], sorted[CHANGES - 1]];
  logProgress(
    `Kubernetes, API server's answer → reading: median ${median.toFixed(1)} ms, worst ${worst.toFixed(1)} ms`,
  );
  expect(median).toBeLessThan(50);
  stop.abort();
  await readings.next();
}, 120_000);

function fleet(): readonly Creation[] {
  return Array.from({ length: SERVICES }, (_, s) => {
    const name = `svc-${s}`;
    const labels = { app: name, version: 'v1', 'pod-template-hash': '6f5d' };
    const pods = Array.from({ length: PODS_EACH }, (_unused, p) => ({
      name: `${name}-6f5d-${p}`,
      ip: `10.${64 + (s >> 8)}.${s & 255}.${p + 1}`,
    }));
    return [
      {
        folder: '/api/v1/namespaces/fleet/services',
        manifest: {
          metadata: { name },
          spec: { clusterIP: 'None', selector: { app: name }, ports: [{ name: 'http', port: 80 }] },
        },
      },
      ...pods.map((pod) => ({
        folder: '/api/v1/namespaces/fleet/pods',
        manifest: {
          metadata: { name: pod.name, labels },
          spec: { nodeName: `node-${s % 50}`, containers: [{ name: 'app', image: 'app' }] },
        },
      })),
      {
        folder: '/apis/discovery.k8s.io/v1/namespaces/fleet/endpointslices',
        manifest: {
          metadata: { name: `${name}-x`, labels: { 'kubernetes.io/service-name': name } },
          addressType: 'IPv4',
          ports: [{ name: 'http', port: 8080 }],
          endpoints: pods.map((pod) => ({
            addresses: [pod.ip],
            conditions: { ready: true },
            targetRef: { kind: 'Pod', namespace: 'fleet', name: pod.name },
          })),
        },
      },
    ];
  }).flat();
}

/** The garbage collector, so that only what is kept is counted. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return z.custom<() => void>((value) => typeof value === 'function').parse(runInNewContext('gc'));
}
