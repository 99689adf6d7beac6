import { EntriesState } from '../../../lib/registries/kubernetes/entries-state';
import type { Resource } from '../../../lib/registries/kubernetes/kube-objects';
import {
  kept,
  namespaceManifest,
  nodeManifest,
  podManifest,
  serviceEntryManifest,
  serviceManifest,
  workloadEntryManifest,
  type Manifest,
} from '../../support/kube-manifests';

const PAY = 'shop/pay.example.com';

function makeState(objects: readonly (readonly [Resource, Manifest])[] = [], workloads = true): EntriesState {
  const state = new EntriesState({
    cluster: 'prod',
    trustDomain: 'td',
    network: 'net-1',
    systemNamespace: 'istio-system',
    workloads,
  });
  for (const [resource, manifest] of objects) state.put(kept(resource, manifest));
  return state;
}

function put(state: EntriesState, resource: Resource, manifest: Manifest): readonly string[] {
  return [...state.put(kept(resource, manifest))].sort();
}

function remove(state: EntriesState, resource: Resource, name: string, namespace = 'shop'): readonly string[] {
  return [...state.remove(resource, { namespace, name })].sort();
}

function addresses(state: EntriesState): readonly string[] | undefined {
  return state.build(PAY).snapshot?.endpoints.map(({ addresses: all, port }) => `${all.join('+')}:${port}`);
}

const selecting = [
  'serviceentries',
  serviceEntryManifest('pay', { spec: { workloadSelector: { labels: { app: 'cart' } } } }),
] as const;
const machine = ['workloadentries', workloadEntryManifest()] as const;
const pod = ['pods', podManifest('cart-0', '10.1.0.1')] as const;

test('services belong to the External registry of the cluster', () => {
  const endpoints = [{ address: '10.9.9.9' }];
  const { key, snapshot, notes } = makeState([
    ['serviceentries', serviceEntryManifest('pay', { spec: { endpoints } })],
  ]).build(PAY);
  expect(key).toBe(PAY);
  expect(snapshot).toMatchObject({
    key: PAY,
    registry: 'External/prod',
    service: { resolution: 'ClientSideLB', meshExternal: false },
    endpoints: [{ addresses: ['10.9.9.9'], port: 443 }],
    sources: ['serviceentries/shop'],
  });
  expect(notes).toEqual([]);
});

test('a service that no entry names does not exist', () => {
  expect(makeState().build(PAY)).toEqual({ key: PAY, notes: [] });
});

test('what selectors choose from is a source, found or not', () => {
  expect(makeState([selecting]).build(PAY).snapshot?.sources).toEqual([
    'pods/shop',
    'serviceentries/shop',
    'workloadentries/shop',
  ]);
  expect(makeState([selecting], false).build(PAY).snapshot?.sources).toEqual([
    'serviceentries/shop',
    'workloadentries/shop',
  ]);
});

test('WorkloadEntries and Pods are chosen by label', () => {
  expect(addresses(makeState([selecting, machine, pod]))).toEqual(['10.1.0.1:443', '172.16.0.1:443']);
});

test('a Pod brings what it tells, and its named ports', () => {
  const state = makeState([
    selecting,
    ['nodes', nodeManifest()],
    ['namespaces', namespaceManifest('istio-system', { labels: { 'topology.istio.io/network': 'n' } })],
    [
      'pods',
      podManifest('cart-0', '10.1.0.1', {
        spec: { containers: [{ ports: [{ name: 'https', containerPort: 8443, protocol: 'TCP' }] }] },
        status: { podIPs: [{ ip: '10.1.0.1' }, { ip: 'fd00::1' }] },
      }),
    ],
  ]);
  expect(state.build(PAY).snapshot?.endpoints).toEqual([
    {
      addresses: ['10.1.0.1', 'fd00::1'],
      port: 8443,
      servicePort: 'https',
      labels: { app: 'cart' },
      locality: 'eu-west-1/eu-west-1a/',
      network: 'n',
      weight: 0,
      tlsMode: 'disabled',
      serviceAccount: 'spiffe://td/ns/shop/sa/cart',
      health: 'Healthy',
      workload: { name: 'cart-0', namespace: 'shop' },
      node: 'node-a',
    },
  ]);
});

