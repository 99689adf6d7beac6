import type { KeyedVersion } from '../catalog/catalog-store';
import type { CatalogRecord } from '../model/catalog-entry';
import type { ServiceKey } from '../model/service-key';

/** The Published table: each entry as it was last published. The base of every diff. Same shapes and errors as the catalog. */
export interface PublishedStore {
  /** Consistent. */
  get(key: ServiceKey): Promise<CatalogRecord | undefined>;
  /** @throws VersionConflictError when the item is not at `expected`. */
  put(record: CatalogRecord, expected: number | undefined): Promise<void>;
  versions(): AsyncIterable<KeyedVersion>;
}
