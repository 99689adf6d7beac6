import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { inChunks } from '../storage/in-chunks';
import type { ChangeQueue, QueuedChange } from './change-queue';

/** Messages of one call ("Amazon SQS quotas"). */
const BATCH_SIZE = 10;

/** For one call with its retries. */
const CALL_TIMEOUT_MS = 10_000;

export type SqsChangeQueueOptions = { readonly client: SQSClient; readonly queueUrl: string };

/** The queue of changes in SQS. */
export class SqsChangeQueue implements ChangeQueue {
  readonly #options: SqsChangeQueueOptions;

  constructor(options: SqsChangeQueueOptions) {
    this.#options = options;
  }

  async receive(): Promise<readonly QueuedChange[]> {
    const { client, queueUrl } = this.#options;
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: BATCH_SIZE,
      WaitTimeSeconds: 0,
    });
    const { Messages: messages } = await client.send(command, { abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
    return (messages ?? []).map(({ ReceiptHandle: receipt = '', Body: body = '' }) => ({ receipt, body }));
  }

  async remove(changes: readonly QueuedChange[]): Promise<void> {
    const { client, queueUrl } = this.#options;
    for await (const chunk of inChunks(changes, BATCH_SIZE)) {
      const command = new DeleteMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: chunk.map(({ receipt }, index) => ({ Id: String(index), ReceiptHandle: receipt })),
      });
      await client.send(command, { abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
    }
  }
}
