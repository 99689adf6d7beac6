import type { Context } from 'aws-lambda';

/** Of an invocation's context, what the handlers use. */
export function lambdaContext(
  remainingMs = 60_000,
  awsRequestId = 'request-1',
): Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'> {
  return { awsRequestId, getRemainingTimeInMillis: () => remainingMs };
}
