import { isDeleted, type CatalogEntry, type CatalogRecord } from '../model/catalog-entry';
import type { ServiceKey } from '../model/service-key';
import { serviceKeySchema } from '../model/value-schemas';
import { BY_HOSTNAME, BY_NAMESPACE, CATALOG_TABLE } from '../runtime/table-definitions';
import { attributeEquals, attributeIsAbsent, type ExpressionPart } from '../storage/dynamodb-expression';
import { BATCH_GET_KEYS, type TableAccess } from '../storage/dynamodb-table';
import { DynamoDbVersionedTable } from '../storage/dynamodb-versioned-table';
import { inChunks } from '../storage/in-chunks';
import type { StoredItem } from '../storage/item-reading';
import { catalogCodec, DELETED } from './catalog-codec';
import type { CatalogStore, KeyedVersion } from './catalog-store';

const CODEC = catalogCodec('Catalog');

/** The Catalog table in DynamoDB. */
export class DynamoDbCatalogStore implements CatalogStore {
  readonly #records: DynamoDbVersionedTable<CatalogRecord>;

  constructor(access: TableAccess) {
    this.#records = new DynamoDbVersionedTable(CATALOG_TABLE, access, CODEC);
  }

  get(key: ServiceKey): Promise<CatalogRecord | undefined> {
    return this.#records.get(key);
  }

  put(record: CatalogRecord, expected: number | undefined): Promise<void> {
    return this.#records.put(record, expected);
  }

  versions(): AsyncIterable<KeyedVersion> {
    return this.#records.versions();
  }

  async *list(): AsyncIterable<CatalogEntry> {
    const filter = attributeIsAbsent(DELETED);
    for await (const item of this.#records.table.scan({ consistent: false, filter })) yield* liveEntries([item]);
  }

  listNamespace(namespace: string): AsyncIterable<CatalogEntry> {
    return this.#listIndex(BY_NAMESPACE, attributeEquals('namespace', namespace));
  }

  listHostname(hostname: string): AsyncIterable<CatalogEntry> {
    return this.#listIndex(BY_HOSTNAME, attributeEquals('hostname', hostname));
  }

  /**
   * The entries behind the keys of an index, in its order. The index lags behind the table, so an entry may be gone or
   * deleted by now: the table has the last word.
   */
  async *#listIndex(index: string, partition: ExpressionPart): AsyncIterable<CatalogEntry> {
    const found = this.#records.table.query({ index, keys: [partition] });
    for await (const chunk of inChunks(found, BATCH_GET_KEYS)) {
      const keys = chunk.map((item) => serviceKeySchema.parse(item.service));
      const items = await this.#records.table.batchGet(keys.map((service) => ({ service })));
      const byKey = new Map(liveEntries(items).map((entry) => [entry.key, entry]));
      yield* keys.flatMap((key) => byKey.get(key) ?? []);
    }
  }
}

function liveEntries(items: readonly StoredItem[]): readonly CatalogEntry[] {
  return items.map(CODEC.decode).flatMap((record) => (isDeleted(record) ? [] : [record]));
}
