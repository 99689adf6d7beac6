import * as z from 'zod';
import { AppError } from '../model/app-error';
import type { ChangeQueue, QueuedChange } from '../push/change-queue';
import { gatherChanges, type GatherParts, type UnreadableChange } from '../push/gather-changes';
import { requestPush, type PushPorts } from '../push/request-push';
import { lambdaHandler, type LambdaHandler } from './lambda-handler';

/** A batch of messages as Lambda takes them from SQS. */
const queueEventSchema = z.object({
  Records: z.array(z.object({ messageId: z.string(), receiptHandle: z.string(), body: z.string() })),
});

const DEAD_LETTERS_REFUSED = { code: 'DeadLettersRefusedError', transient: true } as const;

export type PushFunction = Omit<GatherParts, 'queue'> &
  PushPorts & {
    readonly queue: ChangeQueue;
    /** Where messages go that are no changes; returns those that could not be sent. */
    readonly deadLetters: { send(unreadable: readonly UnreadableChange[]): Promise<readonly UnreadableChange[]> };
  };

/**
 * A Lambda handler that makes one push request of a burst of changes: of those that Lambda brought and of those that still
 * wait. What it took itself it removes itself, after the request was sent; what Lambda brought, Lambda removes. When it
 * fails all of them come again.
 */
export function pushHandler(parts: PushFunction): LambdaHandler<void> {
  return lambdaHandler({
    input: queueEventSchema,
    run: async ({ Records: records }, { id, signal }) => {
      parts.metrics.add('PushRuns', 1);
      const brought = records.map(({ receiptHandle, body }): QueuedChange => ({ receipt: receiptHandle, body }));
      const { request, taken, unreadable } = await gatherChanges(brought, id, parts, signal);
      if (request !== undefined) await requestPush(request, parts);
      const unsent = await parts.deadLetters.send(unreadable);
      if (unsent.length > 0) throw new AppError('The dead-letter queue refused messages', DEAD_LETTERS_REFUSED);
      await parts.queue.remove(taken.filter((change) => !brought.includes(change)));
    },
  });
}
