import { Stack, Token } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnBucketPolicy } from 'aws-cdk-lib/aws-s3';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import * as z from 'zod';
import type { Pilotless } from './constructs/pilotless';

/**
 * Takes out what the emulated AWS of the tests (ministack 1.5.33) cannot deploy; all else is deployed there as it is on AWS.
 *
 * - The archive of the bus: its CloudFormation does not know `AWS::Events::Archive`.
 * - Metric math: its CloudFormation refuses `Metrics` of an alarm. Such an alarm stands on the first of its metrics there.
 * - The policies of queues and bucket: they refuse plain HTTP, which is what it speaks.
 */
export function leaveOutWhatIsNotEmulated(pilotless: Pilotless): void {
  remove(pilotless.node.findChild('Changes').node.findChild('Archive'));
  for (const child of pilotless.node.findAll()) {
    if (child instanceof CfnBucketPolicy || child instanceof CfnQueuePolicy) remove(child);
    if (child instanceof CfnAlarm && child.metrics !== undefined) leaveOutMath(child);
  }
}

function remove({ node }: IConstruct): void {
  if (node.scope?.node.tryRemoveChild(node.id) !== true) throw new Error(`${node.path} cannot be taken out`);
}

const queriesSchema = z.array(
  z.object({
    metricStat: z
      .object({
        metric: z.object({
          namespace: z.string(),
          metricName: z.string(),
          dimensions: z.array(z.object({ name: z.string(), value: z.unknown() })).default([]),
        }),
        period: z.number(),
        stat: z.string(),
      })
      .optional(),
  }),
);

function leaveOutMath(alarm: CfnAlarm): void {
  const queries = queriesSchema.parse(Stack.of(alarm).resolve(alarm.metrics));
  const first = queries.find(({ metricStat }) => metricStat !== undefined)?.metricStat;
  if (first === undefined) throw new Error(`${alarm.node.path} is on no metric`);
  alarm.metrics = undefined;
  alarm.namespace = first.metric.namespace;
  alarm.metricName = first.metric.metricName;
  alarm.dimensions = first.metric.dimensions.map(({ name, value }) => ({ name, value: Token.asString(value) }));
  alarm.period = first.period;
  alarm.statistic = first.stat;
}
