import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, type EventBus, type IRuleTarget } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { EVENT_SOURCE, PUSH_EVENT_TYPE } from '../../lib/changes/pilotless-event';
import type { RegistryId } from '../../lib/model/registry-id';
import type { RegistryMetricName, StageMetricName } from '../../lib/runtime/metric-names';
import { CATALOG_TABLE, CHANGES_TABLE } from '../../lib/runtime/table-definitions';
import { DEPLOYED_PROVIDERS } from '../providers/deployed-providers';
import { acknowledge } from './acknowledge';
import { Aggregator } from './aggregator';
import { ChangeBus } from './change-bus';
import { StageDashboard } from './dashboard';
import { DeadLetterQueue } from './dead-letter-queue';
import { Operations } from './operations';
import { registryMetric, stageMetric } from './pilotless-metrics';
import { Publisher } from './publisher';
import { PushDispatcher } from './push-dispatcher';
import { Reconciler } from './reconciler';
import { installationOf, type PilotlessProps } from './pilotless-props';
import { readRegistries } from './read-registries';
import { eventPatternOf, type ServiceChangePattern } from './service-change-pattern';
import { arnsOf, Tables } from './tables';

export interface ServiceChangeOptions {
  /** @default every change of every service */
  readonly pattern?: ServiceChangePattern;
  readonly target: IRuleTarget;
}

/**
 * Merges service registries into one catalog and turns each change into events: everything that `cdk deploy` of this
 * repository makes, to be used in a stack of one's own.
 */
export class Pilotless extends Construct {
  readonly registriesTable: TableV2;
  readonly snapshotsTable: TableV2;
  readonly catalogTable: TableV2;
  readonly publishedTable: TableV2;
  readonly changesTable: TableV2;
  readonly bus: EventBus;
  /** Of each registry, the function that reads it. */
  readonly pollers: ReadonlyMap<RegistryId, Function>;
  readonly aggregateServices: Function;
  readonly publishChanges: Function;
  readonly requestPush: Function;
  readonly reconcile: Function;
  /** Where ServiceEntry manifests go, when an External registry has no source of its own. */
  readonly serviceEntryBucket: Bucket | undefined;
  readonly installationName: string;

  constructor(scope: Construct, id: string, props: PilotlessProps) {
    super(scope, id);
    const { configuration } = props;
    const installation = installationOf(this, props);
    this.installationName = installation.name;

    if (installation.kmsKey !== undefined) {
      acknowledge(
        this,
        'The actions by which CDK grants the use of a key: each stands for a call with and without plaintext.',
        'AwsSolutions-IAM5[Action::kms:ReEncrypt*]',
        'AwsSolutions-IAM5[Action::kms:GenerateDataKey*]',
      );
    }
    const tables = new Tables(this, 'Tables', installation);
    const bus = new ChangeBus(this, 'Changes', installation, props.busName ?? installation.name);
    const group = new ScheduleGroup(this, 'Schedules');
    const pollDeadLetters = new DeadLetterQueue(this, 'PollDeadLetters', installation);

    // registry ──▶ Snapshots
    const reading = readRegistries(this, {
      installation,
      registries: configuration.registries,
      providers: props.providers ?? DEPLOYED_PROVIDERS,
      options: props.registryOptions ?? {},
      tables,
      bus,
      group,
      deadLetters: pollDeadLetters.queue,
    });
    // Snapshots ──▶ Catalog
    const aggregator = new Aggregator(this, 'Aggregate', installation, tables);
    // Catalog ──▶ Changes, bus, Published
    const publisher = new Publisher(this, 'Publish', installation, tables, bus);
    // bus ──▶ queue ──▶ "Push Requested"
    const pushDispatcher = new PushDispatcher(this, 'Push', installation, bus, configuration.push);
    // every key, every quarter of an hour
    const reconciler = new Reconciler(this, 'Reconcile', {
      installation,
      tables,
      bus,
      group,
      registries: configuration.registries,
    });

    const operations = new Operations(this, 'Operations', {
      installation,
      configuration,
      pollDeadLetters: pollDeadLetters.queue,
      aggregator,
      publisher,
      pushDispatcher,
      reconciler,
    });
    new StageDashboard(this, 'Overview', {
      installation,
      registries: configuration.registries.map((registry) => registry.id),
      alarms: operations.alarms,
      pushQueue: pushDispatcher.queue,
      deadLetters: {
        Poll: pollDeadLetters.queue,
        Aggregate: aggregator.deadLetters.queue,
        Publish: publisher.deadLetters.queue,
        Push: pushDispatcher.deadLetters.queue,
        Reconcile: reconciler.deadLetters.queue,
      },
    });

    this.pollers = reading.pollers;
    this.serviceEntryBucket = reading.serviceEntryBucket;
    this.registriesTable = tables.registries;
    this.snapshotsTable = tables.snapshots;
    this.catalogTable = tables.catalog;
    this.publishedTable = tables.published;
    this.changesTable = tables.changes;
    this.bus = bus.bus;
    this.aggregateServices = aggregator.function;
    this.publishChanges = publisher.function;
    this.requestPush = pushDispatcher.function;
    this.reconcile = reconciler.function;
  }

