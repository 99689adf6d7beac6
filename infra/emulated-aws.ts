import { CfnBucketPolicy } from 'aws-cdk-lib/aws-s3';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Pilotless } from './constructs/pilotless';

/**
 * Takes out what the emulated AWS of the tests (ministack 1.5.33) refuses to deploy: archives of a bus, and alarms on
 * metric math with the dashboard that shows them; and the policies of queues and bucket that refuse plain HTTP, which is
 * what it speaks. All else is deployed there as it is on AWS.
 */
export function leaveOutWhatIsNotEmulated(pilotless: Pilotless): void {
  remove(pilotless.node.findChild('Changes').node.findChild('Archive'));
  remove(pilotless.node.findChild('Overview'));
  remove(pilotless.node.findChild('Operations'));
  for (const child of pilotless.node.findAll()) {
    if (child instanceof CfnBucketPolicy || child instanceof CfnQueuePolicy) remove(child);
  }
}

function remove({ node }: IConstruct): void {
  if (node.scope?.node.tryRemoveChild(node.id) !== true) throw new Error(`${node.path} cannot be taken out`);
}
