import * as z from 'zod';
import { isDeleted, type CatalogEntry, type CatalogRecord, type CatalogTombstone } from '../model/catalog-entry';
import { causeSchema, mergedServiceShape, serviceKeySchema } from '../model/value-schemas';
import { expiryAfter } from '../storage/expiry';
import { packEndpoints, requireItemFits } from '../storage/item-packing';
import { readItem, type StoredItem } from '../storage/item-reading';
import type { Item } from '../storage/item-size';
import type { VersionedCodec } from '../storage/versioned-codec';
import { CATALOG_TOMBSTONE_DAYS } from './catalog-store';

/** Schema number of catalog and published items as this code writes them. */
export const CATALOG_SCHEMA = 1;

/** The attribute that only tombstones have. */
export const DELETED = 'deleted';

const bookkeepingShape = { version: z.number(), cause: causeSchema, updatedAt: z.string() };

const entryShape = z.object({ service: serviceKeySchema, ...mergedServiceShape, ...bookkeepingShape });

const tombstoneShape = z.object({ service: serviceKeySchema, deleted: z.literal(true), ...bookkeepingShape });

/**
 * How a table of catalog records writes and reads its items: Catalog and Published share the format, errors name the table.
 * A tombstone has neither host name nor namespace, so it is in no index.
 */
export function catalogCodec(table: 'Catalog' | 'Published'): VersionedCodec<CatalogRecord> {
  const format = { table, schemaNumber: CATALOG_SCHEMA };
  const encodeEntry = ({ key, endpoints, ...entry }: CatalogEntry): Item =>
    requireItemFits(table, key, packEndpoints({ service: key, schema: CATALOG_SCHEMA, ...entry }, endpoints));
  const decode = (item: StoredItem): CatalogRecord => {
    const { service: key, ...record } =
      DELETED in item
        ? readItem({ ...format, shape: tombstoneShape }, item)
        : readItem({ ...format, shape: entryShape }, item);
    return { key, ...record };
  };
  return { table, encode: (record) => (isDeleted(record) ? encodeTombstone(record) : encodeEntry(record)), decode };
}

function encodeTombstone({ key, ...tombstone }: CatalogTombstone): Item {
  return {
    service: key,
    schema: CATALOG_SCHEMA,
    ...tombstone,
    expiresAt: expiryAfter(tombstone.updatedAt, CATALOG_TOMBSTONE_DAYS),
  };
}
