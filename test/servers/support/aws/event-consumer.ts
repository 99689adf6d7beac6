import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { waitUntil } from '../processes/wait-until';

const WAIT_MS = 120_000;

const eventSchema = z.object({
  'detail-type': z.string(),
  detail: z.looseObject({
    service: z.looseObject({ key: z.string(), version: z.number() }).optional(),
    registry: z.looseObject({ id: z.string(), state: z.string() }).optional(),
    push: z.looseObject({ full: z.boolean(), configsUpdated: z.array(z.looseObject({ name: z.string() })) }).optional(),
    metadata: z.looseObject({
      at: z.string(),
      cause: z.looseObject({ registry: z.string(), observedAt: z.string() }).optional(),
    }),
  }),
});

export type ReceivedEvent = z.output<typeof eventSchema> & { readonly receivedAtMs: number };

/** A consumer as somebody else would write one: a queue that a rule on the bus sends events to. */
export class EventConsumer {
  readonly #sqs = new SQSClient({});
  readonly #queueUrl: string;
  /** Everything that came so far. */
  readonly events: ReceivedEvent[] = [];

  private constructor(queueUrl: string) {
    this.#queueUrl = queueUrl;
  }

  /** Subscribes to every event of the bus. */
  static async subscribe(busName: string): Promise<EventConsumer> {
    const sqs = new SQSClient({});
    const { QueueUrl: queueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `consumer-of-${busName}` }));
    const wanted = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] });
    const arn = (await sqs.send(wanted)).Attributes?.QueueArn;
    const events = new EventBridgeClient({});
    const rule = { EventBusName: busName, Rule: 'consumer' };
    const pattern = JSON.stringify({ source: ['pilotless'] });
    await events.send(new PutRuleCommand({ EventBusName: busName, Name: rule.Rule, EventPattern: pattern }));
    await events.send(new PutTargetsCommand({ ...rule, Targets: [{ Id: 'queue', Arn: arn }] }));
    return new EventConsumer(queueUrl);
  }

  /** The first event from `fromIndex` on that the predicate takes, waiting for it. */
  async waitFor(
    what: string,
    isIt: (event: ReceivedEvent) => boolean,
    { from = 0, timeoutMs = WAIT_MS }: { readonly from?: number; readonly timeoutMs?: number } = {},
  ): Promise<ReceivedEvent> {
    return waitUntil({
      what,
      timeoutMs,
      attempt: async () => {
        await this.receive();
        return this.events.slice(from).find(isIt);
      },
    });
  }

  /** Takes what waits in the queue. */
  async receive(): Promise<void> {
    const wanted = new ReceiveMessageCommand({ QueueUrl: this.#queueUrl, MaxNumberOfMessages: 10 });
    for (;;) {
      const { Messages: messages = [] } = await this.#sqs.send(wanted);
      if (messages.length === 0) return;
      const receivedAtMs = Date.now();
      for (const { Body: body = '' } of messages) {
        this.events.push({ ...eventSchema.parse(JSON.parse(body)), receivedAtMs });
      }
      const entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await this.#sqs.send(new DeleteMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries: entries }));
    }
  }
}
