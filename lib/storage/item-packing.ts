import { gunzipSync, gzipSync } from 'node:zlib';
import type { Endpoint } from '../model/endpoint';
import { ItemTooLargeError, MAX_ITEM_BYTES } from '../model/store-errors';
import type { TableName } from '../runtime/table-definitions';
import { itemBytes, type Item } from './item-size';

/** From this size on endpoints are compressed (DESIGN "Tables": 1,200 endpoints become about 20 KB). */
export const COMPRESSED_FROM_BYTES = 64 * 1024;

export type PackedItem = { readonly item: Item; readonly bytes: number };

/**
 * The item with its endpoints: as a list of maps, readable in the console, while the whole stays below
 * {@link COMPRESSED_FROM_BYTES}, and as gzip of their JSON in `endpointsGz` from there on.
 */
export function packEndpoints(attributes: Item, endpoints: readonly Endpoint[]): PackedItem {
  const readable: Item = { ...attributes, endpoints };
  const readableBytes = itemBytes(readable);
  if (readableBytes < COMPRESSED_FROM_BYTES) return { item: readable, bytes: readableBytes };
  const compressed: Item = { ...attributes, endpointsGz: gzipSync(JSON.stringify(endpoints)) };
  return { item: compressed, bytes: itemBytes(compressed) };
}

/** The item with `endpoints` as they were packed, whichever way. Throws what gzip and JSON throw on other content. */
export function unpackEndpoints(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { endpointsGz, ...attributes } = item;
  if (!(endpointsGz instanceof Uint8Array)) return item;
  const endpoints: unknown = JSON.parse(gunzipSync(endpointsGz).toString('utf8'));
  return { ...attributes, endpoints };
}

/** @throws ItemTooLargeError when DynamoDB would refuse the item for its size. */
export function requireItemFits(table: TableName, key: string, packed: PackedItem): Item {
  if (packed.bytes > MAX_ITEM_BYTES) throw new ItemTooLargeError(table, key, packed.bytes);
  return packed.item;
}
