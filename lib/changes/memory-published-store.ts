import { catalogCodec } from '../catalog/catalog-codec';
import type { KeyedVersion } from '../catalog/catalog-store';
import type { CatalogRecord } from '../model/catalog-entry';
import type { ServiceKey } from '../model/service-key';
import type { Clock } from '../runtime/clock';
import { PUBLISHED_TABLE } from '../runtime/table-definitions';
import { asynchronously } from '../storage/asynchronously';
import type { MemoryTable } from '../storage/memory-table';
import { MemoryVersionedTable } from '../storage/memory-versioned-table';
import type { PublishedStore } from './published-store';

/** The twin of the Published table: same codec, same conditions, in memory. What it returns is frozen. */
export class MemoryPublishedStore implements PublishedStore {
  readonly #records: MemoryVersionedTable<CatalogRecord>;

  constructor(clock: Clock) {
    this.#records = new MemoryVersionedTable(PUBLISHED_TABLE, clock, catalogCodec('Published'));
  }

  get table(): MemoryTable {
    return this.#records.table;
  }

  get(key: ServiceKey): Promise<CatalogRecord | undefined> {
    return asynchronously(() => this.#records.get(key));
  }

  put(record: CatalogRecord, expected: number | undefined): Promise<void> {
    return asynchronously(() => this.#records.put(record, expected));
  }

  async *versions(): AsyncIterable<KeyedVersion> {
    yield* await asynchronously(() => this.#records.versions());
  }
}
