import { Duration } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { StartingPosition, type Function } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import type { FunctionEnvironment } from '../../lib/runtime/environment';
import { DeadLetterQueue } from './dead-letter-queue';
import type { Installation } from './installation';
import { ServiceFunction } from './service-function';

export interface KeyStageProps {
  readonly installation: Installation;
  readonly bundle: string;
  readonly description: string;
  /** The table whose stream says which keys to look at. */
  readonly source: TableV2;
  readonly environment: FunctionEnvironment;
}

/** Long enough for a whole batch of the largest services against a throttled table. */
const TIMEOUT = Duration.minutes(1);

/** Records are keys of some 100 bytes; a batch of one service's burst is one look at it. */
const BATCH_SIZE = 100;

/** After this long a record is given up; `reconcile` looks at its key within a quarter of an hour. */
const MAX_RECORD_AGE = Duration.hours(1);

/** Batches of one shard at a time, each of other keys: a slow key holds up few others (Lambda allows 10). */
const PARALLEL_BATCHES = 4;

/**
 * A stage that is told by a stream which keys to look at again. It starts with the oldest record, so that nothing is missed
 * between the making of the table and of the mapping; a batch that fails is bisected and tried again, then reported.
 */
export class KeyStage extends Construct {
  readonly function: Function;
  readonly deadLetters: DeadLetterQueue;

  constructor(scope: Construct, id: string, props: KeyStageProps) {
    super(scope, id);
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', props.installation);
    const { queue } = this.deadLetters;
    this.function = new ServiceFunction(this, 'Stage', {
      installation: props.installation,
      bundle: props.bundle,
      description: props.description,
      timeout: TIMEOUT,
      environment: { ...props.environment, DEAD_LETTER_QUEUE_URL: queue.queueUrl },
    }).function;
    queue.grantSendMessages(this.function);
    props.source.grantStreamRead(this.function);
    this.function.addEventSourceMapping('Stream', {
      ...streamOf(props.source),
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_SIZE,
      parallelizationFactor: PARALLEL_BATCHES,
      maxRecordAge: MAX_RECORD_AGE,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      onFailure: new SqsDlq(queue),
    });
  }
}

function streamOf(table: TableV2): { readonly eventSourceArn: string } {
  if (table.tableStreamArn === undefined) throw new TypeError(`${table.node.path} has no stream`);
  return { eventSourceArn: table.tableStreamArn };
}
