// What a cluster of 1,000 services with 10 Pods each costs: requests, bytes, memory, seconds.
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { type Creation, createInBulk } from './support/kubernetes/bulk-writer';
import { type Figures, runMeasurement } from './support/kubernetes/run-measurement';
import { logProgress } from './support/parts/log-progress';

const START_TIMEOUT_MS = 45 * 60_000;
const SERVICES = 1_000;
const PODS_EACH = 10;

/** Beside the fleet there is the API server itself: the service `kubernetes`, one slice with its address. */
const ALL = { services: SERVICES + 1, endpoints: SERVICES * PODS_EACH + 1 };

/** 500 objects a page: 3 pages of services and of slices, 20 of Pods, one of nodes and of namespaces. */
const REQUESTS = 3 + 3 + 20 + 1 + 1;

/** A cluster of this size has to fit (issue 5). */
const LARGEST_MEGABYTES = 512;

let api: KubeApiServer;
beforeAll(async () => {
  api = await startKubeApiServer();
  await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'fleet' } });
  await createInBulk(api, fleet());
}, START_TIMEOUT_MS);
afterAll(() => api.stop());

function print(what: string, { requests, bytes, seconds, keptMegabytes, largestMegabytes }: Figures): void {
  const read = bytes === undefined ? '' : `, ${(bytes / 1_000_000).toFixed(1)} MB on the wire`;
  logProgress(
    `Kubernetes, ${SERVICES} services × ${PODS_EACH} endpoints from empty, ${what}: ${requests} requests${read}, ${seconds.toFixed(2)} s, ${keptMegabytes.toFixed(0)} MB kept on the heap, ${largestMegabytes.toFixed(0)} MB resident at most`,
  );
}

test.each([
  ['the registry alone', 'registry'],
  ['all stages, to the last change event', 'all-stages'],
] as const)(
  'one list of each kind, within 512 MB: %s',
  async (what, measured) => {
    const figures = await runMeasurement(measured, await api.writeKubeConfig());
    print(what, figures);
    expect(figures).toMatchObject({ ...ALL, requests: REQUESTS });
    expect(figures.keptMegabytes).toBeGreaterThan(0);
    expect(figures.largestMegabytes).toBeLessThan(LARGEST_MEGABYTES);
  },
  300_000,
);

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
