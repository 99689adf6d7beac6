import { Alarm, TreatMissingData, type ComparisonOperator, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { AlarmTitle } from './alarm-titles';
import type { Installation } from './installation';

export interface OperatorAlarmProps {
  readonly title: AlarmTitle;
  /** What it watches one of, where there is an alarm for each: a registry. */
  readonly of?: string;
  /** What is the case when it rings, in one sentence. */
  readonly meaning: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly comparison: ComparisonOperator;
  /** Rings when this many … */
  readonly points: number;
  /** … of so many periods are over the threshold. @default points */
  readonly outOf?: number;
  /** @default false: no data is good news */
  readonly missingIsBad?: boolean;
}

/** An alarm with a name that the runbook has a heading for, and the way there in its description. */
export function raiseAlarm(scope: Construct, installation: Installation, props: OperatorAlarmProps): Alarm {
  const of = props.of === undefined ? '' : ` (${props.of})`;
  const alarm = new Alarm(scope, props.title.replaceAll(' ', ''), {
    alarmName: `${installation.name}: ${props.title}${of}`,
    alarmDescription: `${props.meaning} Runbook: README.md#${props.title.toLowerCase().replaceAll(' ', '-')}`,
    metric: props.metric,
    threshold: props.threshold,
    comparisonOperator: props.comparison,
    datapointsToAlarm: props.points,
    evaluationPeriods: props.outOf ?? props.points,
    treatMissingData: props.missingIsBad === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  if (installation.alarmActions.length > 0) alarm.addAlarmAction(...installation.alarmActions);
  return alarm;
}
