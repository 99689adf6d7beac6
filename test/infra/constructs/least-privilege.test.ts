import type { Template } from 'aws-cdk-lib/assertions';
import { permissionsOf } from '../../support/permissions-of';
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

describe('what a function may do', () => {
  const own = (registry: string) =>
    JSON.stringify({ 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [registry] } });
  const ours = JSON.stringify({ 'ForAllValues:StringEquals': { 'events:source': 'pilotless' } });

  test('pitfall 28: a poller touches only the items of its own registry', () => {
    expect(permissionsOf(template, 'Reads Mock/demo into the Snapshots table of pilotless')).toEqual([
      `dynamodb:BatchGetItem Snapshots ${own('Mock/demo')}`,
      `dynamodb:GetItem Registries ${own('Mock/demo')}`,
      `dynamodb:PutItem Snapshots ${own('Mock/demo')}`,
      `dynamodb:Query Snapshots ${own('Mock/demo')}`,
      `dynamodb:UpdateItem Registries ${own('Mock/demo')}`,
      `events:PutEvents Bus ${ours}`,
      'sqs:SendMessage Poll dead letters',
    ]);
  });

  test.each([
    ['the bucket of the stack', 'External/shared', ['s3:GetObject own bucket/*', 's3:ListBucket own bucket']],
    [
      'the prefix that it is configured with',
      'External/theirs',
      ['s3:GetObject their-bucket/entries/*', 's3:ListBucket their-bucket {"StringLike":{"s3:prefix":["entries/*"]}}'],
    ],
  ])('an External poller reads %s', (_, registry, expected) => {
    const permissions = permissionsOf(template, `Reads ${registry} into the Snapshots table of pilotless`);

    expect(permissions.filter((permission) => permission.startsWith('s3:'))).toEqual(expected);
  });

  test.each([
    [
      'aggregate-services writes the Catalog and nothing else',
      'Merges the snapshots of a service into the Catalog of pilotless',
      [
        'dynamodb:BatchGetItem Snapshots',
        'dynamodb:GetItem Catalog',
        'dynamodb:GetRecords Snapshots stream',
        'dynamodb:PutItem Catalog',
        'dynamodb:Scan Registries',
        'sqs:SendMessage Aggregate dead letters',
      ],
    ],
    [
      'publish-changes writes what was published, the history and the bus',
      'Publishes the changes of the Catalog of pilotless',
      [
        'dynamodb:GetItem Catalog',
        'dynamodb:GetItem Published',
        'dynamodb:GetRecords Catalog stream',
        'dynamodb:PutItem Changes',
        'dynamodb:PutItem Published',
        'dynamodb:Query Changes',
        `events:PutEvents Bus ${ours}`,
        'sqs:SendMessage Publish dead letters',
      ],
    ],
    [
      'request-push reaches no table',
      'Merges changes of pilotless into push requests',
      [
        `events:PutEvents Bus ${ours}`,
        'sqs:ChangeMessageVisibility Push queue',
        'sqs:DeleteMessage Push queue',
        'sqs:ReceiveMessage Push queue',
        'sqs:SendMessage Push dead letters',
      ],
    ],
  ])('%s', (_, description, expected) => {
    expect(permissionsOf(template, description)).toEqual(expected);
  });

  test('a secret is named by its ARN and readable by its registry’s poller alone', () => {
    const secret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:consul-token';
    const document = `
registries:
  - { provider: Consul, cluster: a, address: "https://consul.a", caSecret: "${secret}", tokenSecret: "${secret}-a1B2c3" }
  - { provider: Consul, cluster: b, address: "https://consul.b" }`;
    const withSecret = synthesize({ document });
    const secretsOf = (registry: string) =>
      permissionsOf(withSecret, `Reads ${registry} into the Snapshots table of pilotless`).filter((permission) =>
        permission.startsWith('secretsmanager:'),
      );

    expect(secretsOf('Consul/a')).toEqual([
      `secretsmanager:GetSecretValue "${secret}"`,
      `secretsmanager:GetSecretValue "${secret}-??????"`,
      `secretsmanager:GetSecretValue "${secret}-a1B2c3"`,
    ]);
    expect(secretsOf('Consul/b')).toEqual([]);
  });

  test('a cluster of EKS is found by the function’s own role, or by the one that is named', () => {
    const roleArn = 'arn:aws:iam::210987654321:role/pilotless-reader';
    const document = `
registries:
  - { provider: Kubernetes, cluster: ours, eks: { name: prod, region: eu-west-1 } }
  - { provider: Kubernetes, cluster: theirs, eks: { name: prod, region: eu-west-1, roleArn: "${roleArn}" } }`;
    const stack = synthesize({ document });
    const accessOf = (registry: string) =>
      permissionsOf(stack, `Reads ${registry} into the Snapshots table of pilotless`).filter((permission) =>
        /^(eks|sts):/.test(permission),
      );

    expect(accessOf('Kubernetes/ours')).toEqual([expect.stringContaining(':cluster/prod')]);
    expect(accessOf('Kubernetes/theirs')).toEqual([`sts:AssumeRole "${roleArn}"`]);
  });

  test('the ServiceEntries of a cluster are reached like the cluster, and stored apart from it', () => {
    const stack = synthesize({
      document:
        'registries: [{ provider: Kubernetes, cluster: prod, serviceEntries: true, eks: { name: prod, region: eu-west-1 } }]',
    });

    expect(permissionsOf(stack, 'Reads External/prod into the Snapshots table of pilotless')).toEqual([
      `dynamodb:BatchGetItem Snapshots ${own('External/prod')}`,
      `dynamodb:GetItem Registries ${own('External/prod')}`,
      `dynamodb:PutItem Snapshots ${own('External/prod')}`,
      `dynamodb:Query Snapshots ${own('External/prod')}`,
      `dynamodb:UpdateItem Registries ${own('External/prod')}`,
      expect.stringMatching(/^eks:DescribeCluster .*:cluster\/prod/),
      `events:PutEvents Bus ${ours}`,
      'sqs:SendMessage Poll dead letters',
    ]);
  });
});
