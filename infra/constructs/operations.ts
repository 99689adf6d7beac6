import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, type Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Configuration, RegistryConfiguration } from '../../lib/bootstrap/configuration';
import type { StageMetricName } from '../../lib/runtime/metric-names';
import type { Installation } from './installation';
import type { KeyStage } from './key-stage';
import { raiseAlarm } from './operator-alarm';
import { registryMetric, stageMetric } from './pilotless-metrics';
import type { PushDispatcher } from './push-dispatcher';
import { RECONCILE_PERIOD, type Reconciler } from './reconciler';
import { failuresOf, idleAlthoughFed, StageAlarms, type Condition } from './stage-alarms';

export interface OperationsProps {
  readonly installation: Installation;
  readonly configuration: Configuration;
  readonly pollDeadLetters: IQueue;
  readonly aggregator: KeyStage;
  readonly publisher: KeyStage;
  readonly pushDispatcher: PushDispatcher;
  readonly reconciler: Reconciler;
}

const FIVE_MINUTES = Duration.minutes(5);

/** Data older than this is worth a look, whatever the registry's interval. */
const STALE_SECONDS = 300;

/** A stage that is this far behind its input does not keep up; a stream hop takes well under a second. */
const BEHIND_SECONDS = 60;

const OVER = ComparisonOperator.GREATER_THAN_THRESHOLD;
const UNDER = ComparisonOperator.LESS_THAN_THRESHOLD;

