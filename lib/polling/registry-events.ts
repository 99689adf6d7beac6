import {
  EVENT_SCHEMA,
  type RegistryDetail,
  type RegistryEvent,
  type RegistryEventType,
} from '../changes/pilotless-event';
import type { Held, RegistryRow, RegistryState } from '../model/registry-row';
import { isoTime } from '../runtime/clock';
import type { ReleaseReason } from './decide-removals';

/** The reading that an event is about. */
export type Occasion = { readonly pollId: string; readonly nowMs: number };

/**
 * What has to be told of a reading that succeeded, judged by the row as it was last written: the end of an outage, removals
 * that are held from now on, or not any more. While an event cannot be sent, its part of the row stays as it was, and so it
 * comes again with the next reading. Ids name the outage or the hold: one that was sent, but whose row could not be written,
 * comes again with the same id.
 */
export function eventsOfReading(
  row: RegistryRow,
  outcome: { readonly state: RegistryState; readonly held: Held | undefined; readonly released: ReleaseReason },
  occasion: Occasion,
): readonly RegistryEvent[] {
  const { state, held, released } = outcome;
  const events: RegistryEvent[] = [];
  const tell = (type: RegistryEventType, since: string, facts: Partial<RegistryDetail>): void => {
    events.push(registryEvent(type, row, state, since, occasion, facts));
  };
  if (row.consecutiveFailures > 0) tell('Registry Recovered', outageOf(row), {});
  if (row.held === undefined && held !== undefined) tell('Removal Held', held.since, { held });
  if (row.held !== undefined && held === undefined) {
    tell('Removal Released', row.held.since, { held: row.held, released });
  }
  return events;
}

/** What has to be told of a reading that failed: the beginning of an outage, once. */
export function eventsOfFailure(
  row: RegistryRow,
  outcome: { readonly state: RegistryState; readonly error: { readonly code: string; readonly message: string } },
  occasion: Occasion,
): readonly RegistryEvent[] {
  if (row.consecutiveFailures > 0) return [];
  const { state, error } = outcome;
  return [registryEvent('Registry Failed', row, state, outageOf(row), occasion, { error })];
}

/** Names an outage: the good reading before it. */
function outageOf(row: RegistryRow): string {
  return row.lastSuccessAt ?? 'never';
}

function registryEvent(
  type: RegistryEventType,
  { registry }: RegistryRow,
  state: RegistryState,
  since: string,
  { pollId, nowMs }: Occasion,
  facts: Partial<RegistryDetail>,
): RegistryEvent {
  const id = `${registry}@${since}#${type.toLowerCase().replace(' ', '-')}`;
  const metadata = { schema: EVENT_SCHEMA, id, at: isoTime(nowMs), correlationId: pollId };
  return { type, detail: { metadata, registry: { id: registry, state }, ...facts } };
}
