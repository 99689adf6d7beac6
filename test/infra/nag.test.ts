import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { Pilotless } from '../../infra/constructs/pilotless';
import type { PilotlessProps } from '../../infra/constructs/pilotless-props';
import { configurationOf, emptyFunctions, makeApp } from '../support/synthesize';

const DOCUMENT = `
registries:
  - { provider: Mock, cluster: demo }
  - { provider: External, cluster: shared }
  - { provider: External, cluster: theirs, source: "s3://their-bucket/entries/" }
  - { provider: Kubernetes, cluster: prod, serviceEntries: true, eks: { name: prod, region: eu-west-1 } }
`;

/** What cdk-nag finds that is not acknowledged, in a stack of one's own with the installation in it. */
function findings(propsFor: (stack: Stack) => Partial<PilotlessProps> = () => ({})): string {
  const app = makeApp();
  const stack = new Stack(app, 'mine', { env: { account: '123456789012', region: 'eu-west-1' } });
  new Pilotless(stack, 'Pilotless', {
    configuration: configurationOf(DOCUMENT),
    functionsFolder: emptyFunctions(),
    ...propsFor(stack),
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  try {
    app.synth();
    return '';
  } catch (error) {
    return String(error);
  }
}

const VPC = {
  vpcId: 'vpc-1',
  availabilityZones: ['eu-west-1a'],
  privateSubnetIds: ['subnet-1'],
  privateSubnetRouteTableIds: ['rtb-1'],
};

describe('cdk-nag (AwsSolutions, Serverless) finds nothing that is not acknowledged with a reason', () => {
  test.each<[string, (stack: Stack) => Partial<PilotlessProps>]>([
    ['as it comes', () => ({})],
    ['with a key of one’s own', (stack) => ({ kmsKey: new Key(stack, 'Key', { enableKeyRotation: true }) })],
    [
      'with a registry in a VPC',
      (stack) => ({ registryOptions: { 'Mock/demo': { vpc: Vpc.fromVpcAttributes(stack, 'Vpc', VPC) } } }),
    ],
    ['with tracing', () => ({ tracing: true })],
    ['with data that goes with the stack', () => ({ removalPolicy: RemovalPolicy.DESTROY })],
  ])('%s', (_, propsFor) => {
    expect(findings(propsFor)).toBe('');
  });

  test('and would find what is not', () => {
    const withOpenBucket = (stack: Stack) => (new Bucket(stack, 'Open'), {});

    expect(findings(withOpenBucket)).toContain('AwsSolutions-S10');
  });
});
