import type { RegistryEvent } from '../changes/pilotless-event';
import { describeError } from '../model/app-error';
import type { RegistryRow } from '../model/registry-row';
import type { PollRun } from './poll-run';
import { SupersededError, type RegistryRowPatch } from './registry-store';

/**
 * Sends the events, which comes before the row is written that they tell of.
 * @returns false when sending them again may help; one that the bus will never take must not keep the row from the truth.
 */
export async function tell({ parts, settings }: PollRun, events: readonly RegistryEvent[]): Promise<boolean> {
  if (events.length === 0) return true;
  const { registry } = settings;
  try {
    const refused = await parts.events.publish(events);
    for (const { event, reason, transient } of refused) {
      parts.log.warn('Registry event not sent', { registry, event: event.type, reason, transient });
    }
    return refused.every(({ transient }) => !transient);
  } catch (error) {
    const types = events.map(({ type }) => type);
    parts.log.warn('Registry events not sent', { registry, events: types, ...describeError(error) });
    return false;
  }
}

/** Whether the row has to be written at once; changes come often, and what they say otherwise can wait for the renewal. */
export function isNews(row: RegistryRow, { state, held }: RegistryRowPatch): boolean {
  return state !== row.state || held?.hash !== row.held?.hash || row.consecutiveFailures > 0;
}

/**
 * Writes the row now, or leaves it for the next renewal or the release. What cannot be written now is written then.
 * @throws SupersededError when a newer run has taken over.
 */
export async function writeRow(
  { lease, once, parts, settings }: PollRun,
  patch: RegistryRowPatch,
  now: boolean,
): Promise<void> {
  if (once || !now) {
    lease.note(patch);
    return;
  }
  try {
    await lease.write(patch);
  } catch (error) {
    if (error instanceof SupersededError) throw error;
    parts.log.warn('Registry row not written', { registry: settings.registry, ...describeError(error) });
  }
}
