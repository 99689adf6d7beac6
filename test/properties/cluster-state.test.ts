import fc from 'fast-check';
import { ClusterState } from '../../lib/registries/kubernetes/cluster-state';
import { objectId, splitObjectId, type KubeObject, type ObjectId } from '../../lib/registries/kubernetes/kube-objects';
import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import {
  kept,
  namespaceManifest,
  nodeManifest,
  podManifest,
  serviceManifest,
  sliceManifest,
  workloadEntryManifest,
} from '../support/kube-manifests';

const conversion = {
  cluster: 'prod',
  domainSuffix: 'cluster.local',
  trustDomain: 'cluster.local',
  network: '',
  systemNamespace: 'istio-system',
  publishUnhealthy: false,
  workloads: true,
  serviceEntries: true,
};

type Event =
  { readonly type: 'put'; readonly object: KubeObject } | { readonly type: 'remove'; readonly object: KubeObject };

/** Few names and values, so that objects meet. */
const names = fc.constantFrom('a', 'b', 'c');
const ips = fc.constantFrom('10.1.0.1', '10.1.0.2', '10.1.0.3');
const apps = fc.constantFrom('x', 'y');

const service = fc
  .record({ name: names, app: apps, clusterIP: fc.constantFrom('10.0.0.1', 'None') })
  .map(({ name, app, clusterIP }) =>
    kept('services', serviceManifest({ metadata: { name }, spec: { clusterIP, selector: { app } } })),
  );

const listed = fc
  .record({ ip: ips, pod: fc.option(names, { nil: undefined }), ready: fc.boolean() })
  .map(({ ip, pod, ready }) => ({
    addresses: [ip],
    conditions: { ready, serving: ready, terminating: false },
    ...(pod === undefined ? {} : { pod }),
  }));

const slice = fc
  .record({ name: names, service: names, endpoints: fc.array(listed, { maxLength: 3 }) })
  .map(({ name, service: of, endpoints }) =>
    kept(
      'endpointslices',
      sliceManifest(endpoints, { metadata: { namespace: 'shop', name, labels: { 'kubernetes.io/service-name': of } } }),
    ),
  );

const pod = fc
  .record({ name: names, ip: ips, app: apps, node: fc.constantFrom('', 'n1', 'n2'), ready: fc.boolean() })
  .map(({ name, ip, app, node, ready }) =>
    kept(
      'pods',
      podManifest(name, ip, {
        metadata: { labels: { app } },
        spec: { nodeName: node },
        status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
      }),
    ),
  );

const node = fc
  .record({ name: fc.constantFrom('n1', 'n2'), zone: names })
  .map(({ name, zone }) => kept('nodes', nodeManifest(name, { 'topology.kubernetes.io/zone': zone })));

const namespace = fc
  .record({ name: fc.constantFrom('shop', 'istio-system'), network: names })
  .map(({ name, network }) =>
    kept('namespaces', namespaceManifest(name, { labels: { 'topology.istio.io/network': network } })),
  );

const entry = fc
  .record({ name: names, app: apps, address: ips })
  .map(({ name, app, address }) =>
    kept('workloadentries', workloadEntryManifest(name, { spec: { address, labels: { app } } })),
  );

const event: fc.Arbitrary<Event> = fc
  .record({
    type: fc.constantFrom('put' as const, 'put' as const, 'remove' as const),
    object: fc.oneof(service, slice, pod, node, namespace, entry),
  })
  .map(({ type, object }) => ({ type, object: deepFrozen(object) }));

function apply(state: ClusterState, { type, object }: Event): ReadonlySet<ObjectId> {
  return type === 'put' ? state.put(object) : state.remove(object.resource, object);
}

/** What is there after the events; Pods that slices still point at have come back, since their last form would linger. */
function settle(events: readonly Event[]): {
  readonly events: readonly Event[];
  readonly objects: readonly KubeObject[];
} {
  const live = new Map<string, KubeObject>();
  const seen = new Map<string, KubeObject>();
  for (const { type, object } of events) {
    const id = `${object.resource} ${objectId(object)}`;
    if (type === 'put') live.set(id, object);
    else live.delete(id);
    if (type === 'put') seen.set(id, object);
  }
  const missing = [...live.values()]
    .flatMap((object) => (object.resource === 'endpointslices' ? object.endpoints : []))
    .flatMap(({ pod: named }) => (named === undefined ? [] : [`pods ${objectId(named)}`]))
    .filter((id) => !live.has(id))
    .flatMap((id) => seen.get(id) ?? []);
  for (const object of missing) live.set(`pods ${objectId(object)}`, object);
  return {
    events: [...events, ...missing.map((object) => ({ type: 'put' as const, object }))],
    objects: [...live.values()],
  };
}

function everything(state: ClusterState): ReadonlyMap<ObjectId, ServiceSnapshot> {
  return new Map(
    [...state.serviceIds()].sort().flatMap((id) => {
      const { snapshot } = state.build(id);
      return snapshot === undefined ? [] : [[id, snapshot] as const];
    }),
  );
}

test('any history ends in what its objects make when they are read at once, in any order', () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 40 }),
      fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
      (history, order) => {
        const { events, objects } = settle(history);
        const state = new ClusterState(conversion);
        for (const each of events) apply(state, each);

        const shuffled = objects
          .map((object, index) => ({ object, at: order[index] ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ object }) => object);
        const fresh = new ClusterState(conversion);
        for (const object of shuffled) fresh.put(object);
        expect(everything(state)).toEqual(everything(fresh));
      },
    ),
    { numRuns: 300 },
  );
});

test('building only what an event touches is as good as building everything', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const state = new ClusterState(conversion);
      const built = new Map<ObjectId, ServiceSnapshot>();
      for (const each of events) {
        for (const id of apply(state, each)) {
          const { snapshot } = state.build(id);
          if (snapshot === undefined) built.delete(id);
          else built.set(id, snapshot);
        }
      }
      expect(new Map([...built].sort(([a], [b]) => (a < b ? -1 : 1)))).toEqual(everything(state));
    }),
    { numRuns: 300 },
  );
});

test('pitfall 16: a state changes no object that it is given, and no identity but the one removed', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const state = new ClusterState(conversion);
      for (const { type, object } of events) {
        const before = state.idsOf(object.resource);
        apply(state, { type, object });
        const id = objectId(object);
        const others = (ids: readonly ObjectId[]) => ids.filter((other) => other !== id).sort();
        expect(others(state.idsOf(object.resource))).toEqual(others(before));
        expect(splitObjectId(id)).toEqual({ namespace: object.namespace, name: object.name });
      }
    }),
  );
});

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}
