import { compareText } from '../../model/compare';
import { canonicalAddress } from '../../model/ip-address';
import { ClusterIndex } from './cluster-index';
import { selectsWorkloadEntry } from './convert-workload-entries';
import {
  objectId,
  type KubeNamespace,
  type KubeNode,
  type KubeObject,
  type KubePod,
  type KubeService,
  type KubeServiceEntry,
  type KubeSlice,
  type KubeWorkloadEntry,
  type ObjectId,
  type ObjectName,
} from './kube-objects';

type ObjectMaps = {
  readonly services: Map<ObjectId, KubeService>;
  readonly endpointslices: Map<ObjectId, KubeSlice>;
  readonly pods: Map<ObjectId, KubePod>;
  readonly nodes: Map<ObjectId, KubeNode>;
  readonly namespaces: Map<ObjectId, KubeNamespace>;
  readonly workloadentries: Map<ObjectId, KubeWorkloadEntry>;
};

/** ServiceEntries are services of their own, of another state. */
type ServiceObject = Exclude<KubeObject, KubeServiceEntry>;
type ServiceResource = ServiceObject['resource'];

/**
 * The objects of a cluster and how they hang together. Objects come and go by identity alone; `put` and `remove` only
 * keep the indexes, what follows from a change is asked with `servicesOf` (before and after it).
 */
