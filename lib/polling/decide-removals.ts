import type { Held } from '../model/registry-row';
import type { ServiceKey } from '../model/service-key';
import { isoTime } from '../runtime/clock';
import type { GuardPolicy } from './poll-settings';
import { describeRemovals, type Removal, type Removals } from './removal-guard';

/** Why held removals were let go. */
export type ReleaseReason = 'confirmed' | 'approved' | 'returned' | 'expired';

/** Removals that are held back. */
export type Hold = {
  /** As the registry's row tells it. */
  readonly held: Held;
  /** Which they are; `undefined` in a new run, which has only the row, until a complete reading tells. */
  readonly removals: Removals | undefined;
  /** All services that were held at any time of this hold, also those that have come back since. */
  readonly suspects: ReadonlySet<ServiceKey>;
};

/** Full readings are complete, when everything could be read, or partial. Only complete ones confirm a removal. */
export type ReadingKind = 'complete' | 'partial' | 'delta';

/** What a reading would take away, and what is held already. */
export type RemovalQuestion = {
  readonly kind: ReadingKind;
  /** What it would take away. */
  readonly removals: Removals;
  /** Whether the reading says anything of a service; one that is frozen, or that a delta does not name, it knows nothing of. */
  readonly speaksOf: (key: ServiceKey) => boolean;
  /** Whether the guard's limits are exceeded when these services lose what the reading would take from them. */
  readonly tooMuch: (removals: Removals) => boolean;
  readonly hold: Hold | undefined;
  /** Hash of the held removals that a person approved. */
  readonly approved: string | undefined;
  readonly policy: GuardPolicy;
  readonly nowMs: number;
};

export type RemovalDecision = {
  /** What of this reading, and of earlier ones, stays; everything else goes. */
  readonly held: Removals;
  readonly hold: Hold | undefined;
  /** Why the hold that was there has ended. */
  readonly released: ReleaseReason | undefined;
};

const NOTHING: Removals = new Map();

/**
 * The removal guard (DESIGN "Removal guard"): which removals wait for more evidence, and when they have waited enough.
 *
 * | hold | reading                          | what is held then                                                           |
 * |------|----------------------------------|-----------------------------------------------------------------------------|
 * | none | within the limits                | nothing                                                                     |
 * | none | over the limits                  | all that it would take away                                                 |
 * | held | full, over the limits            | all that it would take away                                                 |
 * | held | full, within the limits          | what it would take away of all that this hold has held; the rest goes ahead |
 * | held | delta, its own over the limits   | what was held and is not back, and all that it would take away              |
 * | held | delta, its own within the limits | what was held and is not back, and of its own what this hold has held; the  |
 * |      |                                  | rest, which is explicit, goes ahead                                         |
 * | held by an earlier run | complete       | all that it would take away, since it is not known what was held            |
 * | held by an earlier run | partial, delta | the same, and the row's hold stays as it is                                 |
 *
 * So an outage from which a registry recovers in steps, in whatever order, takes nothing away with its last steps; and
 * ordinary removals wait only while the registry as a whole is in doubt, or where it was. The hold ends
 *
 * | reason      | when                                                                                                     |
 * |-------------|----------------------------------------------------------------------------------------------------------|
 * | `returned`  | nothing is left of it                                                                                    |
 * | `approved`  | a full reading would take away just what a person approved                                               |
 * | `confirmed` | `confirmations` complete readings in a row agree, the last at least `minHold` after the first            |
 * | `expired`   | a full reading comes `maxHold` after the first: whatever it takes away, and be it partial, goes          |
 *
 * A complete reading that differs counts as the first of a new row; so does the next after a partial or failed one. That
 * even a partial reading ends a hold that has expired, for the services whose sources it could read, is on purpose: one bad
 * manifest that nobody repairs would otherwise hold all others for ever.
 */
export function decideRemovals(question: RemovalQuestion): RemovalDecision {
  const { kind, hold, policy, nowMs } = question;
  const uncertain = hold !== undefined && hold.removals === undefined && kind !== 'complete';
  const removals = removalsToHold(question);
  if (removals.size === 0 && !uncertain) {
    return { held: NOTHING, hold: undefined, released: hold === undefined ? undefined : 'returned' };
  }
  const described = describeRemovals(removals);
  const held = {
    ...(uncertain ? hold.held : described),
    since: isoTime(earlier(hold?.held.since, nowMs)),
    ...countConfirmations(question, described.hash),
  };
  const approved = described.hash === question.approved;
  const reason = kind === 'delta' ? undefined : releaseReason(held, policy, nowMs, approved);
  if (reason === undefined) {
    const suspects = new Set([...(hold?.suspects ?? []), ...removals.keys()]);
    return {
      held: removals,
      hold: { held, removals: uncertain ? undefined : removals, suspects },
      released: undefined,
    };
  }
  return { held: NOTHING, hold: undefined, released: hold === undefined ? undefined : reason };
}

/** A failed reading ends the row of agreeing ones: they are not consecutive any more. */
export function interruptHold(hold: Hold | undefined): Hold | undefined {
  return hold === undefined ? undefined : { ...hold, held: { ...hold.held, confirmations: 0 } };
}

function removalsToHold({ kind, removals, speaksOf, tooMuch, hold }: RemovalQuestion): Removals {
  const notBack = selected(hold?.removals ?? NOTHING, (key) => !speaksOf(key));
  const all = new Map([...notBack, ...removals]);
  if (hold !== undefined && hold.removals === undefined) return all;
  const isSuspect = (key: ServiceKey): boolean => hold?.suspects.has(key) === true;
  const inDoubt = kind === 'delta' ? selected(removals, (key) => !isSuspect(key)) : all;
  return tooMuch(inDoubt) ? all : selected(all, isSuspect);
}

function countConfirmations(
  { kind, hold, nowMs }: RemovalQuestion,
  hash: string,
): Pick<Held, 'confirmations' | 'confirmedSince'> {
  const agrees = hold?.held.hash === hash && hold.held.confirmations > 0;
  const confirmedSince = isoTime(agrees ? earlier(hold.held.confirmedSince, nowMs) : nowMs);
  const before = agrees ? hold.held.confirmations : 0;
  switch (kind) {
    case 'complete':
      return { confirmations: before + 1, confirmedSince };
    case 'delta':
      return { confirmations: before, confirmedSince };
    case 'partial':
      return { confirmations: 0, confirmedSince };
  }
}

function releaseReason(
  { since, confirmations, confirmedSince }: Held,
  policy: GuardPolicy,
  nowMs: number,
  approved: boolean,
): ReleaseReason | undefined {
  if (approved) return 'approved';
  const confirmed = confirmations >= policy.confirmations;
  if (confirmed && nowMs - Date.parse(confirmedSince) >= policy.minHoldMs) return 'confirmed';
  return nowMs - Date.parse(since) >= policy.maxHoldMs ? 'expired' : undefined;
}

/** The earlier of a remembered time and now: a clock that went back must not lengthen a hold. */
function earlier(remembered: string | undefined, nowMs: number): number {
  return remembered === undefined ? nowMs : Math.min(Date.parse(remembered), nowMs);
}

function selected(removals: Removals, choose: (key: ServiceKey) => boolean): Removals {
  return new Map<ServiceKey, Removal>([...removals].filter(([key]) => choose(key)));
}
