import { catalogCodec } from '../catalog/catalog-codec';
import type { KeyedVersion } from '../catalog/catalog-store';
import type { CatalogRecord } from '../model/catalog-entry';
import type { ServiceKey } from '../model/service-key';
import { PUBLISHED_TABLE } from '../runtime/table-definitions';
import type { TableAccess } from '../storage/dynamodb-table';
import { DynamoDbVersionedTable } from '../storage/dynamodb-versioned-table';
import type { PublishedStore } from './published-store';

/** The Published table in DynamoDB. */
export class DynamoDbPublishedStore implements PublishedStore {
  readonly #records: DynamoDbVersionedTable<CatalogRecord>;

  constructor(access: TableAccess) {
    this.#records = new DynamoDbVersionedTable(PUBLISHED_TABLE, access, catalogCodec('Published'));
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
}
