import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Configuration } from '../../lib/bootstrap/configuration';
import type { RegistryId } from '../../lib/model/registry-id';
import { FUNCTIONS_FOLDER } from '../functions-folder';
import type { DeployedProvider } from '../providers/deployed-provider';
import type { Installation, RegistryOptions } from './installation';

export interface PilotlessProps {
  /** What to merge, as `readConfiguration` gives it. */
  readonly configuration: Configuration;

  /**
   * Tells installations of an account apart: prefix of alarm names, dimension of metrics.
   *
   * @default the name of the stack
   */
  readonly installationName?: string;

  /** @default the name of the installation */
  readonly busName?: string;

  /**
   * What single registries need beyond the configuration document: a VPC, more memory. The ServiceEntries of a cluster,
   * `External/<cluster>`, have what is said of `Kubernetes/<cluster>` unless something is said of themselves.
   *
   * @default no VPC and 256 MB for each
   */
  readonly registryOptions?: Readonly<Record<RegistryId, RegistryOptions>>;

  /**
   * Encrypts tables, queues, bus, archive, bucket, logs and environment. CloudWatch Logs has to be allowed by its policy,
   * and the stack has to name its region (`env`).
   *
   * @default keys of AWS
   */
  readonly kmsKey?: IKey;

  /**
   * What happens to the tables and the bucket when they leave the stack. With RETAIN the tables are protected from
   * deletion as well.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /** @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays;

  /**
   * How long events can be replayed; zero for no archive.
   *
   * @default 14 days
   */
  readonly archiveRetention?: Duration;

  /**
   * X-Ray traces of all functions.
   *
   * @default false
   */
  readonly tracing?: boolean;

  /**
   * What every alarm does.
   *
   * @default nothing: alarms are seen on the dashboard and in CloudWatch
   */
  readonly alarmActions?: readonly IAlarmAction[];

  /**
   * The providers that there are functions for.
   *
   * @default those of this version
   */
  readonly providers?: readonly DeployedProvider[];

  /**
   * The bundled functions, one folder each.
   *
   * @default `dist/functions` of this package
   */
  readonly functionsFolder?: string;
}

const DEFAULT_ARCHIVE_RETENTION = Duration.days(14);

/** The props with their defaults. */
export function installationOf(scope: Construct, props: PilotlessProps): Installation {
  const archiveRetention = props.archiveRetention ?? DEFAULT_ARCHIVE_RETENTION;
  return {
    name: props.installationName ?? Stack.of(scope).stackName,
    kmsKey: props.kmsKey,
    removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
    tracing: props.tracing ?? false,
    alarmActions: props.alarmActions ?? [],
    functionsFolder: props.functionsFolder ?? FUNCTIONS_FOLDER,
    archiveRetention: archiveRetention.toSeconds() === 0 ? undefined : archiveRetention,
  };
}
