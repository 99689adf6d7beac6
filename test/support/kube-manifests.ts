import { decodeObject } from '../../lib/registries/kubernetes/decode-objects';
import type {
  KubeNamespace,
  KubeNode,
  KubeObject,
  KubePod,
  KubeService,
  KubeSlice,
  KubeWorkloadEntry,
  Resource,
} from '../../lib/registries/kubernetes/kube-objects';

/** Objects as the API server writes them: the least that is valid, overlaid by what a test is about. */
export type Manifest = Readonly<Record<string, unknown>>;

type Parts = { readonly metadata?: Manifest; readonly spec?: Manifest; readonly status?: Manifest };

export function serviceManifest({ metadata, spec, status }: Parts = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'shop', name: 'cart', ...metadata },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.0.0.10',
      clusterIPs: ['10.0.0.10'],
      selector: { app: 'cart' },
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }],
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

export type ListedEndpoint = {
  readonly addresses: readonly string[];
  readonly conditions?: Manifest;
  /** Name of a Pod in the slice's namespace. */
  readonly pod?: string;
};

export function sliceManifest(
  endpoints: readonly ListedEndpoint[],
  { metadata, ...rest }: { readonly metadata?: Manifest } & Manifest = {},
): Manifest {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'shop', name: 'cart-1', labels: { 'kubernetes.io/service-name': 'cart' }, ...metadata },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: endpoints.map(({ addresses, conditions, pod }) => ({
      addresses,
      conditions: conditions ?? { ready: true, serving: true, terminating: false },
      ...(pod === undefined ? {} : { targetRef: { kind: 'Pod', namespace: 'shop', name: pod } }),
    })),
    ...rest,
  };
}

export function podManifest(
  name: string,
  ip: string,
  { metadata, spec, status }: Parts & { readonly ready?: boolean } = {},
): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name, labels: { app: 'cart' }, ...metadata },
    spec: { nodeName: 'node-a', serviceAccountName: 'cart', containers: [], ...spec },
    status: {
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: 'Ready', status: 'True' }],
      ...status,
    },
  };
}

export function nodeManifest(name = 'node-a', labels: Manifest = {}): Manifest {
  const zone = { 'topology.kubernetes.io/region': 'eu-west-1', 'topology.kubernetes.io/zone': 'eu-west-1a' };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { ...zone, ...labels } } };
}

export function namespaceManifest(name = 'shop', metadata: Manifest = {}): Manifest {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...metadata } };
}

export function workloadEntryManifest(name = 'vm-1', { metadata, spec, status }: Parts = {}): Manifest {
  return {
    apiVersion: 'networking.istio.io/v1',
    kind: 'WorkloadEntry',
    metadata: { namespace: 'shop', name, ...metadata },
    spec: { address: '172.16.0.1', labels: { app: 'cart' }, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** The kept part of a manifest. @throws when it is not understood or does not count. */
export function kept(resource: Resource, manifest: Manifest): KubeObject {
  const decoded = decodeObject(resource, manifest);
  if (decoded.type !== 'object') throw new Error(`${resource} manifest is ${JSON.stringify(decoded)}`);
  return decoded.object;
}

export function keptService(manifest = serviceManifest()): KubeService {
  const object = kept('services', manifest);
  if (object.resource !== 'services') throw new Error(object.resource);
  return object;
}

export function keptSlice(manifest: Manifest): KubeSlice {
  const object = kept('endpointslices', manifest);
  if (object.resource !== 'endpointslices') throw new Error(object.resource);
  return object;
}

export function keptPod(manifest: Manifest): KubePod {
  const object = kept('pods', manifest);
  if (object.resource !== 'pods') throw new Error(object.resource);
  return object;
}

export function keptNode(manifest: Manifest): KubeNode {
  const object = kept('nodes', manifest);
  if (object.resource !== 'nodes') throw new Error(object.resource);
  return object;
}

export function keptNamespace(manifest: Manifest): KubeNamespace {
  const object = kept('namespaces', manifest);
  if (object.resource !== 'namespaces') throw new Error(object.resource);
  return object;
}

export function keptWorkloadEntry(manifest: Manifest): KubeWorkloadEntry {
  const object = kept('workloadentries', manifest);
  if (object.resource !== 'workloadentries') throw new Error(object.resource);
  return object;
}

export function serviceEntryManifest(name = 'pay', { metadata, spec, status }: Parts = {}): Manifest {
  return {
    apiVersion: 'networking.istio.io/v1',
    kind: 'ServiceEntry',
    metadata: { namespace: 'shop', name, ...metadata },
    spec: {
      hosts: ['pay.example.com'],
      ports: [{ number: 443, name: 'https', protocol: 'TLS' }],
      resolution: 'STATIC',
      location: 'MESH_INTERNAL',
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}
