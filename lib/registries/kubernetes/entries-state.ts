import { canonicalJson } from '../../model/canonical-json';
import { compareText, sortedUnique } from '../../model/compare';
import { labelsMatch, type Labels } from '../../model/labels';
import type { Note } from '../../model/note';
import { makeRegistryId } from '../../model/registry-id';
import { parseServiceKey, type ServiceKey } from '../../model/service-key';
import { convertService, entriesByService } from '../external/convert-service-entries';
import type { ServiceEntry } from '../external/entries';
import { formatProblem } from '../external/problem';
import { workloadOfEntry, type SelectableWorkload } from '../external/selectable-workload';
import { validateServiceEntry } from '../external/validate-service-entry';
import { compareWorkloads } from '../external/workload-index';
import { ClusterIndex } from './cluster-index';
import {
  objectId,
  splitObjectId,
  type KubeObject,
  type KubePod,
  type KubeServiceEntry,
  type KubeWorkloadEntry,
  type ObjectId,
  type ObjectName,
  type Resource,
} from './kube-objects';
import type { BuiltService, MirroredState } from './mirrored-state';
import { podWorkload } from './pod-workload';

export type EntriesConversion = {
  readonly cluster: string;
  readonly trustDomain: string;
  /** Network of Pods that name none, when the system namespace has no label for it. */
  readonly network: string;
  readonly systemNamespace: string;
  /** Whether Pods are read, so that selectors can choose them. */
  readonly workloads: boolean;
};

/**
 * The ServiceEntries of a cluster with what their selectors choose from: WorkloadEntries and Pods. How an entry becomes
 * services is the External registry's business; here is only which of them an object touches.
 */
export class EntriesState implements MirroredState {
  readonly #conversion: EntriesConversion;
  readonly #objects = new Map<Resource, Map<ObjectId, KubeObject>>();
  readonly #entriesOfService = new ClusterIndex<ServiceKey, ObjectId>();
  /** ServiceEntries with a selector, by namespace. */
  readonly #selecting = new ClusterIndex<string, ObjectId>();
  /** WorkloadEntries and Pods, by namespace. */
  readonly #selectable = new ClusterIndex<string, KubePod | KubeWorkloadEntry>();
  readonly #podsOfNode = new ClusterIndex<string, KubePod>();

  constructor(conversion: EntriesConversion) {
    this.#conversion = conversion;
  }

