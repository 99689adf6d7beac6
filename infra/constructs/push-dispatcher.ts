import { Duration } from 'aws-cdk-lib';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Configuration } from '../../lib/bootstrap/configuration';
import { EVENT_SOURCE, SERVICE_CHANGE_TYPES } from '../../lib/changes/pilotless-event';
import { acknowledge } from './acknowledge';
import type { ChangeBus } from './change-bus';
import { DeadLetterQueue, encryptionOf } from './dead-letter-queue';
import type { Installation } from './installation';
import { ServiceFunction } from './service-function';

/** Beside the debounce of `push.max` (at most 5 min): the drain, the sending and its repetitions. */
const TIMEOUT_BESIDE_DEBOUNCE_MS = 30_000;

/** "Set the visibility timeout to at least six times the function timeout" (Lambda, "Configuring a queue"). */
const VISIBILITY_PER_TIMEOUT = 6;

const MAX_RECEIVES = 5;

/** Two: one that waits for quiet and one for what comes meanwhile. The smallest that SQS mappings allow. */
const CONCURRENCY = 2;

/**
 * bus ──▶ queue ──▶ "Push Requested": merges the changes of a burst into one push. The mapping's batch window is 0, because
 * with little traffic Lambda may wait much longer than it; the function waits for quiet and drains the queue itself.
 */
export class PushDispatcher extends Construct {
  readonly function: Function;
  readonly queue: Queue;
  readonly deadLetters: DeadLetterQueue;

  constructor(scope: Construct, id: string, installation: Installation, bus: ChangeBus, push: Configuration['push']) {
    super(scope, id);
    const timeout = Duration.seconds(Math.ceil((push.maxMs + TIMEOUT_BESIDE_DEBOUNCE_MS) / 1000));
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', installation);
    this.queue = new Queue(this, 'Queue', {
      visibilityTimeout: Duration.seconds(timeout.toSeconds() * VISIBILITY_PER_TIMEOUT),
      deadLetterQueue: { queue: this.deadLetters.queue, maxReceiveCount: MAX_RECEIVES },
      enforceSSL: true,
      ...encryptionOf(installation),
    });
    new Rule(this, 'Changes', {
      description: 'Service changes, to be merged into pushes',
      eventBus: bus.bus,
      eventPattern: { source: Match.exactString(EVENT_SOURCE), detailType: [...SERVICE_CHANGE_TYPES] },
      targets: [new SqsQueue(this.queue, { deadLetterQueue: this.deadLetters.queue })],
    });
    this.function = new ServiceFunction(this, 'Request', {
      installation,
      bundle: 'request-push',
      description: `Merges changes of ${installation.name} into push requests`,
      timeout,
      environment: {
        EVENT_BUS: bus.bus.eventBusName,
        PUSH_QUEUE_URL: this.queue.queueUrl,
        PUSH_QUIET_MS: String(push.quietMs),
        PUSH_MAX_MS: String(push.maxMs),
        DEAD_LETTER_QUEUE_URL: this.deadLetters.queue.queueUrl,
      },
    }).function;
    this.deadLetters.queue.grantSendMessages(this.function);
    bus.grantPut(this.function);
    this.function.addEventSource(new SqsEventSource(this.queue, { batchSize: 10, maxConcurrency: CONCURRENCY }));
    acknowledge(
      this,
      'The mapping of a queue has no destination of its own: the queue hands over to its dead-letter queue.',
      'Serverless-LambdaEventSourceMappingDestination',
    );
  }
}
