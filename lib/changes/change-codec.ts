import * as z from 'zod';
import type { CatalogEntry } from '../model/catalog-entry';
import type { CatalogEndpoint } from '../model/endpoint';
import { causeSchema, mergedServiceShape, serviceKeySchema } from '../model/value-schemas';
import { expiryAfter } from '../storage/expiry';
import { packEndpoints, requireItemFits } from '../storage/item-packing';
import { readItem, type StoredItem } from '../storage/item-reading';
import type { Item } from '../storage/item-size';
import { CHANGE_DAYS, type ChangeRecord } from './change-store';
import { publicationIndex } from './publication-time';
import { serviceChangeSchema } from './service-change-schema';

/** Schema number of change items as this code writes them. */
export const CHANGE_SCHEMA = 1;

/** Over this size, compressed, a change is kept without the endpoints of its entry (DESIGN "Tables"). */
export const ENDPOINTS_OMITTED_OVER_BYTES = 350 * 1024;

const { endpoints: endpointsShape, ...configurationShape } = mergedServiceShape;

const changeShape = z.object({
  service: serviceKeySchema,
  version: z.number(),
  publishedAt: z.string(),
  event: serviceChangeSchema,
  after: z
    .object({
      key: serviceKeySchema,
      ...configurationShape,
      version: z.number(),
      cause: causeSchema,
      updatedAt: z.string(),
    })
    .exactOptional(),
  endpoints: endpointsShape.exactOptional(),
  endpointsOmitted: z.boolean(),
});

const CHANGE_FORMAT = { table: 'Changes', schemaNumber: CHANGE_SCHEMA, shape: changeShape } as const;

/** The endpoints of the entry stand beside it, so that they are packed as everywhere. @throws ItemTooLargeError */
export function encodeChange(change: ChangeRecord): Item {
  const { key, version, publishedAt, event, after, endpointsOmitted } = change;
  const { configuration, endpoints } = after === undefined ? NO_ENTRY : splitEntry(after);
  const attributes: Item = {
    ...{ service: key, version, schema: CHANGE_SCHEMA, publishedAt, ...publicationIndex(change), event },
    ...{ after: configuration, endpointsOmitted, expiresAt: expiryAfter(publishedAt, CHANGE_DAYS) },
  };
  const whole = packEndpoints(attributes, endpoints);
  const packed =
    whole.bytes > ENDPOINTS_OMITTED_OVER_BYTES ? packEndpoints({ ...attributes, endpointsOmitted: true }, []) : whole;
  return requireItemFits('Changes', `${key} ${version}`, packed);
}

/** @throws NewerSchemaError; AppError `ItemUnreadableError`. */
export function decodeChange(item: StoredItem): ChangeRecord {
  const { service: key, after, endpoints = [], ...change } = readItem(CHANGE_FORMAT, item);
  return { key, ...change, ...(after === undefined ? {} : { after: { ...after, endpoints } }) };
}

type SplitEntry = {
  readonly configuration: Item | undefined;
  readonly endpoints: readonly CatalogEndpoint[];
};

const NO_ENTRY: SplitEntry = { configuration: undefined, endpoints: [] };

/** The configuration, a map of the item, and the endpoints. */
function splitEntry({ endpoints, ...configuration }: CatalogEntry): SplitEntry {
  return { configuration, endpoints };
}
