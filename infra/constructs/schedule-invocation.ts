import type { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression, ScheduleTargetInput, type IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { SHORTEST_EVENT_AGE } from './service-function';

export interface ScheduledInvocationProps {
  readonly group: IScheduleGroup;
  readonly description: string;
  readonly every: Duration;
  readonly function: IFunction;
  readonly input: object;
  readonly deadLetters: IQueue;
}

/** Invokes a function again and again. A firing that fails is not repeated: the next one does its work. */
export function scheduleInvocation(scope: Construct, props: ScheduledInvocationProps): Schedule {
  return new Schedule(scope, 'Schedule', {
    scheduleGroup: props.group,
    description: props.description,
    schedule: ScheduleExpression.rate(props.every),
    target: new LambdaInvoke(props.function, {
      input: ScheduleTargetInput.fromObject(props.input),
      retryAttempts: 0,
      maxEventAge: SHORTEST_EVENT_AGE,
      deadLetterQueue: props.deadLetters,
    }),
  });
}
