import type { CatalogEntry } from '../model/catalog-entry';
import type { ServiceKey } from '../model/service-key';
import type { ServiceChangeEvent } from './pilotless-event';

/** Days that changes are kept (DESIGN "Tables"). */
export const CHANGE_DAYS = 14;

/** One published change, and the entry after it. */
export type ChangeRecord = {
  readonly key: ServiceKey;
  /** Version of the catalog entry that the change led to. */
  readonly version: number;
  /** ISO 8601. */
  readonly publishedAt: string;
  readonly event: ServiceChangeEvent;
  /** Absent for a deletion. */
  readonly after?: CatalogEntry;
  /** True when `after` was too large for the item and stands without its endpoints. */
  readonly endpointsOmitted: boolean;
};

/** The Changes table: the history of each service, kept for {@link CHANGE_DAYS} days. */
export interface ChangeStore {
  /** Repeating the put of a (key, version) is harmless: it overwrites the item with the same change. */
  put(record: ChangeRecord): Promise<void>;
  /** The changes of a service, newest first. */
  history(key: ServiceKey, options?: { readonly limit?: number }): AsyncIterable<ChangeRecord>;
  /**
   * Changes of all services published at or after `since`, oldest first, up to `until` (both ISO 8601). The order is that
   * of the publishers' clocks: a reader that follows re-reads the last 60 s and drops what it has by (key, version).
   */
  since(since: string, until: string): AsyncIterable<ChangeRecord>;
}
