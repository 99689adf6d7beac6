import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Pilotless } from './constructs/pilotless';
import type { PilotlessProps } from './constructs/pilotless-props';

export interface PilotlessStackProps extends StackProps, PilotlessProps {}

/** One installation as a stack of its own, with outputs that name what consumers and operators need. */
export class PilotlessStack extends Stack {
  readonly pilotless: Pilotless;

  constructor(scope: Construct, id: string, props: PilotlessStackProps) {
    super(scope, id, props);
    this.pilotless = new Pilotless(this, 'Pilotless', props);

    const { pilotless } = this;
    this.#output('CatalogTable', pilotless.catalogTable.tableName, 'The merged services, one item each');
    this.#output('RegistriesTable', pilotless.registriesTable.tableName, 'The state of each registry');
    this.#output('ChangesTable', pilotless.changesTable.tableName, 'The history of each service');
    this.#output('SnapshotsTable', pilotless.snapshotsTable.tableName, 'Each service as each registry sees it');
    this.#output('PublishedTable', pilotless.publishedTable.tableName, 'Each service as it was last published');
    this.#output('Bus', pilotless.bus.eventBusName, 'Changes and push requests');
    this.#output('AggregateServices', pilotless.aggregateServices.functionName, 'Snapshots to Catalog');
    this.#output('PublishChanges', pilotless.publishChanges.functionName, 'Catalog to bus');
    this.#output('RequestPush', pilotless.requestPush.functionName, 'Changes to push requests');
    this.#output('Reconcile', pilotless.reconcile.functionName, 'Repairs');
    for (const [registry, poller] of pilotless.pollers) {
      const name = registry.replace('/', ' ');
      this.#output(`Poll ${name}`, poller.functionName, `Reads ${registry}`);
      if (poller.role !== undefined) {
        this.#output(
          `Role ${name}`,
          poller.role.roleArn,
          `What clusters, roles and secrets elsewhere let in to read ${registry}`,
        );
      }
    }
    if (pilotless.serviceEntryBucket !== undefined) {
      this.#output('ServiceEntryBucket', pilotless.serviceEntryBucket.bucketName, 'Where manifests go');
    }
  }

  #output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
