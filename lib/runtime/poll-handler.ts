import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { DynamoDbRegistryStore } from '../polling/dynamodb-registry-store';
import { pauseRegistry } from '../polling/pause-registry';
import { pollRegistry, type PollOutcome } from '../polling/poll-registry';
import type { PollSettings } from '../polling/poll-settings';
import type { ProviderDefinition } from '../registries/provider-definition';
import { DynamoDbSnapshotStore } from '../snapshots/dynamodb-snapshot-store';
import { isoTime } from './clock';
import { environmentSchema, parseEnvironment } from './environment';
import { eventBridgePublisherOf } from './eventbridge-publisher-of';
import { lambdaHandler, log, metrics, type Invocation, type LambdaHandler } from './lambda-handler';
import { pollEventSchema, type PollEvent } from './poll-event';
import { systemClock as clock } from './system-clock';

export type PollAnswer = PollOutcome | { readonly type: 'paused' };

/**
 * A Lambda handler that reads registries of one provider into the tables. An invocation reads once or for minutes, as the
 * registry is configured; one that finds a run at work ends at once. A registry that cannot be read is not an error of the
 * function: its row, a metric and an event tell.
 */
export function pollHandler<Shape extends z.ZodRawShape>(
  provider: ProviderDefinition<Shape>,
): LambdaHandler<PollAnswer> {
  const environment = parseEnvironment(
    environmentSchema.pick({ REGISTRIES_TABLE: true, SNAPSHOTS_TABLE: true, EVENT_BUS: true }),
    process.env,
  );
  const client = new DynamoDBClient({});
  const registries = new DynamoDbRegistryStore({ client, tableName: environment.REGISTRIES_TABLE, clock });
  const snapshots = new DynamoDbSnapshotStore({ client, tableName: environment.SNAPSHOTS_TABLE, clock });
  const events = eventBridgePublisherOf(environment.EVENT_BUS);
  const settingsSchema = z.object(provider.settings);
  const loading = provider.load();

  const run = async ({ registry: configured, requested }: PollEvent, { id: owner, signal }: Invocation) => {
    const settings = pollSettingsOf(configured);
    const options = { owner, signal };
    metrics.add('PollInvocations', 1);
    if (configured.paused) {
      await pauseRegistry({ registries, clock }, settings, options);
      return { type: 'paused' } as const;
    }
    if (requested) await registries.request(configured.id, { requestedAt: isoTime(clock.now()) });
    const makeRegistry = await loading;
    const registry = makeRegistry(
      { ...configured, baseDir: process.cwd() },
      settingsSchema.parse(configured.writtenSettings),
    );
    const parts = { registry, registries, snapshots, events, clock, log, metrics, random: Math.random };
    return pollRegistry(parts, settings, options);
  };
  return lambdaHandler({ input: pollEventSchema, run });
}

function pollSettingsOf({ id: registry, ...configured }: PollEvent['registry']): PollSettings {
  const { mode, intervalMs, maxRunMs, precedence, configVersion, guard, expireAfterMs } = configured;
  return {
    registry,
    mode,
    intervalMs,
    maxRunMs,
    precedence,
    configVersion,
    guard,
    ...(expireAfterMs === undefined ? {} : { expireAfterMs }),
  };
}
