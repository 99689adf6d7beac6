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

describe('streams and queues', () => {
  test('stages start with the oldest record, isolate failures and give up after an hour', () => {
    const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping')).filter(
      ({ Properties }) => 'StartingPosition' in (Properties as object),
    );

    expect(mappings).toHaveLength(2);
    for (const { Properties } of mappings) {
      expect(Properties).toMatchObject({
        StartingPosition: 'TRIM_HORIZON',
        MaximumRecordAgeInSeconds: 3600,
        BisectBatchOnFunctionError: true,
        ParallelizationFactor: 4,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        DestinationConfig: { OnFailure: { Destination: expect.anything() as unknown } },
      });
    }
  });

  test('changes wait for their push in a queue that is drained by two functions at most, without a window', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 10,
      ScalingConfig: { MaximumConcurrency: 2 },
      MaximumBatchingWindowInSeconds: Match.absent(),
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['pilotless'],
        'detail-type': ['Service Added', 'Service Updated', 'Service Deleted', 'Endpoints Changed'],
      },
      Targets: [Match.objectLike({ DeadLetterConfig: { Arn: Match.anyValue() } })],
    });
  });

  test('a message of the push queue stays invisible for six timeouts of the function', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ PUSH_QUIET_MS: '50', PUSH_MAX_MS: '20000' }) },
      Timeout: 50,
    });
    template.hasResourceProperties('AWS::SQS::Queue', {
      VisibilityTimeout: 300,
      RedrivePolicy: { maxReceiveCount: 5, deadLetterTargetArn: Match.anyValue() },
    });
  });

  test('object events of its place in S3 wake the registry', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.s3'],
        'detail-type': ['Object Created', 'Object Deleted'],
        detail: { bucket: { name: ['their-bucket'] }, object: { key: [{ prefix: 'entries/' }] } },
      },
      Targets: [Match.objectLike({ Input: Match.serializedJson(Match.objectLike({ requested: true })) })],
    });
  });

  test('the bucket of the stack sends its events without a function of its own', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    });
    template.resourceCountIs('Custom::S3BucketNotifications', 0);
  });

  test('there is no bucket when every External registry has a source', () => {
    const document = 'registries: [{ provider: External, source: "s3://their-bucket/" }]';

    synthesize({ document }).resourceCountIs('AWS::S3::Bucket', 0);
  });

  test('events are kept for 14 days, to be replayed', () => {
    template.hasResourceProperties('AWS::Events::Archive', {
      RetentionDays: 14,
      EventPattern: { source: ['pilotless'] },
    });
  });
});
