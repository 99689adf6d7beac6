import {
  MAX_UNREADABLE_LISTED,
  type Held,
  type RegistryRow,
  type RegistryState,
  type Unreadable,
} from '../model/registry-row';
import type { RegistryRowPatch } from './registry-store';

/** What the row tells of any reading, however it went. */
export type AttemptFacts = {
  readonly pollId: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
};

/** What the row tells of the registry's snapshots. */
export type SnapshotFacts = {
  readonly services: number;
  readonly endpoints: number;
  /** Whether any was written. */
  readonly changed: boolean;
};

export type ReadFacts = AttemptFacts &
  SnapshotFacts & {
    readonly requests: number;
    /** Absent for a delta, which says nothing of it. */
    readonly unreadable?: readonly Unreadable[];
    readonly held: Held | undefined;
    readonly state: RegistryState;
    /** The first of the snapshots that could not be written. */
    readonly writeError?: { readonly code: string; readonly message: string };
  };

/** `degraded` while something could not be read or written, or is held. */
export function stateAfterReading(facts: {
  readonly unreadable: number;
  readonly unwritten: number;
  readonly held: boolean;
}): RegistryState {
  return facts.unreadable > 0 || facts.unwritten > 0 || facts.held ? 'degraded' : 'synced';
}

/** A registry of which nothing is known does not become `failed`: not known is another thing than out of date. */
export function stateAfterFailure(row: RegistryRow): RegistryState {
  const isKnown = row.lastSuccessAt !== undefined && row.state !== 'never-synced' && row.state !== 'removed';
  return isKnown ? 'failed' : 'never-synced';
}

/** The row after a reading whose writes were all tried. */
export function rowAfterReading(row: RegistryRow, facts: ReadFacts): RegistryRowPatch {
  const { pollId, startedAt, durationMs, services, endpoints, requests, unreadable, held, state } = facts;
  return {
    state,
    pollId,
    lastAttemptAt: startedAt,
    lastSuccessAt: startedAt,
    lastError: facts.writeError,
    consecutiveFailures: 0,
    services,
    endpoints,
    requests,
    durationMs,
    held,
    ...(facts.changed ? { lastChangeAt: startedAt } : {}),
    ...(unreadable === undefined ? {} : unreadableMembers(unreadable)),
    ...(held === undefined && row.approvedHold !== undefined ? { approvedHold: undefined } : {}),
  };
}

/** The row after a reading that was cut short before everything was written; the next run reads again. */
export function rowAfterInterruption(
  facts: AttemptFacts & SnapshotFacts & { readonly held: Held | undefined },
): RegistryRowPatch {
  const { pollId, startedAt, services, endpoints, changed, held } = facts;
  return {
    pollId,
    lastAttemptAt: startedAt,
    services,
    endpoints,
    ...(changed ? { lastChangeAt: startedAt } : {}),
    ...(held === undefined ? {} : { held }),
  };
}

/** The row after a reading that failed: what was known stays, and its age shows. */
export function rowAfterFailure(
  row: RegistryRow,
  facts: AttemptFacts &
    SnapshotFacts & {
      readonly error: { readonly code: string; readonly message: string };
      readonly held: Held | undefined;
    },
): RegistryRowPatch {
  const { pollId, startedAt, durationMs, services, endpoints, changed, error, held } = facts;
  return {
    state: stateAfterFailure(row),
    pollId,
    lastAttemptAt: startedAt,
    lastError: error,
    consecutiveFailures: row.consecutiveFailures + 1,
    services,
    endpoints,
    durationMs,
    ...(changed ? { lastChangeAt: startedAt } : {}),
    ...(row.held === undefined ? {} : { held }),
  };
}

/**
 * The patch without what an event has to tell first. It is left out while the event cannot be sent, so that the change is
 * seen again at the next reading: told twice perhaps, but never not at all.
 */
export function withoutTransitions(patch: RegistryRowPatch): RegistryRowPatch {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => !TRANSITIONS.has(name)));
}

const TRANSITIONS: ReadonlySet<string> = new Set(['state', 'consecutiveFailures', 'held', 'approvedHold']);

function unreadableMembers(unreadable: readonly Unreadable[]): RegistryRowPatch {
  return { unreadable: unreadable.slice(0, MAX_UNREADABLE_LISTED), unreadableCount: unreadable.length };
}
