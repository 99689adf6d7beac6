import type { Note } from '../../model/note';
import type { ServiceKey } from '../../model/service-key';
import type { ServiceSnapshot } from '../../model/service-snapshot';
import type { KubeObject, ObjectId, ObjectName, Resource } from './kube-objects';

/** What a service is called within a state: `namespace/name`, or a service key. */
export type StateId = `${string}/${string}`;

export type BuiltService = {
  readonly key: ServiceKey;
  /** Absent when the service does not exist. */
  readonly snapshot?: ServiceSnapshot;
  readonly notes: readonly Note[];
};

/**
 * What a cluster holds, kept up to date object by object. Each change says which services it touches; only those have to be
 * built anew.
 */
export interface MirroredState {
  /** The services that the new or changed object touches: those it belonged to before, and those it belongs to now. */
  put(object: KubeObject): ReadonlySet<StateId>;
  /** Removes by identity; what is not there is no change. */
  remove(resource: Resource, name: ObjectName): ReadonlySet<StateId>;
  /** Says whether Pods of a namespace (absent: of all) may be read. */
  allowPods(allowed: boolean, namespace?: string): ReadonlySet<StateId>;
  /** Every object of the resource, in one namespace or in all. */
  idsOf(resource: Resource, namespace?: string): readonly ObjectId[];
  serviceIds(): readonly StateId[];
  /** The service as it now is. */
  build(id: StateId): BuiltService;
}