  put(object: KubeObject): ReadonlySet<ServiceKey> {
    const id = objectId(object);
    const old = this.#of(object.resource).get(id);
    if (old !== undefined && canonicalJson(old) === canonicalJson(object)) return new Set();
    const touched = new Set(old === undefined ? [] : this.#servicesOf(old));
    if (old !== undefined) this.#unlink(old);
    this.#of(object.resource).set(id, object);
    this.#link(object);
    for (const key of this.#servicesOf(object)) touched.add(key);
    return touched;
  }

  remove(resource: Resource, name: ObjectName): ReadonlySet<ServiceKey> {
    const old = this.#of(resource).get(objectId(name));
    if (old === undefined) return new Set();
    const touched = new Set(this.#servicesOf(old));
    this.#unlink(old);
    this.#of(resource).delete(objectId(name));
    return touched;
  }

  /** Pods are a source like any other here: where they cannot be read, what selects them is unknown. */
  allowPods(): ReadonlySet<ServiceKey> {
    return new Set();
  }

  idsOf(resource: Resource, namespace?: string): readonly ObjectId[] {
    const ids = [...this.#of(resource).keys()];
    return namespace === undefined ? ids : ids.filter((id) => splitObjectId(id).namespace === namespace);
  }

  serviceIds(): readonly ServiceKey[] {
    return [...this.#entriesOfService.keys()];
  }

  build(id: ServiceKey): BuiltService {
    const { key } = parseServiceKey(id);
    const entries = [...this.#entriesOfService.get(key)].sort(compareText).flatMap((entry) => this.#entry(entry) ?? []);
    const { snapshots, notes } = convertService(entriesByService(entries).get(key) ?? [], {
      registry: makeRegistryId('External', this.#conversion.cluster),
      trustDomain: this.#conversion.trustDomain,
      workloads: { select: (namespace, selector) => this.#select(namespace, selector) },
    });
    const [snapshot] = snapshots;
    if (snapshot === undefined) return { key, notes };
    const sources = sortedUnique([...snapshot.sources, ...entries.flatMap((entry) => this.#choiceOf(entry))]);
    return { key, snapshot: { ...snapshot, sources }, notes: [...entries.flatMap(validationNotes), ...notes] };
  }

  #of(resource: Resource): Map<ObjectId, KubeObject> {
    const objects = this.#objects.get(resource) ?? new Map<ObjectId, KubeObject>();
    this.#objects.set(resource, objects);
    return objects;
  }

  #entry(id: ObjectId): ServiceEntry | undefined {
    const object = this.#of('serviceentries').get(id);
    return object?.resource === 'serviceentries' ? object.entry : undefined;
  }

  #link(object: KubeObject): void {
    if (object.resource === 'serviceentries') {
      for (const key of servicesOfEntry(object)) this.#entriesOfService.add(key, objectId(object));
      if (object.entry.spec.workloadSelector !== undefined) this.#selecting.add(object.namespace, objectId(object));
    } else if (object.resource === 'pods' || object.resource === 'workloadentries') {
      this.#selectable.add(object.namespace, object);
      if (object.resource === 'pods') this.#podsOfNode.add(object.node, object);
    }
  }

  #unlink(object: KubeObject): void {
    if (object.resource === 'serviceentries') {
      for (const key of servicesOfEntry(object)) this.#entriesOfService.delete(key, objectId(object));
      this.#selecting.delete(object.namespace, objectId(object));
    } else if (object.resource === 'pods' || object.resource === 'workloadentries') {
      this.#selectable.delete(object.namespace, object);
      if (object.resource === 'pods') this.#podsOfNode.delete(object.node, object);
    }
  }

  /** The services that the object has a part in. */
  #servicesOf(object: KubeObject): readonly ServiceKey[] {
    switch (object.resource) {
      case 'serviceentries':
        return servicesOfEntry(object);
      case 'pods':
      case 'workloadentries':
        return [...this.#selecting.get(object.namespace)].flatMap((id) => {
          const entry = this.#entry(id);
          const selector = entry?.spec.workloadSelector?.labels;
          return entry === undefined || selector === undefined || !labelsMatch(selector, labelsOf(object))
            ? []
            : [...entriesByService([entry]).keys()];
        });
      case 'nodes':
        return [...this.#podsOfNode.get(object.name)].flatMap((pod) => this.#servicesOf(pod));
      case 'namespaces':
        return object.name === this.#conversion.systemNamespace ? this.serviceIds() : [];
      case 'services':
      case 'endpointslices':
        return [];
    }
  }

  #select(namespace: string, selector: Labels): readonly SelectableWorkload[] {
    return [...this.#selectable.get(namespace)]
      .filter((object) => labelsMatch(selector, labelsOf(object)))
      .flatMap((object) => this.#workloadOf(object) ?? [])
      .sort(compareWorkloads);
  }

  #workloadOf(object: KubePod | KubeWorkloadEntry): SelectableWorkload | undefined {
    if (object.resource === 'workloadentries') return workloadOfEntry(object.entry, this.#conversion.trustDomain);
    if (!object.ready || object.terminal || object.terminating || object.ips.length === 0) return undefined;
    const surroundings = { trustDomain: this.#conversion.trustDomain, network: this.#network() };
    return {
      ...podWorkload(object, this.#localityOfNode(object.node), surroundings),
      namespace: object.namespace,
      addresses: object.ips,
      ports: object.ports,
      weight: 0,
      sources: [`pods/${object.namespace}`],
    };
  }

  /** What the entry's selector chooses from, whether or not anything is found: unreadable, it makes the service unknown. */
  #choiceOf({ namespace, spec }: ServiceEntry): readonly string[] {
    if (spec.workloadSelector === undefined) return [];
    return [`workloadentries/${namespace}`, ...(this.#conversion.workloads ? [`pods/${namespace}`] : [])];
  }

  #localityOfNode(name: string): string {
    const node = this.#of('nodes').get(objectId({ namespace: '', name }));
    return node?.resource === 'nodes' ? node.locality : '';
  }

  #network(): string {
    const system = this.#of('namespaces').get(objectId({ namespace: '', name: this.#conversion.systemNamespace }));
    const label = system?.resource === 'namespaces' ? system.network : '';
    return label === '' ? this.#conversion.network : label;
  }
}

function servicesOfEntry({ entry }: KubeServiceEntry): readonly ServiceKey[] {
  return [...entriesByService([entry]).keys()];
}

function labelsOf(object: KubePod | KubeWorkloadEntry): Labels {
  return object.resource === 'pods' ? object.labels : { ...object.entry.spec.labels, ...object.entry.labels };
}

/** The webhook that refuses such entries was not there; istiod takes them too, as far as they have a meaning. */
function validationNotes(entry: ServiceEntry): readonly Note[] {
  const { problems, notes } = validateServiceEntry(entry);
  return [
    ...problems.map((problem) => ({
      code: 'InvalidServiceEntry',
      message: `ServiceEntry ${entry.namespace}/${entry.name}: ${formatProblem(problem)}; converted as far as possible`,
    })),
    ...notes,
  ];
}
