import { contentHash } from './canonical-json';
import { sortedUnique } from './compare';
import { compareConflicts, type Conflict } from './conflict';
import { compareEndpoints, type Endpoint } from './endpoint';
import type { RegistryId } from './registry-id';
import { serviceKeyOf, type Service } from './service';
import type { ServiceKey } from './service-key';

/** One service as one registry sees it now. An immutable value; two snapshots are equal when their hashes are. */
export type ServiceSnapshot = {
  readonly key: ServiceKey;
  readonly registry: RegistryId;
  readonly service: Service;
  readonly endpoints: readonly Endpoint[];
  /** Everything in the registry that the service was built from (a manifest path, `pods/<namespace>`, …). */
  readonly sources: readonly string[];
  /** Differences between several sources of this one registry. */
  readonly conflicts: readonly Conflict[];
  /** Of service (without `creationTime`), endpoints and conflicts. Sources are provenance and not part of it. */
  readonly hash: string;
};

/** @throws InvalidValueError when namespace or host name make no service key. */
export function makeServiceSnapshot(input: {
  readonly registry: RegistryId;
  readonly service: Service;
  readonly endpoints: readonly Endpoint[];
  readonly sources: readonly string[];
  readonly conflicts?: readonly Conflict[];
}): ServiceSnapshot {
  const endpoints = [...input.endpoints].sort(compareEndpoints);
  const conflicts = [...(input.conflicts ?? [])].sort(compareConflicts);
  return {
    key: serviceKeyOf(input.service),
    registry: input.registry,
    service: input.service,
    endpoints,
    sources: sortedUnique(input.sources),
    conflicts,
    hash: contentHash({ service: { ...input.service, creationTime: undefined }, endpoints, conflicts }),
  };
}

/** A snapshot as it stands in the Snapshots table: with the facts of its writing. */
export type StoredSnapshot = ServiceSnapshot & {
  /**
   * SPIFFE identities of the endpoints, sorted; kept when the last endpoint goes, so that n → 0 → n is no account change
   * (istio 14605, 39652).
   */
  readonly endpointAccounts: readonly string[];
  /** Position in the order of merging; the lower one wins. */
  readonly precedence: number;
  /** Fencing number of the run that wrote it. */
  readonly generation: number;
  readonly pollId: string;
  /** When the registry was read, ISO 8601. */
  readonly observedAt: string;
};

/** What is left of a removed snapshot for seven days, so that a delayed poller of an older generation cannot bring it back. */
export type SnapshotTombstone = {
  readonly key: ServiceKey;
  readonly registry: RegistryId;
  readonly generation: number;
  readonly pollId: string;
  readonly removedAt: string;
};

/** The accounts that the endpoints run as, sorted. */
export function accountsOf(endpoints: readonly Endpoint[]): readonly string[] {
  return sortedUnique(endpoints.map((endpoint) => endpoint.serviceAccount).filter((account) => account !== ''));
}
