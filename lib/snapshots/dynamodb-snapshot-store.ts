import type { RegistryId } from '../model/registry-id';
import type { SnapshotTombstone, StoredSnapshot } from '../model/service-snapshot';
import { SNAPSHOTS_TABLE } from '../runtime/table-definitions';
import {
  anyOf,
  attributeAtMost,
  attributeEquals,
  attributeIsAbsent,
  itemHasExpired,
} from '../storage/dynamodb-expression';
import { DynamoDbTable, type TableAccess } from '../storage/dynamodb-table';
import { isExpired } from '../storage/expiry';
import type { Item } from '../storage/item-size';
import {
  decodeKnownSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  encodeSnapshotTombstone,
  KNOWN_ATTRIBUTES,
  partitionStored,
  REMOVED_AT,
} from './snapshot-codec';
import type { KnownSnapshot, SnapshotAddress, SnapshotStore, StoredSnapshots } from './snapshot-store';
import { supersededSnapshot } from './superseded-snapshot';

/** The Snapshots table in DynamoDB. */
export class DynamoDbSnapshotStore implements SnapshotStore {
  readonly #table: DynamoDbTable;
  readonly #now: () => number;

  constructor(access: TableAccess) {
    this.#table = new DynamoDbTable(SNAPSHOTS_TABLE, access);
    this.#now = () => access.clock.now();
  }

  async known(registry: RegistryId): Promise<readonly KnownSnapshot[]> {
    const known: KnownSnapshot[] = [];
    const keys = [attributeEquals('registry', registry)];
    const filter = attributeIsAbsent(REMOVED_AT);
    for await (const item of this.#table.query({ keys, filter, attributes: KNOWN_ATTRIBUTES })) {
      known.push(decodeKnownSnapshot(item));
    }
    return known;
  }

  async getMany(addresses: readonly SnapshotAddress[]): Promise<StoredSnapshots> {
    const items = await this.#table.batchGet(addresses.map(({ registry, key }) => ({ registry, service: key })));
    return partitionStored(items.filter((item) => !isExpired(item, this.#now())).map(decodeSnapshot));
  }

  async put(snapshot: StoredSnapshot): Promise<void> {
    await this.#putFenced(encodeSnapshot(snapshot), snapshot);
  }

  async remove(tombstone: SnapshotTombstone): Promise<void> {
    await this.#putFenced(encodeSnapshotTombstone(tombstone), tombstone);
  }

  async #putFenced(item: Item, writer: SnapshotTombstone | StoredSnapshot): Promise<void> {
    const noNewerWriter = anyOf(
      attributeIsAbsent('registry'),
      attributeAtMost('generation', writer.generation),
      itemHasExpired(this.#now()),
    );
    if (!(await this.#table.put(item, noNewerWriter))) throw supersededSnapshot(writer);
  }
}
