import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { FailedKey } from '../model/key-outcome';
import type { ServiceKey } from '../model/service-key';

/** Messages of one SendMessageBatch ("Amazon SQS quotas"). */
const BATCH_SIZE = 10;

/** For one call with its retries. */
const CALL_TIMEOUT_MS = 10_000;

export type DeadLetterAccess = { readonly client: SQSClient; readonly queueUrl: string; readonly stage: string };

/** The queue for services that a stage cannot deal with: key and reason, for a person and for `reconcile`'s reader. */
export class SqsDeadLetters {
  readonly #access: DeadLetterAccess;

  constructor(access: DeadLetterAccess) {
    this.#access = access;
  }

  /** @returns the keys that the queue did not take; throws when nothing can be said. */
  async send(failures: readonly FailedKey[]): Promise<readonly ServiceKey[]> {
    const refused: ServiceKey[] = [];
    for (let start = 0; start < failures.length; start += BATCH_SIZE) {
      refused.push(...(await this.#sendBatch(failures.slice(start, start + BATCH_SIZE))));
    }
    return refused;
  }

  async #sendBatch(failures: readonly FailedKey[]): Promise<readonly ServiceKey[]> {
    const { client, queueUrl, stage } = this.#access;
    const command = new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: failures.map(({ key, error }, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify({ stage, service: key, error }),
      })),
    });
    const answer = await client.send(command, { abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
    return (answer.Failed ?? []).flatMap(({ Id: id }) => failures[Number(id)]?.key ?? []);
  }
}
