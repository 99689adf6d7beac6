import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type * as z from 'zod';
import { DynamoDbRegistryStore } from '../polling/dynamodb-registry-store';
import type { ProviderDefinition } from '../registries/provider-definition';
import { DynamoDbSnapshotStore } from '../snapshots/dynamodb-snapshot-store';
import { environmentSchema, parseEnvironment } from './environment';
import { eventBridgePublisherOf } from './eventbridge-publisher-of';
import { log, metrics, type LambdaHandler } from './lambda-handler';
import { pollHandler, type PollAnswer } from './poll-handler';
import { systemClock as clock } from './system-clock';

/** The poller of a provider, as it is deployed: over the tables and the bus that its environment names. */
export function pollFunction<Shape extends z.ZodRawShape>(
  provider: ProviderDefinition<Shape>,
): LambdaHandler<PollAnswer> {
  const environment = parseEnvironment(
    environmentSchema.pick({ REGISTRIES_TABLE: true, SNAPSHOTS_TABLE: true, EVENT_BUS: true }),
    process.env,
  );
  const client = new DynamoDBClient({});
  return pollHandler({
    provider,
    registries: new DynamoDbRegistryStore({ client, tableName: environment.REGISTRIES_TABLE, clock }),
    snapshots: new DynamoDbSnapshotStore({ client, tableName: environment.SNAPSHOTS_TABLE, clock }),
    events: eventBridgePublisherOf(environment.EVENT_BUS),
    clock,
    log,
    metrics,
    random: Math.random,
  });
}
