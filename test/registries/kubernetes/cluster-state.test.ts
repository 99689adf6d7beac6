import { ClusterState, type ClusterConversion } from '../../../lib/registries/kubernetes/cluster-state';
import { splitObjectId, type Resource } from '../../../lib/registries/kubernetes/kube-objects';
import {
  kept,
  namespaceManifest,
  nodeManifest,
  podManifest,
  serviceManifest,
  sliceManifest,
  workloadEntryManifest,
  type Manifest,
} from '../../support/kube-manifests';

const conversion: ClusterConversion = {
  cluster: 'prod',
  domainSuffix: 'cluster.local',
  trustDomain: 'cluster.local',
  network: 'net-1',
  systemNamespace: 'istio-system',
  publishUnhealthy: false,
  workloads: true,
  serviceEntries: true,
};

const CART = 'shop/cart';

function makeState(objects: readonly (readonly [Resource, Manifest])[] = [], more: Partial<ClusterConversion> = {}) {
  const state = new ClusterState({ ...conversion, ...more });
  for (const [resource, manifest] of objects) state.put(kept(resource, manifest));
  return state;
}

function put(state: ClusterState, resource: Resource, manifest: Manifest): readonly string[] {
  return [...state.put(kept(resource, manifest))].sort();
}

function remove(state: ClusterState, resource: Resource, name: string, namespace = 'shop'): readonly string[] {
  return [...state.remove(resource, { namespace, name })].sort();
}

function addresses(state: ClusterState, id: 'shop/cart' | 'shop/other' = CART): readonly string[] | undefined {
  return state.build(id).snapshot?.endpoints.map((endpoint) => endpoint.addresses.join('+'));
}

const cart = ['services', serviceManifest()] as const;
const slice = ['endpointslices', sliceManifest([{ addresses: ['10.1.0.1'], pod: 'cart-0' }])] as const;
const pod = ['pods', podManifest('cart-0', '10.1.0.1')] as const;

test('a snapshot names everything that it was built from', () => {
  const { key, snapshot, notes } = makeState([cart, slice, pod]).build(CART);
  expect(key).toBe('shop/cart.shop.svc.cluster.local');
  expect(snapshot).toMatchObject({
    key: 'shop/cart.shop.svc.cluster.local',
    registry: 'Kubernetes/prod',
    sources: ['endpointslices/shop', 'pods/shop', 'services/shop', 'workloadentries/shop'],
  });
  expect(notes).toEqual([]);
});

test('sources that are not read are not named', () => {
  const { snapshot } = makeState([cart], { workloads: false, serviceEntries: false }).build(CART);
  expect(snapshot?.sources).toEqual(['endpointslices/shop', 'services/shop']);
});

test('pitfall 27: a service that does not exist has its real key', () => {
  expect(makeState().build('shop/gone')).toEqual({ key: 'shop/gone.shop.svc.cluster.local', notes: [] });
});

test('an alias leads to no endpoints, whatever slices say', () => {
  const alias = serviceManifest({ spec: { type: 'ExternalName', externalName: 'example.com', clusterIP: '' } });
  expect(addresses(makeState([['services', alias], slice, pod]))).toEqual([]);
});

