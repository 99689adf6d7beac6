import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';

/** For one call with its retries. */
const CALL_TIMEOUT_MS = 10_000;

/** Invokes a function with an event, without waiting for what it does. */
export function invokeAgain(functionName: string): (event: unknown) => Promise<void> {
  const client = new LambdaClient({});
  return async (event) => {
    const command = new InvokeCommand({
      FunctionName: functionName,
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify(event)),
    });
    await client.send(command, { abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
  };
}
