import type { Conflict } from './conflict';
import type { CatalogEndpoint } from './endpoint';
import type { RegistryId } from './registry-id';
import type { Service } from './service';
import type { ServiceKey } from './service-key';

/** Which registry contributed what to an entry. */
export type Contribution = {
  readonly registry: RegistryId;
  /** Hash of the snapshot that was merged. */
  readonly hash: string;
  /** How many endpoints that snapshot had. */
  readonly endpoints: number;
  readonly observedAt: string;
};

/** The reading that led to a version of an entry. `pollId` is the correlation id from snapshot to push. */
export type Cause = { readonly registry: RegistryId; readonly pollId: string; readonly observedAt: string };

/** The merged service: everything of an entry that is content, and nothing of its bookkeeping. */
export type MergedService = Omit<Service, 'creationTime'> & {
  readonly key: ServiceKey;
  readonly endpoints: readonly CatalogEndpoint[];
  readonly registries: readonly Contribution[];
  readonly conflicts: readonly Conflict[];
  /**
   * Of everything above but the times of observation. Endpoints count by their place and by the hash of the snapshot that
   * they come from, which stands in `registries`: two entries with the same hash have the same content.
   */
  readonly hash: string;
};

/** One service in the catalog. */
export type CatalogEntry = MergedService & {
  /** Grows with each write of the key, also across delete and re-create: `max(previous + 1, now in ms)`. */
  readonly version: number;
  readonly cause: Cause;
  readonly updatedAt: string;
};

/** What is left of a deleted entry for 14 days, so that its version keeps growing and the deletion can be published. */
export type CatalogTombstone = {
  readonly key: ServiceKey;
  readonly deleted: true;
  readonly version: number;
  readonly cause: Cause;
  readonly updatedAt: string;
};

export type CatalogRecord = CatalogEntry | CatalogTombstone;

export function isDeleted(record: CatalogRecord): record is CatalogTombstone {
  return 'deleted' in record;
}
