import { AppError } from './app-error';

/** Somebody else wrote the item since it was read; read again and decide anew. */
export class VersionConflictError extends AppError {
  constructor(table: string, key: string, expected: number | undefined) {
    super(`${table} item ${key} is no longer at version ${expected === undefined ? 'none' : String(expected)}`, {
      code: 'VersionConflictError',
      transient: true,
      details: { table, key, expected },
    });
  }
}

/** DynamoDB's limit for one item: 400 KB, attribute names included (AWS "Quotas in Amazon DynamoDB"). */
export const MAX_ITEM_BYTES = 400 * 1024;

/** A service too large for one item even compressed. The last good item stays. */
export class ItemTooLargeError extends AppError {
  constructor(table: string, key: string, bytes: number) {
    super(
      `${table} item ${key} would be ${bytes} bytes; DynamoDB allows ${MAX_ITEM_BYTES}. The last good item stays. Split the service, or leave out labels it does not need`,
      { code: 'ItemTooLargeError', details: { table, key, bytes, allowed: MAX_ITEM_BYTES } },
    );
  }
}

/** The item was written by newer code than this. */
export class NewerSchemaError extends AppError {
  constructor(table: string, key: string, found: number, supported: number) {
    super(
      `${table} item ${key} has schema ${found}, this version reads up to ${supported}. Upgrade, or roll the writer back`,
      { code: 'NewerSchemaError', details: { table, key, found, supported } },
    );
  }
}
