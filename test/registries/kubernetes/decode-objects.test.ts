import { decodeObject, identityOf, versionOf } from '../../../lib/registries/kubernetes/decode-objects';
import type { Resource } from '../../../lib/registries/kubernetes/kube-objects';
import {
  keptPod,
  keptSlice,
  namespaceManifest,
  nodeManifest,
  podManifest,
  serviceManifest,
  sliceManifest,
  workloadEntryManifest,
  type Manifest,
} from '../../support/kube-manifests';

const slice = (labels: Manifest, more: Manifest = {}) =>
  sliceManifest([], { metadata: { namespace: 'shop', name: 'cart-1', labels }, ...more });

describe('what does not count', () => {
  test.each<{ rule: string; resource: Resource; manifest: Manifest }>([
    { rule: 'a slice of no service', resource: 'endpointslices', manifest: slice({}) },
    {
      rule: 'a slice without labels',
      resource: 'endpointslices',
      manifest: sliceManifest([], { metadata: { namespace: 'shop', name: 'x', labels: null } }),
    },
    {
      rule: 'a slice of host names',
      resource: 'endpointslices',
      manifest: slice({ 'kubernetes.io/service-name': 'cart' }, { addressType: 'FQDN' }),
    },
    {
      rule: 'a slice made for an import of another cluster',
      resource: 'endpointslices',
      manifest: slice({ 'kubernetes.io/service-name': 'cart', 'multicluster.kubernetes.io/service-name': 'cart' }),
    },
    {
      rule: 'a failed Pod',
      resource: 'pods',
      manifest: podManifest('cart-0', '10.1.0.1', { status: { phase: 'Failed' } }),
    },
  ])('$rule', ({ resource, manifest }) => {
    expect(decodeObject(resource, manifest)).toEqual({ type: 'irrelevant' });
  });
});

describe('pitfall 3: what cannot be understood says why, and is no error', () => {
  test.each<{ resource: Resource; manifest: Manifest; reason: string }>([
    {
      resource: 'services',
      manifest: serviceManifest({ spec: { ports: [{ port: 'x' }] } }),
      reason: 'spec.ports.0.port: Invalid input: expected number, received string',
    },
    {
      resource: 'endpointslices',
      manifest: sliceManifest([], { addressType: undefined }),
      reason: 'addressType: Invalid input: expected string, received undefined',
    },
    {
      resource: 'pods',
      manifest: { metadata: { namespace: 'a', name: 'b' } },
      reason: 'spec: Invalid input: expected object, received undefined',
    },
    {
      resource: 'nodes',
      manifest: nodeManifest('n', { x: 1 }),
      reason: 'metadata.labels.x: Invalid input: expected string, received number',
    },
    {
      resource: 'namespaces',
      manifest: namespaceManifest('n', { annotations: 'x' }),
      reason: 'metadata.annotations: Invalid input: expected record, received string',
    },
    {
      resource: 'workloadentries',
      manifest: workloadEntryManifest('w', { spec: { ports: { a: 'b' } } }),
      reason: 'spec.ports.a is "b", must be a whole number from 0 to 4294967295',
    },
  ])('$resource', ({ resource, manifest, reason }) => {
    expect(decodeObject(resource, manifest)).toEqual({ type: 'undecodable', reason });
  });
});

describe('Pods', () => {
  test('what is kept', () => {
    const pod = podManifest('cart-6f-x', '10.1.0.1', {
      metadata: {
        generateName: 'cart-6f-',
        labels: { app: 'cart', 'pod-template-hash': '6f' },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-6f', controller: true, uid: 'u' }],
        managedFields: [{}],
      },
      spec: { hostname: 'h', subdomain: 's' },
    });
    expect(keptPod(pod)).toEqual({
      resource: 'pods',
      namespace: 'shop',
      name: 'cart-6f-x',
      labels: { app: 'cart', 'pod-template-hash': '6f' },
      ips: ['10.1.0.1'],
      node: 'node-a',
      serviceAccountName: 'cart',
      hostname: 'h',
      subdomain: 's',
      ready: true,
      terminal: false,
      terminating: false,
      workloadName: 'cart',
      ports: {},
    });
  });

  test('named TCP ports of containers and native sidecars, the first of a name', () => {
    const ports = (...list: readonly Manifest[]) => ({ ports: list });
    const spec = {
      containers: [
        ports({ name: 'web', containerPort: 1, protocol: 'TCP' }, { containerPort: 2, protocol: 'TCP' }),
        ports({ name: 'web', containerPort: 3, protocol: 'TCP' }, { name: 'dns', containerPort: 4, protocol: 'UDP' }),
      ],
      initContainers: [
        { restartPolicy: 'Always', ...ports({ name: 'side', containerPort: 5 }) },
        ports({ name: 'init', containerPort: 6, protocol: 'TCP' }),
      ],
    };
    expect(keptPod(podManifest('cart-0', '10.1.0.1', { spec })).ports).toEqual({ web: 1, side: 5 });
  });

  test.each([
    {
      rule: 'scheduled, without an address',
      status: { podIP: undefined, podIPs: undefined, conditions: undefined, phase: 'Pending' },
      is: { ips: [], ready: false },
    },
    { rule: 'only the primary address is listed', status: { podIPs: undefined }, is: { ips: ['10.1.0.1'] } },
    { rule: 'finished', status: { phase: 'Succeeded' }, is: { terminal: true } },
    { rule: 'not ready', status: { conditions: [{ type: 'Ready', status: 'False' }] }, is: { ready: false } },
    {
      rule: 'another condition',
      status: { conditions: [{ type: 'Initialized', status: 'True' }] },
      is: { ready: false },
    },
  ])('$rule', ({ status, is }) => {
    expect(keptPod(podManifest('cart-0', '10.1.0.1', { status }))).toMatchObject(is);
  });

  test('one that has been asked to end', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(keptPod(podManifest('cart-0', '10.1.0.1', { metadata })).terminating).toBe(true);
  });

  test('never seen by a kubelet', () => {
    const manifest = { metadata: { namespace: 'shop', name: 'cart-0' }, spec: {} };
    expect(keptPod(manifest)).toMatchObject({ ips: [], ready: false, terminal: false, workloadName: 'cart-0' });
  });
});

test("a Pod that a slice names is looked for in the slice's namespace when it says no other", () => {
  const endpoints = [
    { addresses: ['10.1.0.1'], targetRef: { kind: 'Pod', name: 'a' } },
    { addresses: ['10.1.0.2'], targetRef: { kind: 'Pod', namespace: 'other', name: 'b' } },
  ];
  expect(keptSlice(sliceManifest([], { endpoints })).endpoints.map(({ pod }) => pod)).toEqual([
    { namespace: 'shop', name: 'a' },
    { namespace: 'other', name: 'b' },
  ]);
});

test('name and version of an object', () => {
  const manifest = { metadata: { name: 'a', namespace: 'b', resourceVersion: '7' } };
  expect(identityOf(manifest)).toEqual({ namespace: 'b', name: 'a' });
  expect(versionOf(manifest)).toBe('7');
  expect(identityOf({ metadata: { name: 'a' } })).toEqual({ namespace: '', name: 'a' });
});

test('an object without them is a mistake of the server', () => {
  expect(() => identityOf({ metadata: {} })).toThrow('name');
  expect(() => versionOf({ metadata: { name: 'a' } })).toThrow('resourceVersion');
});