  /** Sends changes of services to a target: a Lambda function, a queue, another bus. At least once, in no order. */
  onServiceChange(id: string, { pattern, target }: ServiceChangeOptions): Rule {
    return new Rule(this, id, { eventBus: this.bus, eventPattern: eventPatternOf(pattern), targets: [target] });
  }

  /** Sends push requests to a target: many changes merged into one request. At least once, in no order. */
  onPushRequested(id: string, { target }: Pick<ServiceChangeOptions, 'target'>): Rule {
    const eventPattern = { source: [EVENT_SOURCE], detailType: [PUSH_EVENT_TYPE] };
    return new Rule(this, id, { eventBus: this.bus, eventPattern, targets: [target] });
  }

  /**
   * Allows to read the catalog by key, namespace, host name and as a whole; the rows of the registries, which tell how
   * complete it is; and the history of changes.
   */
  grantReadCatalog(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'DescribeTable'].map((action) => `dynamodb:${action}`),
        resources: [
          this.registriesTable.tableArn,
          ...arnsOf(this.catalogTable, CATALOG_TABLE),
          ...arnsOf(this.changesTable, CHANGES_TABLE),
        ],
      }),
    );
    this.catalogTable.encryptionKey?.grantDecrypt(grantee);
  }

  /** A stage's metric, such as `CatalogWrites`; its sum by the minute unless the options say otherwise. */
  metric(name: StageMetricName, options?: MetricOptions): Metric {
    return stageMetric(this.installationName, name, options);
  }

  /** A registry's metric, such as `Endpoints`; its highest of the minute unless the options say otherwise. */
  metricOfRegistry(registry: RegistryId, name: RegistryMetricName, options?: MetricOptions): Metric {
    return registryMetric(this.installationName, registry, name, options);
  }

  /** Seconds from the reading of a registry to the event of the change; the median unless the options say otherwise. */
  metricPropagationSeconds(options?: MetricOptions): Metric {
    return this.metric('PropagationSeconds', { statistic: 'p50', ...options });
  }

  /** Changes of services that were published. */
  metricChangesPublished(options?: MetricOptions): Metric {
    return this.metric('ChangesPublished', options);
  }

  /** Push requests that were sent. */
  metricPushesRequested(options?: MetricOptions): Metric {
    return this.metric('PushesRequested', options);
  }

  /** Services that had to be repaired; zero in health. */
  metricKeysRepaired(options?: MetricOptions): Metric {
    return this.metric('KeysRepaired', options);
  }

  /** Seconds since the registry's last good reading. */
  metricReadingAgeSeconds(registry: RegistryId, options?: MetricOptions): Metric {
    return this.metricOfRegistry(registry, 'ReadingAgeSeconds', options);
  }
}
