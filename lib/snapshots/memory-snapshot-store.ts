import type { RegistryId } from '../model/registry-id';
import type { SnapshotTombstone, StoredSnapshot } from '../model/service-snapshot';
import type { Clock } from '../runtime/clock';
import { SNAPSHOTS_TABLE } from '../runtime/table-definitions';
import { asynchronously } from '../storage/asynchronously';
import { deepFreeze } from '../storage/deep-freeze';
import { isExpired } from '../storage/expiry';
import type { Item } from '../storage/item-size';
import { MemoryTable } from '../storage/memory-table';
import {
  decodeKnownSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  encodeSnapshotTombstone,
  partitionStored,
  REMOVED_AT,
} from './snapshot-codec';
import type { KnownSnapshot, SnapshotAddress, SnapshotStore, StoredSnapshots } from './snapshot-store';
import { supersededSnapshot } from './superseded-snapshot';

/** The twin of the Snapshots table: same codec, same fence, in memory. What it returns is frozen. */
export class MemorySnapshotStore implements SnapshotStore {
  readonly table = new MemoryTable(SNAPSHOTS_TABLE);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async known(registry: RegistryId): Promise<readonly KnownSnapshot[]> {
    return asynchronously(() => {
      const items = this.table.items().filter((item) => item.registry === registry && !(REMOVED_AT in item));
      return deepFreeze(items.map(decodeKnownSnapshot));
    });
  }

  async getMany(addresses: readonly SnapshotAddress[]): Promise<StoredSnapshots> {
    return asynchronously(() => {
      const distinct = new Map(addresses.map((address) => [`${address.registry} ${address.key}`, address]));
      const items = [...distinct.values()].flatMap(({ registry, key }) => {
        const item = this.table.get({ registry, service: key });
        return item === undefined || isExpired(item, this.#clock.now()) ? [] : [item];
      });
      return deepFreeze(partitionStored(items.map(decodeSnapshot)));
    });
  }

  async put(snapshot: StoredSnapshot): Promise<void> {
    return asynchronously(() => this.#putFenced(encodeSnapshot(snapshot), snapshot));
  }

  async remove(tombstone: SnapshotTombstone): Promise<void> {
    return asynchronously(() => this.#putFenced(encodeSnapshotTombstone(tombstone), tombstone));
  }

  #putFenced(item: Item, writer: SnapshotTombstone | StoredSnapshot): void {
    const present = this.table.get({ registry: writer.registry, service: writer.key });
    const isFree = present === undefined || isExpired(present, this.#clock.now());
    if (!isFree && Number(present.generation) > writer.generation) throw supersededSnapshot(writer);
    this.table.put(item);
  }
}
