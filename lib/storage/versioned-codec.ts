import * as z from 'zod';
import type { ServiceKey } from '../model/service-key';
import { serviceKeySchema } from '../model/value-schemas';
import { EXPIRES_AT, type TableName } from '../runtime/table-definitions';
import { readItem, type StoredItem } from './item-reading';
import type { Item } from './item-size';

/** A record of a service whose every write makes a higher version. */
export type VersionedRecord = { readonly key: ServiceKey; readonly version: number };

/** How a table of versioned records writes and reads its items; the key stands in `service`, the version in `version`. */
export type VersionedCodec<Value extends VersionedRecord> = {
  readonly table: TableName;
  /** @throws ItemTooLargeError */
  readonly encode: (record: Value) => Item;
  /** @throws NewerSchemaError; AppError `ItemUnreadableError`. */
  readonly decode: (item: StoredItem) => Value;
};

const versionShape = z.object({ service: serviceKeySchema, version: z.number() });

/** What has to be read of an item for {@link decodeVersion} and to see whether it has expired. */
export const VERSION_ATTRIBUTES: readonly string[] = [...Object.keys(versionShape.shape), EXPIRES_AT];

/** Key and version alone, of whatever schema. */
export function decodeVersion(table: TableName, item: StoredItem): VersionedRecord {
  const { service: key, version } = readItem({ table, schemaNumber: Infinity, shape: versionShape }, item);
  return { key, version };
}
