import { Stack } from 'aws-cdk-lib';
import { Archive, CfnArchive, EventBus, Match } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
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
      const archive = new Archive(this, 'Archive', {
        sourceEventBus: this.bus,
        eventPattern: { source: Match.exactString(EVENT_SOURCE) },
        retention: installation.archiveRetention,
      });
      if (installation.kmsKey !== undefined) encryptArchive(archive, installation.kmsKey, busName);
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

/**
 * Not by the property of `Archive`: that makes the key's policy name the bus by reference, and so the key wait for the bus,
 * which waits for the key.
 */
function encryptArchive(archive: Archive, key: IKey, busName: string): void {
  const { defaultChild } = archive.node;
  if (!(defaultChild instanceof CfnArchive)) throw new TypeError(`${archive.node.path} has no CfnArchive`);
  defaultChild.kmsKeyIdentifier = key.keyArn;
  const bus = Stack.of(archive).formatArn({ service: 'events', resource: 'event-bus', resourceName: busName });
  key.addToResourcePolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:ReEncrypt*'],
      resources: ['*'],
      principals: [new ServicePrincipal('events.amazonaws.com')],
      conditions: { StringEquals: { 'kms:EncryptionContext:aws:events:event-bus:arn': bus } },
    }),
  );
}
