import type { Context } from 'aws-lambda';

/** The context of an invocation with the remaining time that it is to have. */
export function lambdaContext(remainingMs = 60_000, requestId = 'request-1'): Context {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'function',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:function',
    memoryLimitInMB: '256',
    awsRequestId: requestId,
    logGroupName: 'group',
    logStreamName: 'stream',
    getRemainingTimeInMillis: () => remainingMs,
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
