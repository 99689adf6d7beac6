import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge';
import type { Installation } from './installation';

/** The longest that SQS keeps a message ("Amazon SQS quotas"): time for a person to come and look. */
export const DEAD_LETTER_RETENTION = Duration.days(14);

/** The end of an asynchronous edge: what arrives here was given up on, and rings the stage's alarm. */
export class DeadLetterQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, installation: Installation) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      retentionPeriod: DEAD_LETTER_RETENTION,
      enforceSSL: true,
      ...encryptionOf(installation),
    });
    acknowledge(this, 'This is a dead-letter queue itself.', 'AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy');
  }
}

/** Queues are encrypted by SQS, or by the installation's own key. */
export function encryptionOf({ kmsKey }: Installation) {
  return kmsKey === undefined
    ? { encryption: QueueEncryption.SQS_MANAGED }
    : { encryption: QueueEncryption.KMS, encryptionMasterKey: kmsKey };
}
