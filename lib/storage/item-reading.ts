import type * as z from 'zod';
import { AppError } from '../model/app-error';
import { NewerSchemaError } from '../model/store-errors';
import type { TableName } from '../runtime/table-definitions';
import { unpackEndpoints } from './item-packing';

/** An item as it comes back: nothing is known of it until a schema has seen it. */
export type StoredItem = Readonly<Record<string, unknown>>;

/** How one table's items are read: the newest `schema` number known, and the shape. */
export type ItemFormat<Value> = {
  readonly table: TableName;
  readonly schemaNumber: number;
  readonly shape: z.ZodType<Value>;
};

/** How many mistakes of an item its error message lists. */
const MAX_ISSUES = 5;

/**
 * The item's content, endpoints unpacked.
 * @throws NewerSchemaError when newer code wrote it; AppError `ItemUnreadableError` when it is not of the format.
 */
export function readItem<Value>(format: ItemFormat<Value>, item: StoredItem): Value {
  const { schema } = item;
  const key = describeKey(item);
  if (typeof schema === 'number' && schema > format.schemaNumber) {
    throw new NewerSchemaError(format.table, key, schema, format.schemaNumber);
  }
  const result = format.shape.safeParse(unpacked(format.table, key, item));
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, MAX_ISSUES);
  throw unreadable(format.table, key, issues.map(describeIssue).join('; '), result.error);
}

function unpacked(table: TableName, key: string, item: StoredItem): StoredItem {
  try {
    return unpackEndpoints(item);
  } catch (error) {
    throw unreadable(table, key, 'endpointsGz is not gzip of JSON', error);
  }
}

function unreadable(table: TableName, key: string, reason: string, cause: unknown): AppError {
  return new AppError(
    `${table} item ${key} cannot be read: ${reason}. Something else than Pilotless wrote or edited it`,
    { code: 'ItemUnreadableError', details: { table, key, reason }, cause },
  );
}

function describeIssue(issue: z.core.$ZodIssue): string {
  return `${issue.path.map(String).join('.')}: ${issue.message}`;
}

/** Registry and service key, as far as the item has them. */
function describeKey(item: StoredItem): string {
  const { registry, service } = item;
  return [registry, service].filter((part) => typeof part === 'string').join(' ');
}