/** The alarms of every stage. */
export class Operations extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: OperationsProps) {
    super(scope, id);
    this.alarms = [
      ...this.#pollAlarms(props),
      ...this.#keyStageAlarms(props.installation, 'Aggregate', props.aggregator, 'SnapshotWrites'),
      ...this.#keyStageAlarms(props.installation, 'Publish', props.publisher, 'CatalogWrites'),
      ...this.#pushAlarms(props),
      ...this.#reconcileAlarms(props),
      raiseAlarm(this, props.installation, {
        title: 'Item too large',
        meaning: 'A service does not fit into an item of a table; its last good state stays.',
        metric: stageMetric(props.installation.name, 'ItemsTooLarge', { period: FIVE_MINUTES }),
        threshold: 0,
        comparison: OVER,
        points: 1,
      }),
    ];
  }

  #pollAlarms({ installation, configuration, pollDeadLetters }: OperationsProps): readonly Alarm[] {
    const registries = configuration.registries.filter((registry) => !registry.paused);
    const shortestMs = Math.min(...registries.map(({ intervalMs }) => intervalMs));
    const stage = new StageAlarms(this, 'Poll', {
      installation,
      stage: 'Poll',
      failing: {
        meaning: 'A registry could not be read for minutes; its data stays as it was and grows old.',
        metric: stageMetric(installation.name, 'PollFailures'),
        threshold: 0,
        comparison: OVER,
        points: 3,
        outOf: 5,
      },
      notRunning: {
        meaning: 'No registry is being read at all.',
        metric: stageMetric(installation.name, 'PollInvocations', { period: silencePeriod(shortestMs) }),
        threshold: 1,
        comparison: UNDER,
        points: 1,
        missingIsBad: registries.length > 0,
      },
      deadLetters: pollDeadLetters,
    });
    return [...stage.alarms, ...registries.map((registry) => this.#staleAlarm(installation, registry))];
  }

  #staleAlarm(installation: Installation, { id, intervalMs }: RegistryConfiguration): Alarm {
    const scope = new Construct(this, `Poll ${id.replace('/', ' ')}`);
    return raiseAlarm(scope, installation, {
      title: 'Poll stale',
      of: id,
      meaning: `The last good reading of ${id} is too old, or nothing is known of it.`,
      metric: registryMetric(installation.name, id, 'ReadingAgeSeconds', { period: silencePeriod(intervalMs) }),
      threshold: Math.max(STALE_SECONDS, (3 * intervalMs) / 1000),
      comparison: OVER,
      points: 1,
      missingIsBad: true,
    });
  }

  #keyStageAlarms(
    installation: Installation,
    stage: 'Aggregate' | 'Publish',
    { function: handler, deadLetters }: KeyStage,
    fedBy: StageMetricName,
  ): readonly Alarm[] {
    const runs = stageMetric(installation.name, `${stage}Runs`, { period: FIVE_MINUTES });
    return new StageAlarms(this, stage, {
      installation,
      stage,
      failing: lasting(
        failuresOf(stageMetric(installation.name, `${stage}Failures`), handler),
        'Services fail to get through this stage.',
      ),
      notRunning: {
        meaning: 'The stage before writes, and this one does not run.',
        metric: idleAlthoughFed(stageMetric(installation.name, fedBy, { period: FIVE_MINUTES }), runs, FIVE_MINUTES),
        threshold: 0,
        comparison: OVER,
        points: 2,
      },
      stale: lasting(
        handler.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) }),
        `Records of the stream wait for more than ${BEHIND_SECONDS} s.`,
        BEHIND_SECONDS * 1000,
      ),
      deadLetters: deadLetters.queue,
    }).alarms;
  }

  #pushAlarms({ installation, configuration, pushDispatcher }: OperationsProps): readonly Alarm[] {
    const behindSeconds = BEHIND_SECONDS + Math.ceil(configuration.push.maxMs / 1000);
    const changes = stageMetric(installation.name, 'ChangesPublished', { period: FIVE_MINUTES });
    const runs = stageMetric(installation.name, 'PushRuns', { period: FIVE_MINUTES });
    return new StageAlarms(this, 'Push', {
      installation,
      stage: 'Push',
      failing: lasting(
        failuresOf(stageMetric(installation.name, 'PushFailures'), pushDispatcher.function),
        'Push requests fail to be sent.',
      ),
      notRunning: {
        meaning: 'Changes are published, and no push is requested.',
        metric: idleAlthoughFed(changes, runs, FIVE_MINUTES),
        threshold: 0,
        comparison: OVER,
        points: 2,
      },
      stale: lasting(
        pushDispatcher.queue.metricApproximateAgeOfOldestMessage({
          statistic: 'Maximum',
          period: Duration.minutes(1),
        }),
        `Changes wait for their push for more than ${behindSeconds} s.`,
        behindSeconds,
      ),
      deadLetters: pushDispatcher.deadLetters.queue,
    }).alarms;
  }

  #reconcileAlarms({ installation, reconciler }: OperationsProps): readonly Alarm[] {
    const period = RECONCILE_PERIOD;
    return new StageAlarms(this, 'Reconcile', {
      installation,
      stage: 'Reconcile',
      failing: {
        meaning: 'Rounds of repair fail.',
        metric: failuresOf(stageMetric(installation.name, 'ReconcileFailures'), reconciler.function, period),
        threshold: 0,
        comparison: OVER,
        points: 2,
      },
      notRunning: {
        meaning: 'No round of repair has been made for three quarters of an hour.',
        metric: stageMetric(installation.name, 'ReconcileRuns', { period }),
        threshold: 1,
        comparison: UNDER,
        points: 3,
        missingIsBad: true,
      },
      stale: {
        meaning: 'Round after round finds something to repair: a stage before it loses what it should do.',
        metric: stageMetric(installation.name, 'KeysRepaired', { period }),
        threshold: 0,
        comparison: OVER,
        points: 3,
        outOf: 4,
      },
      deadLetters: reconciler.deadLetters.queue,
    }).alarms;
  }
}

/** Three of five minutes: longer than one throttled call or one cold start. */
function lasting(metric: Condition['metric'], meaning: string, threshold = 0): Condition {
  return { meaning, metric, threshold, comparison: OVER, points: 3, outOf: 5 };
}

/** The time in which something has to be heard of a registry: three intervals, at least five minutes, at most a day. */
function silencePeriod(intervalMs: number): Duration {
  const minutes = Math.ceil((3 * intervalMs) / 60_000);
  return Duration.minutes(Math.min(Math.max(5, minutes), 24 * 60));
}
