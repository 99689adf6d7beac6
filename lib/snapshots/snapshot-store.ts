import type { RegistryId } from '../model/registry-id';
import type { ServiceKey } from '../model/service-key';
import type { SnapshotTombstone, StoredSnapshot } from '../model/service-snapshot';

/** What a poller has to know of its own snapshots to plan its writes. */
export type KnownSnapshot = {
  readonly key: ServiceKey;
  readonly hash: string;
  readonly precedence: number;
  /** Schema number of the stored item; another than today's is rewritten. */
  readonly schema: number;
  readonly sources: readonly string[];
  readonly endpointCount: number;
  readonly endpointAccounts: readonly string[];
};

export type SnapshotAddress = { readonly registry: RegistryId; readonly key: ServiceKey };

/** What stands at some addresses, in no particular order. */
export type StoredSnapshots = {
  readonly snapshots: readonly StoredSnapshot[];
  readonly tombstones: readonly SnapshotTombstone[];
};

/** The Snapshots table. All reads are consistent. Expired tombstones count as absent. */
export interface SnapshotStore {
  /** The registry's snapshots, without tombstones, in no particular order; every page of them. */
  known(registry: RegistryId): Promise<readonly KnownSnapshot[]>;
  /** The snapshots that exist at these addresses; tombstones and absent ones are left out of `snapshots`. */
  getMany(addresses: readonly SnapshotAddress[]): Promise<StoredSnapshots>;
  /**
   * Conditional on no newer generation having written the item.
   * @throws SupersededError when one has; ItemTooLargeError over DynamoDB's 400 KB even compressed (the last good item stays).
   */
  put(snapshot: StoredSnapshot): Promise<void>;
  /** Puts a tombstone in place of the snapshot, under the same condition. @throws SupersededError */
  remove(tombstone: SnapshotTombstone): Promise<void>;
}

/** Days that a snapshot's tombstone is kept (DESIGN "Tables"). */
export const SNAPSHOT_TOMBSTONE_DAYS = 7;

/** Schema number of snapshot items as this code writes them. */
export const SNAPSHOT_SCHEMA = 1;
