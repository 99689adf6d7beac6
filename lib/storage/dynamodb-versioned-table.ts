import type { ServiceKey } from '../model/service-key';
import { VersionConflictError } from '../model/store-errors';
import type { TableDefinition } from '../runtime/table-definitions';
import {
  allOf,
  anyOf,
  attributeEquals,
  attributeIsAbsent,
  itemHasExpired,
  itemIsCurrent,
  type ExpressionPart,
} from './dynamodb-expression';
import { DynamoDbTable, type TableAccess } from './dynamodb-table';
import { isExpired } from './expiry';
import { decodeVersion, VERSION_ATTRIBUTES, type VersionedCodec, type VersionedRecord } from './versioned-codec';

/**
 * A table with one record a service, written on condition of the version read before. What Catalog and Published have in
 * common; a record past its time to live counts as absent, for readers and for conditions.
 */
export class DynamoDbVersionedTable<Value extends VersionedRecord> {
  readonly table: DynamoDbTable;
  readonly #codec: VersionedCodec<Value>;
  readonly #now: () => number;

  constructor(definition: TableDefinition, access: TableAccess, codec: VersionedCodec<Value>) {
    this.table = new DynamoDbTable(definition, access);
    this.#codec = codec;
    this.#now = () => access.clock.now();
  }

  async get(key: ServiceKey): Promise<Value | undefined> {
    const item = await this.table.get({ service: key });
    return item === undefined || isExpired(item, this.#now()) ? undefined : this.#codec.decode(item);
  }

  async put(record: Value, expected: number | undefined): Promise<void> {
    const written = await this.table.put(this.#codec.encode(record), isAtVersion(expected, this.#now()));
    if (!written) throw new VersionConflictError(this.#codec.table, record.key, expected);
  }

  async *versions(): AsyncIterable<VersionedRecord> {
    for await (const item of this.table.scan({ consistent: true, attributes: VERSION_ATTRIBUTES })) {
      if (!isExpired(item, this.#now())) yield decodeVersion(this.#codec.table, item);
    }
  }
}

function isAtVersion(expected: number | undefined, nowMs: number): ExpressionPart {
  return expected === undefined
    ? anyOf(attributeIsAbsent('service'), itemHasExpired(nowMs))
    : allOf(attributeEquals('version', expected), itemIsCurrent(nowMs));
}
