import { existsSync } from 'node:fs';
import path from 'node:path';
import { Duration, FileSystem, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FunctionEnvironment } from '../../lib/runtime/environment';
import { acknowledge } from './acknowledge';
import type { Installation, RegistryOptions } from './installation';

export interface ServiceFunctionProps {
  readonly installation: Installation;
  /** File in `functions/`, without its ending. */
  readonly bundle: string;
  readonly description: string;
  readonly timeout: Duration;
  /** In MB. @default 256 */
  readonly memorySize?: number;
  readonly environment: FunctionEnvironment;
  /**
   * Where invocations end that nobody waits for and that fail. They are not tried again: the next firing is.
   *
   * @default the function is called by event source mappings only, which have a destination of their own
   */
  readonly deadLetters?: IQueue;
  /** @default the function is in no VPC */
  readonly network?: Pick<RegistryOptions, 'vpc' | 'vpcSubnets'>;
}

const DEFAULT_MEMORY_MB = 256;

/** The shortest that Lambda and Scheduler allow: a firing that comes a minute late is worth nothing, the next one is due. */
export const SHORTEST_EVENT_AGE = Duration.seconds(60);

/**
 * A function of the product: its bundle, a role that may write to its own log group and nothing else, and that group, which
 * has a retention and leaves with the stack.
 */
export class ServiceFunction extends Construct {
  readonly function: Function;
  /** Names what the bundle says: equal for equal bundles, wherever and whenever they were made. */
  readonly codeHash: string;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { installation, network = {} } = props;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: installation.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
      ...(installation.kmsKey === undefined ? {} : { encryptionKey: installation.kmsKey }),
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: props.description,
    });
    logGroup.grantWrite(role);
    const code = bundleFolder(installation.functionsFolder, props.bundle);
    this.codeHash = FileSystem.fingerprint(code);
    this.function = new Function(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(code),
      handler: 'index.handler',
      timeout: props.timeout,
      memorySize: props.memorySize ?? DEFAULT_MEMORY_MB,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: installation.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      environment: { POWERTOOLS_SERVICE_NAME: installation.name, ...props.environment },
      ...(installation.kmsKey === undefined ? {} : { environmentEncryption: installation.kmsKey }),
      ...network,
    });
    this.#handleAsyncFailures(props.deadLetters);
    if (network.vpc !== undefined) this.#allowNetworkInterfaces(role);
    if (!installation.tracing) {
      acknowledge(
        this,
        'Tracing is a setting (tracing: true): a poller that runs all day would be sampled at a rate that Lambda does not let one choose.',
        'Serverless-LambdaTracing',
      );
    }
    if (installation.tracing) {
      acknowledge(this, 'X-Ray takes segments on no resource but *.', 'AwsSolutions-IAM5[Resource::*]');
    }
  }

  #handleAsyncFailures(deadLetters: IQueue | undefined): void {
    if (deadLetters === undefined) {
      acknowledge(
        this,
        'Called by an event source mapping, never asynchronously; the mapping has the destination.',
        'Serverless-LambdaDLQ',
        'Serverless-LambdaAsyncFailureDestination',
      );
      return;
    }
    this.function.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: SHORTEST_EVENT_AGE,
      onFailure: new SqsDestination(deadLetters),
    });
    acknowledge(this, 'A failure destination says more than a dead-letter queue.', 'Serverless-LambdaDLQ');
  }

  /** What a function in a VPC has to do before it can start ("Giving Lambda functions access to resources in a VPC"). */
  #allowNetworkInterfaces(role: Role): void {
    role.addToPolicy(
      new PolicyStatement({
        actions: [
          'ec2:CreateNetworkInterface',
          'ec2:DescribeNetworkInterfaces',
          'ec2:DescribeSubnets',
          'ec2:DeleteNetworkInterface',
          'ec2:AssignPrivateIpAddresses',
          'ec2:UnassignPrivateIpAddresses',
        ],
        resources: ['*'],
      }),
    );
    acknowledge(
      this,
      'Lambda makes the network interfaces of a function in a VPC; their names are not known before.',
      'AwsSolutions-IAM5[Resource::*]',
    );
  }
}

function bundleFolder(functionsFolder: string, bundle: string): string {
  const folder = path.join(functionsFolder, bundle);
  if (existsSync(path.join(folder, 'index.js'))) return folder;
  throw new Error(`${folder} holds no index.js; run "npm run bundle" first`);
}
