import { Duration } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { RegistryConfiguration } from '../../lib/bootstrap/configuration';
import type { ChangeBus } from './change-bus';
import { DeadLetterQueue } from './dead-letter-queue';
import type { Installation } from './installation';
import { scheduleInvocation } from './schedule-invocation';
import { ServiceFunction } from './service-function';
import { grantItems, type Tables } from './tables';

/** DESIGN "The life of a service". */
export const RECONCILE_PERIOD = Duration.minutes(15);

/** A round that does not get through in one invocation goes on where it stopped in the next. */
const TIMEOUT = Duration.minutes(10);

export interface ReconcilerProps {
  readonly installation: Installation;
  readonly tables: Tables;
  readonly bus: ChangeBus;
  readonly group: IScheduleGroup;
  readonly registries: readonly RegistryConfiguration[];
}

/** Looks at every key, repairs what is out of step, and takes away registries that left the configuration. */
export class Reconciler extends Construct {
  readonly function: Function;
  readonly deadLetters: DeadLetterQueue;

  constructor(scope: Construct, id: string, { installation, tables, bus, group, registries }: ReconcilerProps) {
    super(scope, id);
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', installation);
    this.function = new ServiceFunction(this, 'Reconcile', {
      installation,
      bundle: 'reconcile',
      description: `Looks at every service of ${installation.name} and repairs what is out of step`,
      timeout: TIMEOUT,
      memorySize: 512,
      environment: {
        REGISTRIES_TABLE: tables.registries.tableName,
        SNAPSHOTS_TABLE: tables.snapshots.tableName,
        CATALOG_TABLE: tables.catalog.tableName,
        PUBLISHED_TABLE: tables.published.tableName,
        CHANGES_TABLE: tables.changes.tableName,
        EVENT_BUS: bus.bus.eventBusName,
      },
      deadLetters: this.deadLetters.queue,
    }).function;
    grantItems(tables.registries, this.function, ['GetItem', 'Scan', 'UpdateItem']);
    grantItems(tables.snapshots, this.function, ['Query', 'BatchGetItem', 'PutItem']);
    grantItems(tables.catalog, this.function, ['GetItem', 'Scan', 'PutItem']);
    grantItems(tables.published, this.function, ['GetItem', 'Scan', 'PutItem']);
    grantItems(tables.changes, this.function, ['PutItem', 'Query']);
    bus.grantPut(this.function);
    this.#allowToContinue();
    scheduleInvocation(this, {
      group,
      description: `Repairs ${installation.name}`,
      every: RECONCILE_PERIOD,
      function: this.function,
      input: { registries: registries.map(({ id: registry }) => registry) },
      deadLetters: this.deadLetters.queue,
    });
  }

  /**
   * A round that does not get through invokes the function once more. In a policy of its own: the function waits for its
   * role's default policy to be made, and this one names the function.
   */
  #allowToContinue(): void {
    const { role } = this.function;
    if (role === undefined) throw new TypeError(`${this.function.node.path} has no role`);
    new Policy(this, 'Continue', {
      statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.function.functionArn] })],
      roles: [role],
    });
  }
}
