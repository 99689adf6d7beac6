import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, MathExpression, type Alarm, type IMetric, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from './alarm-titles';
import type { Installation } from './installation';
import { raiseAlarm, type OperatorAlarmProps } from './operator-alarm';

/** How one stage can go wrong. `stale` of polling is an alarm a registry and not given here. */
export interface StageAlarmsProps {
  readonly installation: Installation;
  readonly stage: Stage;
  readonly failing: Condition;
  readonly notRunning: Condition;
  readonly stale?: Condition;
  readonly deadLetters: IQueue;
}

export type Condition = Omit<OperatorAlarmProps, 'title' | 'of'>;

/** The four alarms of a stage: failing, not running, stale, dead letters. */
export class StageAlarms extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: StageAlarmsProps) {
    super(scope, id);
    const { installation, stage } = props;
    this.alarms = [
      raiseAlarm(this, installation, { title: `${stage} failing`, ...props.failing }),
      raiseAlarm(this, installation, { title: `${stage} not running`, ...props.notRunning }),
      ...(props.stale === undefined
        ? []
        : [raiseAlarm(this, installation, { title: `${stage} stale`, ...props.stale })]),
      raiseAlarm(this, installation, {
        title: `${stage} dead letters`,
        meaning: 'Something was given up on and lies in the dead-letter queue of this stage.',
        metric: props.deadLetters.metricApproximateNumberOfMessagesVisible({
          statistic: 'Maximum',
          period: Duration.minutes(1),
        }),
        threshold: 0,
        comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
        points: 1,
      }),
    ];
  }
}

/** Failures that the stage counts itself, and invocations that broke off before it could. */
export function failuresOf(counted: Metric, stage: Function, period = Duration.minutes(1)): MathExpression {
  return new MathExpression({
    expression: 'FILL(counted, 0) + FILL(broken, 0)',
    usingMetrics: { counted: counted.with({ period }), broken: stage.metricErrors({ period }) },
    label: 'failures',
    period,
  });
}

/** 1 where the stage before wrote something and this one did not run. */
export function idleAlthoughFed(fed: IMetric, runs: IMetric, period: Duration): MathExpression {
  return new MathExpression({
    expression: 'IF(FILL(fed, 0) > 0 AND FILL(runs, 0) < 1, 1, 0)',
    usingMetrics: { fed, runs },
    label: 'idle although there was work',
    period,
  });
}
