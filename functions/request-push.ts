import { SQSClient } from '@aws-sdk/client-sqs';
import { SqsChangeQueue } from '../lib/push/sqs-change-queue';
import { environmentSchema, parseEnvironment } from '../lib/runtime/environment';
import { eventBridgePublisherOf } from '../lib/runtime/eventbridge-publisher-of';
import { log, metrics } from '../lib/runtime/lambda-handler';
import { pushHandler } from '../lib/runtime/push-handler';
import { SqsDeadLetters } from '../lib/runtime/sqs-dead-letters';
import { systemClock as clock } from '../lib/runtime/system-clock';

const environment = parseEnvironment(
  environmentSchema.pick({
    EVENT_BUS: true,
    PUSH_QUEUE_URL: true,
    PUSH_QUIET_MS: true,
    PUSH_MAX_MS: true,
    DEAD_LETTER_QUEUE_URL: true,
  }),
  process.env,
);
const client = new SQSClient({});

export const handler = pushHandler({
  queue: new SqsChangeQueue({ client, queueUrl: environment.PUSH_QUEUE_URL }),
  deadLetters: new SqsDeadLetters({ client, queueUrl: environment.DEAD_LETTER_QUEUE_URL, stage: 'request-push' }),
  events: eventBridgePublisherOf(environment.EVENT_BUS),
  settings: { quietMs: environment.PUSH_QUIET_MS, maxMs: environment.PUSH_MAX_MS },
  clock,
  log,
  metrics,
});
