import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { inChunks } from '../storage/in-chunks';

/** Messages of one SendMessageBatch ("Amazon SQS quotas"). Letters are small: a call stays far below its limit in bytes. */
const BATCH_SIZE = 10;

/** For one call with its retries. */
const CALL_TIMEOUT_MS = 10_000;

/** Something that a stage gave up on, and why. */
export type DeadLetter = {
  /** What it was: the key of a service, or a message that could not be read. */
  readonly subject: string;
  readonly error: { readonly code: string; readonly message: string };
};

export type SqsDeadLettersOptions = {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** The function that gave up. */
  readonly stage: string;
};

/** A stage's dead-letter queue. */
export class SqsDeadLetters {
  readonly #options: SqsDeadLettersOptions;

  constructor(options: SqsDeadLettersOptions) {
    this.#options = options;
  }

  /** @returns the letters that the queue did not take; throws when a call failed as a whole. */
  async send<Letter extends DeadLetter>(letters: readonly Letter[]): Promise<readonly Letter[]> {
    const refused: Letter[] = [];
    for await (const batch of inChunks(letters, BATCH_SIZE)) refused.push(...(await this.#sendBatch(batch)));
    return refused;
  }

  async #sendBatch<Letter extends DeadLetter>(letters: readonly Letter[]): Promise<readonly Letter[]> {
    const { client, queueUrl, stage } = this.#options;
    const command = new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: letters.map(({ subject, error }, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify({ stage, subject, error }),
      })),
    });
    const { Failed: failed } = await client.send(command, { abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
    return (failed ?? []).flatMap(({ Id: id }) => letters[Number(id)] ?? []);
  }
}
