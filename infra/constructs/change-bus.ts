import { Archive, EventBus, Match } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { EVENT_SOURCE } from '../../lib/changes/pilotless-event';
import type { Installation } from './installation';

/** The bus that every change and push request goes over, and its archive, from which they can be replayed. */
export class ChangeBus extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, installation: Installation, busName: string) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: busName,
      description: `Changes of the service catalog of ${installation.name}`,
      ...(installation.kmsKey === undefined ? {} : { kmsKey: installation.kmsKey }),
    });
    if (installation.archiveRetention !== undefined) {
      new Archive(this, 'Archive', {
        sourceEventBus: this.bus,
        eventPattern: { source: Match.exactString(EVENT_SOURCE) },
        retention: installation.archiveRetention,
        ...(installation.kmsKey === undefined ? {} : { kmsKey: installation.kmsKey }),
      });
    }
  }

  /** Allows to send events, of this product's source only. */
  grantPut(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['events:PutEvents'],
        resources: [this.bus.eventBusArn],
        // A call carries several events.
        conditions: { 'ForAllValues:StringEquals': { 'events:source': EVENT_SOURCE } },
      }),
    );
  }
}