export class ClusterObjects {
  readonly #objects: ObjectMaps = {
    services: new Map(),
    endpointslices: new Map(),
    pods: new Map(),
    nodes: new Map(),
    namespaces: new Map(),
    workloadentries: new Map(),
  };
  readonly #slicesOfService = new ClusterIndex<ObjectId, ObjectId>();
  /** From a Pod that slices name to those slices; Pods need not exist. */
  readonly #slicesOfPod = new ClusterIndex<ObjectId, ObjectId>();
  /** From `namespace/address` without a Pod's name to the slices that list it. */
  readonly #slicesOfAddress = new ClusterIndex<ObjectId, ObjectId>();
  readonly #podsOfAddress = new ClusterIndex<ObjectId, ObjectId>();
  readonly #podsOfNode = new ClusterIndex<string, ObjectId>();
  readonly #servicesOfNamespace = new ClusterIndex<string, ObjectId>();
  readonly #entriesOfNamespace = new ClusterIndex<string, ObjectId>();
  /** The last form of Pods that are gone while slices still point at them. */
  readonly #departed = new Map<ObjectId, KubePod>();

  get(resource: ServiceResource, id: ObjectId): ServiceObject | undefined {
    return this.#objects[resource].get(id);
  }

  service(id: ObjectId): KubeService | undefined {
    return this.#objects.services.get(id);
  }

  serviceIds(): Iterable<ObjectId> {
    return this.#objects.services.keys();
  }

  namespace(name: string): KubeNamespace | undefined {
    return this.#objects.namespaces.get(objectId({ namespace: '', name }));
  }

  nodeLocality(name: string): string {
    return this.#objects.nodes.get(objectId({ namespace: '', name }))?.locality ?? '';
  }

  /** In the order of their names, so that the order of arrival decides nothing. */
  slicesOf(service: ObjectId): readonly KubeSlice[] {
    return [...this.#slicesOfService.get(service)]
      .sort(compareText)
      .flatMap((id) => this.#objects.endpointslices.get(id) ?? []);
  }

  podNamed(id: ObjectId): KubePod | undefined {
    return this.#objects.pods.get(id) ?? this.#departed.get(id);
  }

  readyPodAt(namespace: string, ip: string): KubePod | undefined {
    return [...this.#podsOfAddress.get(`${namespace}/${ip}`)]
      .sort(compareText)
      .flatMap((id) => this.#objects.pods.get(id) ?? [])
      .find((pod) => pod.ready && !pod.terminal && !pod.terminating);
  }

  workloadEntriesOf(namespace: string): readonly KubeWorkloadEntry[] {
    return [...this.#entriesOfNamespace.get(namespace)]
      .sort(compareText)
      .flatMap((id) => this.#objects.workloadentries.get(id) ?? []);
  }

  /** Every object of the resource, in one namespace or in all. */
  idsOf(resource: ServiceResource, namespace?: string): readonly ObjectId[] {
    const ids = [...this.#objects[resource].keys()];
    return namespace === undefined ? ids : ids.filter((id) => id.startsWith(`${namespace}/`));
  }

  /** The services that are built from the object as it now stands. Services need not exist (endpoints may come first). */
  servicesOf(object: ServiceObject): Iterable<ObjectId> {
    switch (object.resource) {
      case 'services':
        return [objectId(object)];
      case 'endpointslices':
        return [serviceIdOf(object)];
      case 'pods':
        return this.#servicesOfPod(object);
      case 'nodes':
        return this.#servicesOfNode(object.name);
      case 'namespaces':
        return this.#servicesOfNamespace.get(object.name);
      case 'workloadentries':
        return [...this.#servicesOfNamespace.get(object.namespace)].filter((id) => {
          const service = this.#objects.services.get(id);
          return service !== undefined && selectsWorkloadEntry(service, object);
        });
    }
  }

  put(object: ServiceObject): void {
    const id = objectId(object);
    switch (object.resource) {
      case 'services':
        this.#objects.services.set(id, object);
        this.#servicesOfNamespace.add(object.namespace, id);
        return;
      case 'endpointslices':
        this.#putSlice(id, object);
        return;
      case 'pods':
        this.#removePod(id);
        this.#objects.pods.set(id, object);
        this.#departed.delete(id);
        for (const ip of object.ips) this.#podsOfAddress.add(`${object.namespace}/${ip}`, id);
        this.#podsOfNode.add(object.node, id);
        return;
      case 'nodes':
        this.#objects.nodes.set(id, object);
        return;
      case 'namespaces':
        this.#objects.namespaces.set(id, object);
        return;
      case 'workloadentries':
        this.#objects.workloadentries.set(id, object);
        this.#entriesOfNamespace.add(object.namespace, id);
        return;
    }
  }

  remove(resource: ServiceResource, { namespace, name }: ObjectName): void {
    const id = objectId({ namespace, name });
    switch (resource) {
      case 'services':
        this.#objects.services.delete(id);
        this.#servicesOfNamespace.delete(namespace, id);
        return;
      case 'endpointslices':
        this.#removeSlice(id);
        return;
      case 'pods': {
        const pod = this.#removePod(id);
        if (pod !== undefined && this.#slicesOfPod.has(id)) this.#departed.set(id, pod);
        return;
      }
      case 'nodes':
        this.#objects.nodes.delete(id);
        return;
      case 'namespaces':
        this.#objects.namespaces.delete(id);
        return;
      case 'workloadentries':
        this.#objects.workloadentries.delete(id);
        this.#entriesOfNamespace.delete(namespace, id);
        return;
    }
  }

  #putSlice(id: ObjectId, slice: KubeSlice): void {
    const stillNamed = new Set(slice.endpoints.flatMap(({ pod }) => (pod === undefined ? [] : [objectId(pod)])));
    this.#removeSlice(id, stillNamed);
    this.#objects.endpointslices.set(id, slice);
    this.#slicesOfService.add(serviceIdOf(slice), id);
    for (const pod of stillNamed) this.#slicesOfPod.add(pod, id);
    for (const address of addressesWithoutPod(slice)) this.#slicesOfAddress.add(address, id);
  }

  #removeSlice(id: ObjectId, stillNamed: ReadonlySet<ObjectId> = new Set()): void {
    const slice = this.#objects.endpointslices.get(id);
    if (slice === undefined) return;
    this.#objects.endpointslices.delete(id);
    this.#slicesOfService.delete(serviceIdOf(slice), id);
    for (const address of addressesWithoutPod(slice)) this.#slicesOfAddress.delete(address, id);
    for (const { pod } of slice.endpoints) {
      if (pod === undefined) continue;
      const podId = objectId(pod);
      this.#slicesOfPod.delete(podId, id);
      if (!stillNamed.has(podId) && !this.#slicesOfPod.has(podId)) this.#departed.delete(podId);
    }
  }

  #removePod(id: ObjectId): KubePod | undefined {
    const pod = this.#objects.pods.get(id);
    if (pod === undefined) return undefined;
    this.#objects.pods.delete(id);
    for (const ip of pod.ips) this.#podsOfAddress.delete(`${pod.namespace}/${ip}`, id);
    this.#podsOfNode.delete(pod.node, id);
    return pod;
  }

  #servicesOfPod(pod: ObjectName & { readonly ips: readonly string[] }): Set<ObjectId> {
    const slices = [
      ...this.#slicesOfPod.get(objectId(pod)),
      ...pod.ips.flatMap((ip) => [...this.#slicesOfAddress.get(`${pod.namespace}/${ip}`)]),
    ];
    return new Set(
      slices.flatMap((id) => {
        const slice = this.#objects.endpointslices.get(id);
        return slice === undefined ? [] : [serviceIdOf(slice)];
      }),
    );
  }

  #servicesOfNode(node: string): Set<ObjectId> {
    const services = new Set<ObjectId>();
    for (const id of this.#podsOfNode.get(node)) {
      const pod = this.#objects.pods.get(id);
      if (pod === undefined) continue;
      for (const service of this.#servicesOfPod(pod)) services.add(service);
    }
    return services;
  }
}

function serviceIdOf(slice: KubeSlice): ObjectId {
  return `${slice.namespace}/${slice.service}`;
}

function addressesWithoutPod(slice: KubeSlice): readonly ObjectId[] {
  return slice.endpoints.flatMap(({ pod, addresses }): readonly ObjectId[] =>
    pod === undefined ? addresses.map((address) => `${slice.namespace}/${canonicalAddress(address)}` as const) : [],
  );
}
