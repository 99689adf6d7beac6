import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { PilotlessStack } from '../../infra/pilotless-stack';
import { makeApp, makeStack, type SynthesisProps } from '../support/synthesize';

const ENV = { account: '123456789012', region: 'eu-west-1' };

const DOCUMENT = `
registries:
  - { provider: Mock, cluster: demo }
  - { provider: External, cluster: shared }
  - { provider: External, cluster: theirs, source: "s3://their-bucket/entries/" }
`;

type Variant = {
  readonly withKey?: boolean;
  readonly withVpc?: boolean;
  readonly extend?: (stack: PilotlessStack) => void;
};

/** What cdk-nag finds that is not acknowledged, one line each. */
function findings(props: Partial<SynthesisProps> & Variant): string {
  const { withKey, withVpc, extend, ...rest } = props;
  const app = makeApp();
  const shared = new Stack(app, 'shared', { env: ENV });
  const attributes = { vpcId: 'vpc-1', availabilityZones: ['eu-west-1a'], privateSubnetIds: ['subnet-1'] };
  const stack = makeStack(app, {
    document: DOCUMENT,
    env: ENV,
    ...(withKey === true ? { kmsKey: new Key(shared, 'Key', { enableKeyRotation: true }) } : {}),
    ...(withVpc === true
      ? { registryOptions: { 'Mock/demo': { vpc: Vpc.fromVpcAttributes(shared, 'Vpc', attributes) } } }
      : {}),
    ...rest,
  });
  extend?.(stack);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  try {
    app.synth();
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('cdk-nag (AwsSolutions, Serverless) finds nothing that is not acknowledged with a reason', () => {
  test.each([
    ['as it comes', {}],
    ['with a key of one’s own', { withKey: true }],
    ['with a registry in a VPC', { withVpc: true }],
    ['with tracing', { tracing: true }],
    ['with data that goes with the stack', { removalPolicy: RemovalPolicy.DESTROY }],
  ])('%s', (_, props) => {
    expect(findings(props)).toBe('');
  });

  test('and would find what is not', () => {
    expect(findings({ extend: (stack) => new Bucket(stack, 'Open') })).toContain('AwsSolutions-S10');
  });
});
