import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, type EventPattern } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { RegistryConfiguration } from '../../lib/bootstrap/configuration';
import { contentHash } from '../../lib/model/canonical-json';
import { acknowledgePattern } from './acknowledge';
import type { PollEventInput } from '../../lib/runtime/poll-event';
import type { ChangeBus } from './change-bus';
import type { Installation, RegistryOptions } from './installation';
import { scheduleInvocation } from './schedule-invocation';
import { ServiceFunction, SHORTEST_EVENT_AGE } from './service-function';
import { grantItems, type Tables } from './tables';

/** What a registry needs from the stack, beyond what every registry gets. */
export type RegistryAccess = {
  /** Settings that only the stack knows, such as the name of its own bucket. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the poller may do to read the registry. */
  readonly statements?: readonly PolicyStatement[];
  /** Why statements name resources by a pattern, for the security review: the resource, then the reason. */
  readonly patterns?: Readonly<Record<string, string>>;
  /** Events of the account's default bus after which the registry is read at once. */
  readonly wake?: EventPattern;
};

export interface RegistryPollerProps {
  readonly installation: Installation;
  readonly registry: RegistryConfiguration;
  readonly access: RegistryAccess;
  readonly options: RegistryOptions;
  /** The provider's file in `functions/`. */
  readonly bundle: string;
  readonly tables: Tables;
  readonly bus: ChangeBus;
  readonly group: IScheduleGroup;
  readonly deadLetters: IQueue;
}

/** Lambda's longest; a run of at most `maxRun` (14 min) ends in time to write its last state. */
const POLLER_TIMEOUT = Duration.minutes(15);

const MINUTE_MS = 60_000;

/**
 * registry ──▶ Snapshots: one registry's poller, its schedule and its role. The role reaches the items of this registry and
 * no others.
 */
export class RegistryPoller extends Construct {
  readonly function: Function;

  constructor(scope: Construct, id: string, props: RegistryPollerProps) {
    super(scope, id);
    const { installation, registry, access, options, tables, deadLetters } = props;
    const poll = new ServiceFunction(this, 'Poll', {
      installation,
      bundle: props.bundle,
      description: `Reads ${registry.id} into the Snapshots table of ${installation.name}`,
      timeout: POLLER_TIMEOUT,
      ...(options.memorySize === undefined ? {} : { memorySize: options.memorySize }),
      environment: {
        REGISTRIES_TABLE: tables.registries.tableName,
        SNAPSHOTS_TABLE: tables.snapshots.tableName,
        EVENT_BUS: props.bus.bus.eventBusName,
      },
      deadLetters,
      network: options,
    });
    this.function = poll.function;
    grantItems(tables.registries, this.function, ['GetItem', 'UpdateItem'], registry.id);
    grantItems(tables.snapshots, this.function, ['Query', 'BatchGetItem', 'PutItem'], registry.id);
    props.bus.grantPut(this.function);
    for (const statement of [...secretStatements(registry.settings), ...(access.statements ?? [])]) {
      this.function.addToRolePolicy(statement);
    }
    for (const [resource, reason] of Object.entries(access.patterns ?? {})) acknowledgePattern(this, reason, resource);

    const input = pollEventOf(registry, access, poll.codeHash);
    scheduleInvocation(this, {
      group: props.group,
      description: `Reads ${registry.id}`,
      every: Duration.millis(firingPeriodMs(registry)),
      function: this.function,
      input,
      deadLetters,
    });
    if (access.wake !== undefined) this.#wakeOn(access.wake, { ...input, requested: true }, deadLetters);
  }

  #wakeOn(eventPattern: EventPattern, input: PollEventInput, deadLetters: IQueue): void {
    new Rule(this, 'Wake', {
      description: 'Reads the registry as soon as it has changed',
      eventPattern,
      targets: [
        new LambdaFunction(this.function, {
          event: RuleTargetInput.fromObject(input),
          retryAttempts: 0,
          maxEventAge: SHORTEST_EVENT_AGE,
          deadLetterQueue: deadLetters,
        }),
      ],
    });
  }
}

/**
 * What the function is invoked with: its registry, settings as they were written. Its version names the code, too: a run
 * goes on with the code that it began with, so new code has to take over from it as new settings do. The input is deployed
 * after the code, since it belongs to what refers to the function.
 */
function pollEventOf(registry: RegistryConfiguration, access: RegistryAccess, codeHash: string): PollEventInput {
  const { settings: _, provider: __, listedAs: ___, ...rest } = registry;
  const writtenSettings = { ...registry.writtenSettings, ...access.settings };
  const configVersion = contentHash([registry.configVersion, codeHash]);
  return { registry: { ...rest, writtenSettings, configVersion } };
}

/**
 * How often the schedule fires: with an interval of a minute or more each firing is one reading; otherwise a run reads on by
 * itself, and each minute's firing only sees to it that there is one (DESIGN "Pace").
 */
function firingPeriodMs({ mode, intervalMs }: RegistryConfiguration): number {
  return mode === 'poll' ? Math.max(intervalMs, MINUTE_MS) : MINUTE_MS;
}

/** What Secrets Manager adds to the name in a secret's ARN; callers may leave it out, policies may not. */
const SECRET_SUFFIX = /-[A-Za-z0-9]{6}$/;

const SECRET_ARN = /^arn:[\w-]+:secretsmanager:/;

/** A registry's secrets stand in its settings by ARN and nowhere else; its poller may read those. */
function secretStatements(settings: unknown): readonly PolicyStatement[] {
  const arns = [...new Set(stringsIn(settings).filter((text) => SECRET_ARN.test(text)))];
  if (arns.length === 0) return [];
  const resources = arns.flatMap((arn) => (SECRET_SUFFIX.test(arn) ? [arn] : [arn, `${arn}-??????`]));
  return [new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources })];
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