describe('what an event touches', () => {
  const relabelled = (service: string) =>
    sliceManifest([], {
      metadata: { namespace: 'shop', name: 'cart-1', labels: { 'kubernetes.io/service-name': service } },
    });

  test('a service touches itself', () => {
    const state = makeState();
    expect(put(state, ...cart)).toEqual([CART]);
    expect(put(state, 'services', serviceManifest({ metadata: { labels: { a: 'b' } } }))).toEqual([CART]);
    expect(remove(state, 'services', 'cart')).toEqual([CART]);
  });

  test('the same again touches nothing, nor does the removal of what is not there', () => {
    const state = makeState([cart]);
    expect(put(state, ...cart)).toEqual([]);
    expect(remove(state, 'services', 'other')).toEqual([]);
  });

  test('a slice touches its service, and the one that it belonged to', () => {
    const state = makeState([slice]);
    expect(put(state, 'endpointslices', relabelled('other'))).toEqual([CART, 'shop/other']);
    expect(remove(state, 'endpointslices', 'cart-1')).toEqual(['shop/other']);
  });

  test('a Pod touches the services whose slices name it', () => {
    const state = makeState([slice]);
    expect(put(state, ...pod)).toEqual([CART]);
    expect(put(state, 'pods', podManifest('cart-9', '10.1.0.9'))).toEqual([]);
    expect(remove(state, 'pods', 'cart-0')).toEqual([CART]);
  });

  test('a Pod touches the services whose slices list its address, the one before and the one now', () => {
    const state = makeState([
      ['endpointslices', sliceManifest([{ addresses: ['10.1.0.1'] }])],
      [
        'endpointslices',
        sliceManifest([{ addresses: ['10.1.0.2'] }], {
          metadata: { namespace: 'shop', name: 'other-1', labels: { 'kubernetes.io/service-name': 'other' } },
        }),
      ],
    ]);
    expect(put(state, 'pods', podManifest('cart-0', '10.1.0.1'))).toEqual([CART]);
    expect(put(state, 'pods', podManifest('cart-0', '10.1.0.2'))).toEqual([CART, 'shop/other']);
    expect(remove(state, 'pods', 'cart-0')).toEqual(['shop/other']);
  });

  test('a node touches the services of its Pods', () => {
    const state = makeState([slice, pod]);
    expect(put(state, 'nodes', nodeManifest('node-a'))).toEqual([CART]);
    expect(put(state, 'nodes', nodeManifest('node-b'))).toEqual([]);
    expect(remove(state, 'nodes', 'node-a', '')).toEqual([CART]);
  });

  test('a namespace touches its services', () => {
    const state = makeState([cart]);
    expect(put(state, 'namespaces', namespaceManifest('shop'))).toEqual([CART]);
    expect(put(state, 'namespaces', namespaceManifest('elsewhere'))).toEqual([]);
  });

  test('the network of the system namespace touches everything', () => {
    const network = (name: string) =>
      namespaceManifest('istio-system', { labels: { 'topology.istio.io/network': name } });
    const state = makeState([cart, ['services', serviceManifest({ metadata: { namespace: 'b', name: 'x' } })]]);
    expect(put(state, 'namespaces', network('n'))).toEqual(['b/x', CART]);
    expect(remove(state, 'namespaces', 'istio-system', '')).toEqual(['b/x', CART]);
  });

  test('a WorkloadEntry touches the services that select it, and those that its old labels matched', () => {
    const state = makeState([
      cart,
      ['services', serviceManifest({ metadata: { name: 'other' }, spec: { selector: { app: 'other' } } })],
    ]);
    expect(put(state, 'workloadentries', workloadEntryManifest())).toEqual([CART]);
    expect(
      put(state, 'workloadentries', workloadEntryManifest('vm-1', { spec: { labels: { app: 'other' } } })),
    ).toEqual([CART, 'shop/other']);
    expect(addresses(state)).toEqual([]);
    expect(addresses(state, 'shop/other')).toEqual(['172.16.0.1']);
    expect(remove(state, 'workloadentries', 'vm-1')).toEqual(['shop/other']);
  });
});

