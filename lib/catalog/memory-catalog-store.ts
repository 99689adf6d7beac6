import { isDeleted, type CatalogEntry, type CatalogRecord } from '../model/catalog-entry';
import { compareText } from '../model/compare';
import type { ServiceKey } from '../model/service-key';
import type { Clock } from '../runtime/clock';
import { CATALOG_TABLE } from '../runtime/table-definitions';
import { asynchronously } from '../storage/asynchronously';
import { deepFreeze } from '../storage/deep-freeze';
import type { MemoryTable } from '../storage/memory-table';
import { MemoryVersionedTable } from '../storage/memory-versioned-table';
import { catalogCodec } from './catalog-codec';
import type { CatalogStore, KeyedVersion } from './catalog-store';

const CODEC = catalogCodec('Catalog');

/** The twin of the Catalog table: same codec, same conditions, in memory. What it returns is frozen. */
export class MemoryCatalogStore implements CatalogStore {
  readonly #records: MemoryVersionedTable<CatalogRecord>;

  constructor(clock: Clock) {
    this.#records = new MemoryVersionedTable(CATALOG_TABLE, clock, CODEC);
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

  async *list(): AsyncIterable<CatalogEntry> {
    yield* await asynchronously(() => this.#entries());
  }

  async *listNamespace(namespace: string): AsyncIterable<CatalogEntry> {
    const entries = await asynchronously(() => this.#entries());
    yield* entries.filter((entry) => entry.namespace === namespace).sort((a, b) => compareText(a.hostname, b.hostname));
  }

  async *listHostname(hostname: string): AsyncIterable<CatalogEntry> {
    const entries = await asynchronously(() => this.#entries());
    yield* entries.filter((entry) => entry.hostname === hostname).sort((a, b) => compareText(a.namespace, b.namespace));
  }

  #entries(): readonly CatalogEntry[] {
    return deepFreeze(
      this.#records
        .currentItems()
        .map(CODEC.decode)
        .flatMap((record) => (isDeleted(record) ? [] : [record])),
    );
  }
}
