import { canonicalJson } from '../../model/canonical-json';
import type { Note } from '../../model/note';
import { makeRegistryId } from '../../model/registry-id';
import { makeServiceKey, type ServiceKey } from '../../model/service-key';
import { makeServiceSnapshot } from '../../model/service-snapshot';
import { ClusterObjects } from './cluster-objects';
import { convertService, hostnameOfService, type ServiceConversion } from './convert-service';
import { convertSlices } from './convert-slices';
import { convertWorkloadEntries } from './convert-workload-entries';
import {
  objectId,
  splitObjectId,
  type KubeObject,
  type KubeService,
  type ObjectId,
  type ObjectName,
  type Resource,
} from './kube-objects';
import type { BuiltService, MirroredState } from './mirrored-state';

export type ClusterConversion = ServiceConversion & {
  /** Network of workloads that name none, when the system namespace has no label for it. */
  readonly network: string;
  /** Namespace whose network label counts for the whole cluster. */
  readonly systemNamespace: string;
  readonly publishUnhealthy: boolean;
  /** Whether Pods are read at all. */
  readonly workloads: boolean;
  /** Whether WorkloadEntries are read. */
  readonly serviceEntries: boolean;
};

/** How many withheld Pods a note names. */
const PODS_NAMED = 5;

/**
 * What one cluster holds, kept up to date object by object. Each change says which services it touches; only those have to
 * be built anew, and building is a function of the objects alone. The order of arrival makes no difference, with one
 * exception on purpose: an endpoint whose Pod is gone before its slice says so keeps its last form.
 */
export class ClusterState implements MirroredState {
  readonly #objects = new ClusterObjects();
  readonly #conversion: ClusterConversion;
  /** Namespaces in which Pods may not be read; `''` = in none at all. */
  readonly #podsForbidden = new Set<string>();

  constructor(conversion: ClusterConversion) {
    this.#conversion = conversion;
  }

  put(object: KubeObject): ReadonlySet<ObjectId> {
    if (object.resource === 'serviceentries') return new Set();
    const old = this.#objects.get(object.resource, objectId(object));
    if (old !== undefined && canonicalJson(old) === canonicalJson(object)) return new Set();
    const touched = new Set(old === undefined ? [] : this.#objects.servicesOf(old));
    this.#objects.put(object);
    for (const service of this.#objects.servicesOf(object)) touched.add(service);
    return this.#changesNetwork(object.resource, object, old) ? new Set(this.#objects.serviceIds()) : touched;
  }

  remove(resource: Resource, name: ObjectName): ReadonlySet<ObjectId> {
    if (resource === 'serviceentries') return new Set();
    const old = this.#objects.get(resource, objectId(name));
    if (old === undefined) return new Set();
    const touched = new Set(this.#objects.servicesOf(old));
    this.#objects.remove(resource, name);
    return this.#changesNetwork(resource, undefined, old) ? new Set(this.#objects.serviceIds()) : touched;
  }

  /** Where Pods may not be read, endpoints whose Pod is unknown are published as they stand. */
  allowPods(allowed: boolean, namespace = ''): ReadonlySet<ObjectId> {
    if (allowed !== this.#podsForbidden.has(namespace)) return new Set();
    if (allowed) this.#podsForbidden.delete(namespace);
    else this.#podsForbidden.add(namespace);
    const all = [...this.#objects.serviceIds()];
    return new Set(namespace === '' ? all : all.filter((id) => id.startsWith(`${namespace}/`)));
  }

  idsOf(resource: Resource, namespace?: string): readonly ObjectId[] {
    return resource === 'serviceentries' ? [] : this.#objects.idsOf(resource, namespace);
  }

  serviceIds(): readonly ObjectId[] {
    return [...this.#objects.serviceIds()];
  }

  build(id: ObjectId): BuiltService {
    const { namespace, name } = splitObjectId(id);
    const key = makeServiceKey(namespace, hostnameOfService(name, namespace, this.#conversion.domainSuffix));
    const object = this.#objects.service(id);
    return object === undefined ? { key, notes: [] } : this.#buildService(id, key, object);
  }

  #buildService(id: ObjectId, key: ServiceKey, object: KubeService): BuiltService {
    const { cluster, trustDomain, publishUnhealthy } = this.#conversion;
    const service = convertService(object, this.#objects.namespace(object.namespace), this.#conversion);
    const readable = this.#readsPods(object.namespace);
    const { endpoints, withheld } =
      service.resolution === 'Alias'
        ? { endpoints: [], withheld: [] }
        : convertSlices(
            object,
            this.#objects.slicesOf(id),
            {
              named: (namespace, name) => this.#objects.podNamed(`${namespace}/${name}`),
              readyAt: (namespace, ip) => this.#objects.readyPodAt(namespace, ip),
              localityOfNode: (node) => this.#objects.nodeLocality(node),
              readable,
            },
            { trustDomain, network: this.#network(), publishUnhealthy },
          );
    const entries = convertWorkloadEntries(object, this.#objects.workloadEntriesOf(object.namespace), trustDomain);
    return {
      key,
      snapshot: makeServiceSnapshot({
        registry: makeRegistryId('Kubernetes', cluster),
        service,
        endpoints: [...endpoints, ...entries],
        sources: this.#sourcesOf(object.namespace, readable),
      }),
      notes: withheld.length === 0 ? [] : [withheldNote(key, withheld)],
    };
  }

  #sourcesOf(namespace: string, readsPods: boolean): readonly string[] {
    return [
      `services/${namespace}`,
      `endpointslices/${namespace}`,
      ...(readsPods ? [`pods/${namespace}`] : []),
      ...(this.#conversion.serviceEntries ? [`workloadentries/${namespace}`] : []),
    ];
  }

  #readsPods(namespace: string): boolean {
    return this.#conversion.workloads && !this.#podsForbidden.has('') && !this.#podsForbidden.has(namespace);
  }

  #network(): string {
    const label = this.#objects.namespace(this.#conversion.systemNamespace)?.network ?? '';
    return label === '' ? this.#conversion.network : label;
  }

  #changesNetwork(resource: Resource, object: KubeObject | undefined, old: KubeObject | undefined): boolean {
    if (resource !== 'namespaces') return false;
    return networkOf(object, this.#conversion.systemNamespace) !== networkOf(old, this.#conversion.systemNamespace);
  }
}

function networkOf(object: KubeObject | undefined, systemNamespace: string): string {
  return object?.resource === 'namespaces' && object.name === systemNamespace ? object.network : '';
}

function withheldNote(key: ServiceKey, withheld: readonly string[]): Note {
  const named = withheld.slice(0, PODS_NAMED).join(', ');
  const more = withheld.length > PODS_NAMED ? ` and ${withheld.length - PODS_NAMED} more` : '';
  return {
    code: 'EndpointsWithheld',
    message: `${key}: endpoints of ${withheld.length} Pods that have not been seen are withheld until they are: ${named}${more}`,
  };
}
