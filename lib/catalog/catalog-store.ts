import type { CatalogEntry, CatalogRecord } from '../model/catalog-entry';
import type { ServiceKey } from '../model/service-key';

/** Days that the tombstone of a deleted entry is kept (DESIGN "Tables"). */
export const CATALOG_TOMBSTONE_DAYS = 14;

export type KeyedVersion = { readonly key: ServiceKey; readonly version: number };

/** The Catalog table: one entry a service key. Reads by key are consistent; reads of many are not, unless said. */
export interface CatalogStore {
  /** Consistent. An expired tombstone counts as absent. */
  get(key: ServiceKey): Promise<CatalogRecord | undefined>;
  /**
   * Writes the record if the item's version is still `expected` (`undefined`: if there is none).
   * @throws VersionConflictError; ItemTooLargeError.
   */
  put(record: CatalogRecord, expected: number | undefined): Promise<void>;
  /** Key and version of every record, tombstones included; consistent pages. */
  versions(): AsyncIterable<KeyedVersion>;
  /** Every live entry, in no particular order. */
  list(): AsyncIterable<CatalogEntry>;
  /** Live entries of a namespace, by host name. */
  listNamespace(namespace: string): AsyncIterable<CatalogEntry>;
  /** Live entries with that host name (canonical spelling), in any namespace. */
  listHostname(hostname: string): AsyncIterable<CatalogEntry>;
}
