import type { ServiceKey } from '../model/service-key';
import { VersionConflictError } from '../model/store-errors';
import type { Clock } from '../runtime/clock';
import type { TableDefinition } from '../runtime/table-definitions';
import { deepFreeze } from './deep-freeze';
import { isExpired } from './expiry';
import type { StoredItem } from './item-reading';
import { MemoryTable } from './memory-table';
import { decodeVersion, type VersionedCodec, type VersionedRecord } from './versioned-codec';

/** The twin of `DynamoDbVersionedTable`: same codec, same conditions, in memory. */
export class MemoryVersionedTable<Value extends VersionedRecord> {
  readonly table: MemoryTable;
  readonly #clock: Clock;
  readonly #codec: VersionedCodec<Value>;

  constructor(definition: TableDefinition, clock: Clock, codec: VersionedCodec<Value>) {
    this.table = new MemoryTable(definition);
    this.#clock = clock;
    this.#codec = codec;
  }

  get(key: ServiceKey): Value | undefined {
    const item = this.#current(key);
    return item === undefined ? undefined : deepFreeze(this.#codec.decode(item));
  }

  put(record: Value, expected: number | undefined): void {
    const item = this.#codec.encode(record);
    if (this.#current(record.key)?.version !== expected) {
      throw new VersionConflictError(this.#codec.table, record.key, expected);
    }
    this.table.put(item);
  }

  versions(): readonly VersionedRecord[] {
    return this.currentItems().map((item) => deepFreeze(decodeVersion(this.#codec.table, item)));
  }

  /** The items that have not expired. */
  currentItems(): readonly StoredItem[] {
    return this.table.items().filter((item) => !isExpired(item, this.#clock.now()));
  }

  #current(key: ServiceKey): StoredItem | undefined {
    const item = this.table.get({ service: key });
    return item === undefined || isExpired(item, this.#clock.now()) ? undefined : item;
  }
}
