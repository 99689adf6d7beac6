import * as z from 'zod';
import { parseRegistryId } from '../model/registry-id';
import { pauseRegistry } from '../polling/pause-registry';
import { pollRegistry, type PollOutcome } from '../polling/poll-registry';
import type { PollParts } from '../polling/poll-run';
import type { PollSettings } from '../polling/poll-settings';
import { loadFactory, type ProviderDefinition } from '../registries/provider-definition';
import { isoTime } from './clock';
import { lambdaHandler, type Invocation, type LambdaHandler } from './lambda-handler';
import { pollEventSchema, type PollEvent } from './poll-event';

export type PollAnswer = PollOutcome | { readonly type: 'paused' };

export type PollFunction<Shape extends z.ZodRawShape> = Omit<PollParts, 'registry'> & {
  readonly provider: ProviderDefinition<Shape>;
};

/**
 * A Lambda handler that reads registries of one provider into the tables. An invocation reads once or for minutes, as the
 * registry is configured; one that finds a run at work ends at once. A registry that cannot be read is not an error of the
 * function: its row, a metric and an event tell.
 */
export function pollHandler<Shape extends z.ZodRawShape>(parts: PollFunction<Shape>): LambdaHandler<PollAnswer> {
  const { provider, registries, clock, metrics } = parts;
  const settingsSchema = z.object(provider.settings);

  const run = async ({ registry: configured, requested }: PollEvent, { id: owner, signal }: Invocation) => {
    const settings = pollSettingsOf(configured);
    const options = { owner, signal };
    metrics.add('PollInvocations', 1);
    if (configured.paused) {
      await pauseRegistry({ registries, clock }, settings, options);
      return { type: 'paused' } as const;
    }
    if (requested) await registries.request(configured.id, { requestedAt: isoTime(clock.now()) });
    const makeRegistry = await loadFactory(provider, parseRegistryId(configured.id).provider);
    const context = { ...configured, baseDir: '/var/task' }; // where Lambda has the code
    const registry = makeRegistry(context, settingsSchema.parse(configured.writtenSettings));
    return pollRegistry({ ...parts, registry }, settings, options);
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
