import { Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { permissionsOf } from '../../support/permissions-of';
import { makeApp, makeStack, synthesize, templateOf } from '../../support/synthesize';

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

describe('functions', () => {
  test('run on Arm and Node 24, log JSON into groups that are kept for a month and go with the stack', () => {
    template.resourceCountIs('AWS::Lambda::Function', 8);
    template.allResourcesProperties('AWS::Lambda::Function', {
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
      Environment: { Variables: Match.objectLike({ POWERTOOLS_SERVICE_NAME: 'pilotless' }) },
    });
    template.resourceCountIs('AWS::Logs::LogGroup', 8);
    template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete', Properties: { RetentionInDays: 30 } });
  });

  test('pollers may run for 15 minutes with 256 MB', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: 'Reads Mock/demo into the Snapshots table of pilotless',
      Timeout: 900,
      MemorySize: 256,
    });
  });

  test('one registry’s poller can be put into a VPC and given more memory', () => {
    const app = makeApp();
    const vpc = Vpc.fromVpcAttributes(new Stack(app, 'network'), 'Vpc', {
      vpcId: 'vpc-1',
      availabilityZones: ['eu-west-1a'],
      privateSubnetIds: ['subnet-1'],
      privateSubnetRouteTableIds: ['rtb-1'],
    });
    const stack = makeStack(app, { document: DOCUMENT, registryOptions: { 'Mock/demo': { vpc, memorySize: 1024 } } });
    const inVpc = { VpcConfig: { SubnetIds: ['subnet-1'] } };

    templateOf(stack).hasResourceProperties('AWS::Lambda::Function', {
      ...inVpc,
      Description: 'Reads Mock/demo into the Snapshots table of pilotless',
      MemorySize: 1024,
    });
    expect(Object.keys(templateOf(stack).findResources('AWS::Lambda::Function', { Properties: inVpc }))).toHaveLength(
      1,
    );
    expect(permissionsOf(templateOf(stack), 'Reads Mock/demo into the Snapshots table of pilotless')).toContain(
      'ec2:CreateNetworkInterface "*"',
    );
  });

  test('are traced when that is asked for', () => {
    const traced = { Properties: { TracingConfig: { Mode: 'Active' } } };

    expect(template.findResources('AWS::Lambda::Function', traced)).toEqual({});
    synthesize({ document: DOCUMENT, tracing: true }).allResourcesProperties(
      'AWS::Lambda::Function',
      traced.Properties,
    );
  });

  test('a bundle that is missing says what to do', () => {
    expect(() => synthesize({ document: DOCUMENT, functionsFolder: '/nowhere' })).toThrow(
      '/nowhere/poll-mock holds no index.js; run "npm run bundle" first',
    );
  });
});
