import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { types } from 'node:util';
import { AppError } from '../model/app-error';
import type { TableName } from '../runtime/table-definitions';

/** Refusals for the pace of requests (AWS "Error handling with DynamoDB"); gone when asked again later. */
const THROTTLES: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

/** Credentials that ran out while the request was on its way; the SDK brings new ones by itself. */
const EXPIRED_CREDENTIALS: ReadonlySet<string> = new Set(['ExpiredTokenException', 'ExpiredToken']);

/**
 * What went wrong with a call, as an `AppError` `DynamoDbError`: transient for throttling, answers of 500 and above,
 * timeouts and a broken connection; not for a request that DynamoDB finds wrong or does not permit. Bugs (`TypeError`)
 * stay as they are.
 */
export function dynamoDbError(operation: string, table: TableName, error: unknown): Error {
  if (error instanceof AppError || error instanceof TypeError || error instanceof RangeError) return error;
  const reason = types.isNativeError(error) ? error.name : 'UnknownError';
  const message = types.isNativeError(error) ? error.message : String(error);
  const status = error instanceof DynamoDBServiceException ? error.$metadata.httpStatusCode : undefined;
  return new AppError(`DynamoDB ${operation} on ${table} failed: ${reason}: ${message}`, {
    code: 'DynamoDbError',
    transient: isTransientFailure(error),
    details: { operation, table, reason, ...(status === undefined ? {} : { status }) },
    cause: error,
  });
}

function isTransientFailure(error: unknown): boolean {
  if (error instanceof DynamoDBServiceException) {
    return (
      error.$fault === 'server' ||
      (error.$metadata.httpStatusCode ?? 0) >= 500 ||
      THROTTLES.has(error.name) ||
      EXPIRED_CREDENTIALS.has(error.name)
    );
  }
  return types.isNativeError(error) && (isTimeout(error) || failedOnTheWay(error));
}

/** `AbortSignal.timeout` aborts with the first name, the SDK reports it under either. */
function isTimeout(error: Error): boolean {
  return error.name === 'TimeoutError' || error.name === 'AbortError';
}

/** A refused or broken connection went through the SDK's retries, which leave their mark. */
function failedOnTheWay(error: Error): boolean {
  return '$metadata' in error;
}
