import { Stack, type Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression, ScheduleTargetInput, type IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
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
  const role = schedulerRole(scope, props);
  return new Schedule(scope, 'Schedule', {
    scheduleGroup: props.group,
    description: props.description,
    schedule: ScheduleExpression.rate(props.every),
    // Not LambdaInvoke: its role may invoke every version and alias of the function.
    target: {
      bind: () => ({
        arn: props.function.functionArn,
        role,
        input: ScheduleTargetInput.fromObject(props.input),
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: SHORTEST_EVENT_AGE.toSeconds() },
        deadLetterConfig: { arn: props.deadLetters.queueArn },
      }),
    },
  });
}

/** May invoke this one function, and only for schedules of this group ("Confused deputy prevention in Scheduler"). */
function schedulerRole(scope: Construct, props: ScheduledInvocationProps): Role {
  const role = new Role(scope, 'ScheduleRole', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: {
        StringEquals: {
          'aws:SourceAccount': Stack.of(scope).account,
          'aws:SourceArn': props.group.scheduleGroupArn,
        },
      },
    }),
    description: props.description,
  });
  role.addToPolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [props.function.functionArn] }),
  );
  props.deadLetters.grantSendMessages(role);
  return role;
}
