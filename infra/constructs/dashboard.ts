import {
  AlarmStatusWidget,
  Column,
  Dashboard,
  GraphWidget,
  Row,
  TextWidget,
  type Alarm,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { RegistryId } from '../../lib/model/registry-id';
import type { RegistryMetricName, StageMetricName } from '../../lib/runtime/metric-names';
import type { Installation } from './installation';
import { registryMetric, stageMetric } from './pilotless-metrics';

export interface StageDashboardProps {
  readonly installation: Installation;
  readonly registries: readonly RegistryId[];
  readonly alarms: readonly Alarm[];
  readonly pushQueue: IQueue;
  readonly deadLetters: Readonly<Record<string, IQueue>>;
}

const FULL_WIDTH = 24;
const HEIGHT = 6;

/** One dashboard: what is wrong, then every stage in the order of the life of a service. */
export class StageDashboard extends Construct {
  constructor(scope: Construct, id: string, props: StageDashboardProps) {
    super(scope, id);
    const { installation, registries } = props;
    const stage = (name: StageMetricName, statistic?: string) =>
      stageMetric(installation.name, name, statistic === undefined ? {} : { statistic, label: `${name} ${statistic}` });
    const each = (name: RegistryMetricName) =>
      registries.map((registry) => registryMetric(installation.name, registry, name, { label: registry }));

    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: installation.name });
    dashboard.addWidgets(
      new AlarmStatusWidget({ title: 'What is wrong', alarms: [...props.alarms], width: FULL_WIDTH }),
      section('Propagation: from the reading of a registry to the event', [
        graph('Seconds', [stage('PropagationSeconds', 'p50'), stage('PropagationSeconds', 'p99')], FULL_WIDTH),
      ]),
      section('1. Registries', [
        graph('Age of the last good reading (s)', each('ReadingAgeSeconds')),
        graph('Services', each('Services')),
        graph('Endpoints', each('Endpoints')),
        graph('Removals held back', each('HeldRemovals')),
      ]),
      section('2. Poll: registry → Snapshots', [
        graph('Invocations, readings, failed readings', [
          stage('PollInvocations'),
          stage('PollRuns'),
          stage('PollFailures'),
        ]),
        graph('Duration of a reading (ms)', [stage('PollDurationMs', 'p50'), stage('PollDurationMs', 'p99')]),
        graph('Requests that readings cost the registries', each('Requests')),
        graph('Snapshots written', [stage('SnapshotWrites')]),
      ]),
      section('3. Aggregate: Snapshots → Catalog', [
        graph('Services looked at, and failures', [stage('AggregateRuns'), stage('AggregateFailures')]),
        graph('Entries written', [stage('CatalogWrites')]),
        graph('Conflicts between registries', [stage('Conflicts')]),
        graph('Items too large', [stage('ItemsTooLarge')]),
      ]),
      section('4. Publish: Catalog → bus', [
        graph('Services looked at, and failures', [stage('PublishRuns'), stage('PublishFailures')], 12),
        graph('Changes published', [stage('ChangesPublished')], 12),
      ]),
      section('5. Push: bus → Push Requested', [
        graph('Runs, and failures', [stage('PushRuns'), stage('PushFailures')], 8),
        graph('Pushes requested', [stage('PushesRequested')], 8),
        graph('Age of the oldest change that waits (s)', [props.pushQueue.metricApproximateAgeOfOldestMessage()], 8),
      ]),
      section('6. Reconcile', [
        graph('Rounds, and failures', [stage('ReconcileRuns'), stage('ReconcileFailures')], 8),
        graph('Services repaired', [stage('KeysRepaired')], 8),
        graph(
          'Dead letters, of all stages',
          Object.entries(props.deadLetters).map(([label, queue]) =>
            queue.metricApproximateNumberOfMessagesVisible({ label, statistic: 'Maximum' }),
          ),
          8,
        ),
      ]),
    );
  }
}

function section(title: string, widgets: readonly IWidget[]): Column {
  return new Column(new TextWidget({ markdown: `## ${title}`, width: FULL_WIDTH, height: 1 }), new Row(...widgets));
}

function graph(title: string, metrics: readonly IMetric[], width = 6): GraphWidget {
  return new GraphWidget({ title, left: [...metrics], width, height: HEIGHT, leftYAxis: { min: 0 } });
}