describe('a Pod counts only', () => {
  test.each([
    { rule: 'when it is ready', parts: { status: { conditions: [] } } },
    { rule: 'while it runs', parts: { status: { phase: 'Succeeded' } } },
    {
      rule: 'while it is not asked to end',
      parts: { metadata: { labels: { app: 'cart' }, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    },
    { rule: 'with an address', parts: { status: { podIP: '', podIPs: [] } } },
    { rule: 'with the labels', parts: { metadata: { labels: { app: 'other' } } } },
    { rule: 'in the namespace', parts: { metadata: { namespace: 'other', labels: { app: 'cart' } } } },
  ])('$rule', ({ parts }) => {
    expect(addresses(makeState([selecting, ['pods', podManifest('cart-0', '10.1.0.1', parts)]]))).toEqual([]);
  });
});

describe('what an event touches', () => {
  test('an entry: its hosts, before and now', () => {
    const state = makeState();
    const hosts = (...names: readonly string[]) => serviceEntryManifest('pay', { spec: { hosts: names } });
    expect(put(state, 'serviceentries', hosts('a.com', 'b.com'))).toEqual(['shop/a.com', 'shop/b.com']);
    expect(put(state, 'serviceentries', hosts('b.com', 'c.com'))).toEqual(['shop/a.com', 'shop/b.com', 'shop/c.com']);
    expect([...state.serviceIds()].sort()).toEqual(['shop/b.com', 'shop/c.com']);
    expect(put(state, 'serviceentries', hosts('b.com', 'c.com'))).toEqual([]);
    expect(remove(state, 'serviceentries', 'pay')).toEqual(['shop/b.com', 'shop/c.com']);
    expect(remove(state, 'serviceentries', 'pay')).toEqual([]);
    expect(state.serviceIds()).toEqual([]);
  });

  test.each([
    {
      kind: 'workloadentries' as const,
      name: 'vm-1',
      labelled: (app: string) => workloadEntryManifest('vm-1', { spec: { labels: { app } } }),
    },
    {
      kind: 'pods' as const,
      name: 'cart-0',
      labelled: (app: string) => podManifest('cart-0', '10.1.0.1', { metadata: { labels: { app } } }),
    },
  ])('$kind: the services that choose it, and those that its old labels matched', ({ kind, name, labelled }) => {
    const state = makeState([selecting]);
    expect(put(state, kind, labelled('other'))).toEqual([]);
    expect(put(state, kind, labelled('cart'))).toEqual([PAY]);
    expect(addresses(state)).toHaveLength(1);
    expect(put(state, kind, labelled('other'))).toEqual([PAY]);
    expect(addresses(state)).toEqual([]);
    put(state, kind, labelled('cart'));
    expect(remove(state, kind, name)).toEqual([PAY]);
    expect(addresses(state)).toEqual([]);
  });

  test('a node: what its Pods belong to', () => {
    const state = makeState([selecting, pod]);
    expect(put(state, 'nodes', nodeManifest())).toEqual([PAY]);
    expect(put(state, 'nodes', nodeManifest('node-b'))).toEqual([]);
    expect(remove(state, 'nodes', 'node-a', '')).toEqual([PAY]);
  });

  test('the system namespace: everything', () => {
    const state = makeState([selecting]);
    expect(put(state, 'namespaces', namespaceManifest('istio-system'))).toEqual([PAY]);
    expect(put(state, 'namespaces', namespaceManifest('shop'))).toEqual([]);
  });

  test('services of Kubernetes: nothing', () => {
    expect(put(makeState([selecting]), 'services', serviceManifest())).toEqual([]);
  });

  test('what may be read of Pods: nothing, they are a source', () => {
    expect(makeState([selecting]).allowPods()).toEqual(new Set());
  });
});

test('pitfall 17: of two entries with one host, removing one leaves the other', () => {
  const entry = (name: string, address: string) =>
    ['serviceentries', serviceEntryManifest(name, { spec: { endpoints: [{ address }] } })] as const;
  const state = makeState([entry('a', '10.0.0.1'), entry('b', '10.0.0.2')]);
  expect(addresses(state)).toEqual(['10.0.0.1:443', '10.0.0.2:443']);
  expect(remove(state, 'serviceentries', 'a')).toEqual([PAY]);
  expect(addresses(state)).toEqual(['10.0.0.2:443']);
});

test('an entry that fails only validation is converted as far as possible, with a note', () => {
  const spec = { endpoints: [{ address: '10.0.0.1' }], workloadSelector: { labels: { app: 'cart' } } };
  const { snapshot, notes } = makeState([['serviceentries', serviceEntryManifest('pay', { spec })]]).build(PAY);
  expect(snapshot?.key).toBe(PAY);
  expect(notes).toContainEqual({
    code: 'InvalidServiceEntry',
    message: expect.stringMatching(/^ServiceEntry shop\/pay: spec\..*; converted as far as possible$/) as string,
  });
});

test('identities, of a namespace or of all', () => {
  const state = makeState([
    selecting,
    ['serviceentries', serviceEntryManifest('x', { metadata: { namespace: 'shop-2' } })],
  ]);
  expect(state.idsOf('serviceentries')).toEqual(['shop/pay', 'shop-2/x']);
  expect(state.idsOf('serviceentries', 'shop')).toEqual(['shop/pay']);
  expect(state.idsOf('pods')).toEqual([]);
});
