import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Stack } from 'aws-cdk-lib';
import * as z from 'zod';
import { ALARM_TITLES } from '../../../infra/constructs/alarm-titles';
import { REGISTRY_METRICS, STAGE_METRICS } from '../../../lib/runtime/metric-names';
import { makeApp, makeStack, synthesize, templateOf } from '../../support/synthesize';

const DOCUMENT = `
registries:
  - { provider: Mock, cluster: demo }
  - { provider: Mock, cluster: slow, interval: 1h }
  - { provider: Mock, cluster: resting, paused: true }
  - { provider: External, cluster: shared }
`;

const alarmSchema = z.object({
  Properties: z.looseObject({
    AlarmName: z.string(),
    AlarmDescription: z.string(),
    Threshold: z.number(),
    Period: z.number().optional(),
    TreatMissingData: z.string(),
  }),
});

function alarmsOf(template: Template) {
  return Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
    (alarm) => alarmSchema.parse(alarm).Properties,
  );
}

let template: Template;

beforeAll(() => {
  template = synthesize({ document: DOCUMENT });
});

function alarm(name: string) {
  const found = alarmsOf(template).find(({ AlarmName }) => AlarmName === name);
  if (found === undefined) throw new Error(`no alarm ${name}`);
  return found;
}

describe('alarms', () => {
  test('every stage has four: failing, not running, stale, dead letters', () => {
    const titles = alarmsOf(template).map(({ AlarmName }) => /^pilotless: (.*?)(?: \(.*\))?$/.exec(AlarmName)?.[1]);

    expect([...new Set(titles)].sort()).toEqual([...ALARM_TITLES].sort());
    expect(ALARM_TITLES).toHaveLength(21);
  });

  test('each has a heading in the runbook, and no heading is without an alarm', () => {
    const readme = readFileSync(path.join(__dirname, '../../../README.md'), 'utf8');
    const runbook = /^## Operations runbook$(.*?)^## /ms.exec(readme)?.[1] ?? '';
    const headings = [...runbook.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);

    expect(headings).toEqual(ALARM_TITLES);
  });

  test('each leads to its heading', () => {
    expect(alarm('pilotless: Poll dead letters').AlarmDescription).toBe(
      'Something was given up on and lies in the dead-letter queue of this stage. Runbook: README.md#poll-dead-letters',
    );
  });

  test.each([
    ['Mock/demo', 300, 300],
    ['Mock/slow', 10_800, 10_800],
    ['External/shared', 300, 300],
  ])(
    '%s is stale after three intervals and at least five minutes, and when nothing is heard of it',
    (registry, threshold, period) => {
      expect(alarm(`pilotless: Poll stale (${registry})`)).toMatchObject({
        Threshold: threshold,
        Period: period,
        TreatMissingData: 'breaching',
        Dimensions: [
          { Name: 'registry', Value: registry },
          { Name: 'service', Value: 'pilotless' },
        ],
      });
    },
  );

  test('a registry that is paused is not expected to be read', () => {
    expect(() => alarm('pilotless: Poll stale (Mock/resting)')).toThrow('no alarm');
  });

  test('a stage is failing when its own count or its broken invocations say so, for three of five minutes', () => {
    expect(alarm('pilotless: Aggregate failing')).toMatchObject({
      DatapointsToAlarm: 3,
      EvaluationPeriods: 5,
      TreatMissingData: 'notBreaching',
      Metrics: expect.arrayContaining([
        expect.objectContaining({ Expression: 'FILL(counted, 0) + FILL(broken, 0)' }),
      ]) as unknown,
    });
  });

  test('do what they are told to', () => {
    const app = makeApp();
    const topic = new Topic(new Stack(app, 'operators'), 'Topic');
    const stack = makeStack(app, { document: DOCUMENT, alarmActions: [new SnsAction(topic)] });

    templateOf(stack).allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [Match.anyValue()],
    });
  });
});

describe('dashboard', () => {
  test('shows the stages in the order of the life of a service', () => {
    const body = JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard'));
    const sections = [...body.matchAll(/## (\d\. \w+)/g)].map(([, title]) => title);

    expect(sections).toEqual(['1. Registries', '2. Poll', '3. Aggregate', '4. Publish', '5. Push', '6. Reconcile']);
  });

  test('shows every metric there is', () => {
    const body = JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard')).replaceAll('\\', '');
    const shown = [...body.matchAll(/\["Pilotless","(\w+)"/g)].map(([, name]) => name);

    expect([...new Set(shown)].sort()).toEqual([...STAGE_METRICS, ...REGISTRY_METRICS].sort());
  });
});
