import { Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import * as z from 'zod';
import { Pilotless } from '../../../infra/constructs/pilotless';
import { PilotlessStack } from '../../../infra/pilotless-stack';
import { permissionsOf } from '../../support/permissions-of';
import { configurationOf, emptyFunctions, makeApp, makeStack, templateOf } from '../../support/synthesize';

const DOCUMENT = `
registries:
  - { provider: Mock, cluster: demo, interval: 5s }
  - { provider: Mock, cluster: slow, interval: 10m }
  - { provider: External, cluster: shared }
  - { provider: External, cluster: theirs, source: "s3://their-bucket/entries/" }
push: { quiet: 50ms, max: 20s }
`;

describe('the construct in a stack of one’s own', () => {
  let stack: PilotlessStack;
  let template: Template;

  beforeAll(() => {
    stack = makeStack(makeApp(), { document: DOCUMENT });
    const target = new SqsQueue(new Queue(stack, 'Mine'));
    stack.pilotless.onServiceChange('ShopDeletions', {
      pattern: { types: ['Service Deleted'], namespaces: ['shop'], hostnames: ['*.shop.svc.cluster.local'] },
      target,
    });
    stack.pilotless.onPushRequested('Pushes', { target });
    const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
    stack.pilotless.grantReadCatalog(new Role(stack, 'Reader', { assumedBy, description: 'a reader' }));
    template = templateOf(stack);
  });

  test('sends the changes of one namespace to a target', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['pilotless'],
        'detail-type': ['Service Deleted'],
        detail: { service: { namespace: ['shop'], hostname: [{ wildcard: '*.shop.svc.cluster.local' }] } },
      },
    });
  });

  test('sends push requests to a target', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['pilotless'], 'detail-type': ['Push Requested'] },
    });
  });

  test('lets a role read the catalog, its indexes, the registries and the history, and write nothing', () => {
    const permissions = permissionsOf(template, 'a reader');

    expect([...new Set(permissions.map((permission) => permission.split(' ')[0]))]).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:DescribeTable',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:Scan',
    ]);
    expect(permissions.filter((permission) => permission.includes('index '))).toHaveLength(15);
  });

  test('gives its metrics', () => {
    const { pilotless } = stack;

    expect(pilotless.metricPropagationSeconds()).toMatchObject({
      namespace: 'Pilotless',
      metricName: 'PropagationSeconds',
      statistic: 'p50',
      dimensions: { service: 'pilotless' },
    });
    expect(pilotless.metricReadingAgeSeconds('Mock/demo')).toMatchObject({
      metricName: 'ReadingAgeSeconds',
      statistic: 'Maximum',
      dimensions: { service: 'pilotless', registry: 'Mock/demo' },
    });
  });

  test('encrypts what holds data with a key of one’s own', () => {
    const own = new Stack(makeApp(), 'mine', { env: { account: '123456789012', region: 'eu-west-1' } });
    const kmsKey = new Key(own, 'Key');
    new Pilotless(own, 'Pilotless', {
      configuration: configurationOf(DOCUMENT),
      functionsFolder: emptyFunctions(),
      kmsKey,
    });
    const encrypted = templateOf(own);

    encrypted.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: Match.anyValue() });
    encrypted.allResourcesProperties('AWS::DynamoDB::GlobalTable', { SSESpecification: { SSEType: 'KMS' } });
    encrypted.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: Match.anyValue() });
    encrypted.allResourcesProperties('AWS::Events::EventBus', { KmsKeyIdentifier: Match.anyValue() });
    encrypted.allResourcesProperties('AWS::Lambda::Function', { KmsKeyArn: Match.anyValue() });
    expect(JSON.stringify(encrypted.findResources('AWS::S3::Bucket'))).toContain('"SSEAlgorithm":"aws:kms"');
  });

  describe('with the ServiceEntries of a cluster', () => {
    const document =
      'registries: [{ provider: Kubernetes, cluster: prod, serviceEntries: true, eks: { name: prod, region: eu-west-1 } }, { provider: External, source: "s3://their-bucket/" }]';

    test('reads them by a function, a row and an alarm of their own', () => {
      const template = templateOf(makeStack(makeApp(), { document }));
      const settings = { eks: { name: 'prod', region: 'eu-west-1' }, serviceEntries: true };
      for (const id of ['Kubernetes/prod', 'External/prod']) {
        template.hasResourceProperties('AWS::Scheduler::Schedule', {
          Description: `Reads ${id}`,
          Target: Match.objectLike({
            Input: Match.serializedJson({
              registry: Match.objectLike({ id, cluster: 'prod', mode: 'watch', writtenSettings: settings }),
            }),
          }),
        });
        template.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: `pilotless: Poll stale (${id})` });
      }
      const [services, entries, manifests] = ['Kubernetes/prod', 'External/prod', 'External/default'].map(
        (id) =>
          z
            .array(z.object({ Properties: z.object({ Code: z.unknown() }) }))
            .length(1)
            .parse(
              Object.values(
                template.findResources('AWS::Lambda::Function', {
                  Properties: { Description: `Reads ${id} into the Snapshots table of pilotless` },
                }),
              ),
            )[0]?.Properties.Code,
      );
      expect(entries).toEqual(services);
      expect(manifests).not.toEqual(services);
      template.resourceCountIs('AWS::S3::Bucket', 0);
    });

    test.each([
      ['what is said of the cluster', { 'Kubernetes/prod': { memorySize: 512 } }, 512],
      [
        'what is said of themselves',
        { 'Kubernetes/prod': { memorySize: 512 }, 'External/prod': { memorySize: 1024 } },
        1024,
      ],
    ])('gives them %s', (_, registryOptions, MemorySize) => {
      templateOf(makeStack(makeApp(), { document, registryOptions })).hasResourceProperties('AWS::Lambda::Function', {
        Description: 'Reads External/prod into the Snapshots table of pilotless',
        MemorySize,
      });
    });
  });

  test('says which registry there is no function for', () => {
    const configuration = configurationOf(DOCUMENT);

    expect(() => new PilotlessStack(makeApp(), 'pilotless', { configuration, providers: [] })).toThrow(
      'Mock/demo: this version has no function for Mock; supported: ',
    );
  });
});
