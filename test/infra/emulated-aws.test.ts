import { Match, type Template } from 'aws-cdk-lib/assertions';
import { leaveOutWhatIsNotEmulated } from '../../infra/emulated-aws';
import { makeApp, makeStack, templateOf } from '../support/synthesize';

const DOCUMENT = 'registries: [{ provider: Mock }]';

let real: Template;
let emulated: Template;

beforeAll(() => {
  real = templateOf(makeStack(makeApp(), { document: DOCUMENT }));
  const stack = makeStack(makeApp(), { document: DOCUMENT });
  leaveOutWhatIsNotEmulated(stack.pilotless);
  emulated = templateOf(stack);
});

/** How many resources of each type a template has. */
function counts(template: Template): Readonly<Record<string, number>> {
  const { Resources } = template.toJSON() as {
    readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
  };
  const types = Object.values(Resources).map(({ Type }) => Type);
  return Object.fromEntries(types.map((type) => [type, types.filter((other) => other === type).length]));
}

test('nothing is left out but the archive and what refuses plain HTTP', () => {
  const {
    'AWS::Events::Archive': archives,
    'AWS::SQS::QueuePolicy': _,
    'AWS::S3::BucketPolicy': __,
    ...rest
  } = counts(real);

  expect(archives).toBe(1);
  expect(counts(emulated)).toEqual(rest);
});

test('an alarm on metric math stands on the first of its metrics', () => {
  const title = { AlarmName: 'pilotless: Aggregate failing' };
  real.hasResourceProperties('AWS::CloudWatch::Alarm', { ...title, Metrics: Match.anyValue() });

  emulated.allResourcesProperties('AWS::CloudWatch::Alarm', { Metrics: Match.absent(), MetricName: Match.anyValue() });
  emulated.hasResourceProperties('AWS::CloudWatch::Alarm', {
    ...title,
    Namespace: 'Pilotless',
    MetricName: 'AggregateFailures',
    Dimensions: [{ Name: 'service', Value: 'pilotless' }],
    Period: 60,
    Statistic: 'Sum',
  });
});
