import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** What all parts of one installation share, defaults applied. */
export type Installation = {
  /** Tells installations of an account apart: prefix of alarm names, dimension of metrics, name of the bus. */
  readonly name: string;
  readonly kmsKey: IKey | undefined;
  /** Of what holds data: tables and the bucket of service entries. */
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  readonly tracing: boolean;
  readonly alarmActions: readonly IAlarmAction[];
  /** Folder with one folder a function, made by `npm run bundle`. */
  readonly functionsFolder: string;
  readonly archiveRetention: Duration | undefined;
};

/** What one registry's poller function needs beyond the configuration document. */
export interface RegistryOptions {
  /**
   * The network that the registry can be reached from. It needs a way to DynamoDB, EventBridge and CloudWatch Logs:
   * endpoints or NAT.
   *
   * @default the function is in no VPC
   */
  readonly vpc?: IVpc;

  /** @default the VPC's private subnets with a way out */
  readonly vpcSubnets?: SubnetSelection;

  /**
   * Memory of the function in MB. A registry that is watched pays for it all month.
   *
   * @default 256
   */
  readonly memorySize?: number;
}
