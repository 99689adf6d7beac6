import { Match, type Template } from 'aws-cdk-lib/assertions';
import { synthesize } from '../../support/synthesize';

const DOCUMENT = `
registries:
  - { provider: Mock, cluster: demo, interval: 5s }
  - { provider: Mock, cluster: slow, interval: 10m }
  - { provider: External, cluster: shared }
  - { provider: External, cluster: theirs, source: "s3://their-bucket/entries/" }
push: { quiet: 50ms, max: 20s }
`;

let template: Template;

beforeAll(() => {
  template = synthesize({ document: DOCUMENT });
});

describe('schedules', () => {
  const schedules = () => Object.values(template.findResources('AWS::Scheduler::Schedule'));

  test.each([
    ['Reads Mock/demo', 'rate(1 minute)'],
    ['Reads Mock/slow', 'rate(10 minutes)'],
    ['Reads External/shared', 'rate(1 minute)'],
    ['Repairs pilotless', 'rate(15 minutes)'],
  ])('%s: %s', (description, expression) => {
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      Description: description,
      ScheduleExpression: expression,
      FlexibleTimeWindow: { Mode: 'OFF' },
    });
  });

  test('a firing is not repeated and does not come late: the next one does its work', () => {
    expect(schedules()).toHaveLength(5);
    for (const { Properties } of schedules()) {
      expect(Properties).toMatchObject({
        Target: {
          RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
          DeadLetterConfig: { Arn: expect.anything() as unknown },
        },
      });
    }
  });

  test('nor is an invocation that nobody waits for', () => {
    template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 5);
    template.allResourcesProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
    });
  });

  test('a registry’s part of the configuration is the input of its function', () => {
    const [schedule] = Object.values(
      template.findResources('AWS::Scheduler::Schedule', { Properties: { Description: 'Reads External/theirs' } }),
    );
    const { Input: input } = (schedule?.Properties as { Target: { Input: string } }).Target;

    expect(JSON.parse(input)).toMatchObject({
      registry: {
        id: 'External/theirs',
        intervalMs: 5000,
        precedence: 3,
        writtenSettings: { source: 's3://their-bucket/entries/' },
      },
    });
  });

  test('may be used by Scheduler for this group of this account only', () => {
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          Match.objectLike({
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: {
              StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' }, 'aws:SourceArn': Match.anyValue() },
            },
          }),
        ],
      },
    });
  });

  test('reconcile gets the list of all registries', () => {
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      Description: 'Repairs pilotless',
      Target: { Input: '{"registries":["Mock/demo","Mock/slow","External/shared","External/theirs"]}' },
    });
  });
});