describe('order of arrival', () => {
  test('endpoints before their service are kept until it comes', () => {
    const state = makeState([pod, slice]);
    expect(state.build(CART).snapshot).toBeUndefined();
    put(state, ...cart);
    expect(addresses(state)).toEqual(['10.1.0.1']);
  });

  test('pitfall 36: an endpoint whose Pod has not been seen is withheld, with a note, until it arrives', () => {
    const state = makeState([cart, slice]);
    expect(addresses(state)).toEqual([]);
    expect(state.build(CART).notes).toEqual([
      {
        code: 'EndpointsWithheld',
        message:
          'shop/cart.shop.svc.cluster.local: endpoints of 1 Pods that have not been seen are withheld until they are: shop/cart-0',
      },
    ]);
    put(state, ...pod);
    expect(addresses(state)).toEqual(['10.1.0.1']);
    expect(state.build(CART).notes).toEqual([]);
  });

  test('a note names five Pods and counts the others', () => {
    const listed = [0, 1, 2, 3, 4, 5, 6].map((n) => ({ addresses: [`10.1.0.${n}`], pod: `cart-${n}` }));
    const [note] = makeState([cart, ['endpointslices', sliceManifest(listed)]]).build(CART).notes;
    expect(note?.message).toContain('endpoints of 7 Pods');
    expect(note?.message).toMatch(/: shop\/cart-0, shop\/cart-1, shop\/cart-2, shop\/cart-3, shop\/cart-4 and 2 more$/);
  });

  test('an endpoint already established keeps its last form when its Pod goes first', () => {
    const state = makeState([cart, slice, pod]);
    const before = state.build(CART).snapshot;
    remove(state, 'pods', 'cart-0');
    expect(state.build(CART).snapshot).toEqual(before);
  });

  test('but not longer than the slice points at it', () => {
    const state = makeState([cart, slice, pod]);
    remove(state, 'pods', 'cart-0');
    put(state, 'endpointslices', sliceManifest([]));
    expect(addresses(state)).toEqual([]);
    put(state, ...slice);
    expect(addresses(state)).toEqual([]);
  });

  test('while the slice changes otherwise, the last form stays', () => {
    const state = makeState([cart, slice, pod]);
    remove(state, 'pods', 'cart-0');
    put(
      state,
      'endpointslices',
      sliceManifest([{ addresses: ['10.1.0.1'], pod: 'cart-0' }], { ports: [{ name: 'http', port: 9999 }] }),
    );
    expect(state.build(CART).snapshot?.endpoints.map(({ port }) => port)).toEqual([9999]);
  });

  test('the last form stays while another slice points at the Pod', () => {
    const second = sliceManifest([{ addresses: ['10.1.0.1'], pod: 'cart-0' }], {
      metadata: { namespace: 'shop', name: 'cart-2', labels: { 'kubernetes.io/service-name': 'cart' } },
    });
    const state = makeState([cart, slice, ['endpointslices', second], pod]);
    remove(state, 'pods', 'cart-0');
    remove(state, 'endpointslices', 'cart-1');
    expect(addresses(state)).toEqual(['10.1.0.1']);
  });

  test('a Pod that comes again counts as it now is', () => {
    const state = makeState([cart, slice, pod]);
    remove(state, 'pods', 'cart-0');
    put(state, 'pods', podManifest('cart-0', '10.1.0.1', { metadata: { labels: { app: 'cart', version: 'v2' } } }));
    expect(state.build(CART).snapshot?.endpoints[0]?.labels).toEqual({ app: 'cart', version: 'v2' });
  });

  test('pitfall 20: a Pod that takes over the address of another is another endpoint', () => {
    const state = makeState([cart, slice, pod]);
    put(state, 'endpointslices', sliceManifest([{ addresses: ['10.1.0.1'], pod: 'new-0' }]));
    put(state, 'pods', podManifest('new-0', '10.1.0.1', { spec: { serviceAccountName: 'new' } }));
    expect(
      state.build(CART).snapshot?.endpoints.map(({ workload, serviceAccount }) => [workload.name, serviceAccount]),
    ).toEqual([['new-0', 'spiffe://cluster.local/ns/shop/sa/new']]);
  });

  test('of several ready Pods at an address without a name, the first by name', () => {
    const bare = ['endpointslices', sliceManifest([{ addresses: ['10.1.0.1'] }])] as const;
    const at = (name: string, more: Manifest = {}, metadata: Manifest = {}) =>
      ['pods', podManifest(name, '10.1.0.1', { status: more, metadata })] as const;
    const state = makeState([
      cart,
      bare,
      at('z'),
      at('c'),
      at('a', { conditions: [] }),
      at('b', { phase: 'Succeeded' }),
      at('aa', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    ]);
    expect(state.build(CART).snapshot?.endpoints.map(({ workload }) => workload.name)).toEqual(['c']);
  });
});

describe('network', () => {
  const networks = (state: ClusterState) => state.build(CART).snapshot?.endpoints.map(({ network }) => network);
  const system = [
    'namespaces',
    namespaceManifest('istio-system', { labels: { 'topology.istio.io/network': 'n' } }),
  ] as const;

  test("the registry's", () => {
    expect(networks(makeState([cart, slice, pod]))).toEqual(['net-1']);
  });

  test("before it the system namespace's", () => {
    expect(networks(makeState([cart, slice, pod, system]))).toEqual(['n']);
  });
});

describe('without permission to read Pods', () => {
  test('everywhere: endpoints are published as they stand, and Pods are no source', () => {
    const state = makeState([cart, slice]);
    expect([...state.allowPods(false)]).toEqual([CART]);
    expect([...state.allowPods(false)]).toEqual([]);
    expect(addresses(state)).toEqual(['10.1.0.1']);
    expect(state.build(CART).snapshot?.sources).not.toContain('pods/shop');
    expect([...state.allowPods(true)]).toEqual([CART]);
    expect(addresses(state)).toEqual([]);
  });

  test('in one namespace: only there', () => {
    const state = makeState([cart, slice, ['services', serviceManifest({ metadata: { namespace: 'b', name: 'x' } })]]);
    expect([...state.allowPods(false, 'b')]).toEqual(['b/x']);
    expect(addresses(state)).toEqual([]);
    expect([...state.allowPods(false, 'shop')]).toEqual([CART]);
    expect(addresses(state)).toEqual(['10.1.0.1']);
  });
});

test('identities, of a namespace or of all', () => {
  const state = makeState([cart, ['services', serviceManifest({ metadata: { namespace: 'shop-2', name: 'x' } })]]);
  expect(state.idsOf('services')).toEqual([CART, 'shop-2/x']);
  expect(state.idsOf('services', 'shop')).toEqual([CART]);
  expect(state.serviceIds()).toEqual([CART, 'shop-2/x']);
  expect(splitObjectId('/node-a')).toEqual({ namespace: '', name: 'node-a' });
});
