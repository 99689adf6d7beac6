import { Match, type Template } from 'aws-cdk-lib/assertions';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { emptyFunctions, synthesize } from '../../support/synthesize';

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

type PollEventJson = { readonly registry: { readonly id: string; readonly configVersion: string } };

/** What the pollers of a template are invoked with. */
function pollEvents(of: Template): readonly PollEventJson[] {
  const schedules = Object.values(of.findResources('AWS::Scheduler::Schedule'));
  const inputs = schedules.map(({ Properties }) => (Properties as { Target: { Input: unknown } }).Target.Input);
  return inputs
    .filter((input) => typeof input === 'string')
    .map((input) => JSON.parse(input) as PollEventJson)
    .filter((event) => 'registry' in event);
}

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

  test('an input is deployed after the code that it names, since it refers to its function', () => {
    const targets = Object.values(template.findResources('AWS::Scheduler::Schedule')).map(
      ({ Properties }) => (Properties as { Target: { Arn: object } }).Target.Arn,
    );

    for (const arn of targets) expect(arn).toEqual({ 'Fn::GetAtt': [expect.any(String), 'Arn'] });
  });

  describe('a run is taken over by whoever has another configVersion', () => {
    const versionsOf = (of: Template): Readonly<Record<string, string>> =>
      Object.fromEntries(pollEvents(of).map(({ registry }) => [registry.id, registry.configVersion]));

    test('which building and deploying the same again does not give', () => {
      expect(versionsOf(synthesize({ document: DOCUMENT }))).toEqual(versionsOf(template));
      expect(Object.keys(versionsOf(template))).toEqual(['Mock/demo', 'Mock/slow', 'External/theirs']);
    });

    test('which other settings give to their registry', () => {
      const before = versionsOf(template);
      const after = versionsOf(synthesize({ document: DOCUMENT.replace('interval: 5s', 'interval: 6s') }));

      expect(after).toEqual({ ...before, 'Mock/demo': expect.not.stringMatching(before['Mock/demo']!) as string });
    });

    test('which other code gives to the registries that it reads', () => {
      const functionsFolder = emptyFunctions();
      writeFileSync(path.join(functionsFolder, 'poll-mock', 'index.js'), 'other code');
      const before = versionsOf(template);
      const after = versionsOf(synthesize({ document: DOCUMENT, functionsFolder }));

      expect(after).toEqual({
        ...before,
        'Mock/demo': expect.not.stringMatching(before['Mock/demo']!) as string,
        'Mock/slow': expect.not.stringMatching(before['Mock/slow']!) as string,
      });
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
