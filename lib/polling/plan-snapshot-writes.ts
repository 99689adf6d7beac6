import { compareText } from '../model/compare';
import type { Note } from '../model/note';
import type { RegistryId } from '../model/registry-id';
import type { Unreadable } from '../model/registry-row';
import { carriesEndpoints } from '../model/service';
import type { ServiceKey } from '../model/service-key';
import { accountsOf, type ServiceSnapshot } from '../model/service-snapshot';
import type { RegistryReading } from '../registries/registry';
import { SNAPSHOT_SCHEMA, type KnownSnapshot } from '../snapshots/snapshot-store';
import { decideRemovals, type Hold, type ReadingKind, type ReleaseReason } from './decide-removals';
import type { GuardPolicy } from './poll-settings';
import { contentOf, type ReadingContent } from './reading-content';
import {
  missing,
  shrinking,
  takesTooMuch,
  type CountsAfter,
  type EarlierCounts,
  type KnownSnapshots,
  type Removal,
  type Removals,
} from './removal-guard';
import { unreadableTest } from './unreadable-sources';

/** What else a plan depends on. */
export type PlanCircumstances = {
  readonly registry: RegistryId;
  /** Position in the order of merging, as configured now. */
  readonly precedence: number;
  /** Sources that the last full reading found unreadable; what a delta has to go by. */
  readonly unreadable: readonly Unreadable[];
  /** Hash of the held removals that a person approved. */
  readonly approved: string | undefined;
  /** What the services had a minute ago, where their numbers have changed since. */
  readonly earlier: EarlierCounts;
  /** When the registry was read, in milliseconds. */
  readonly nowMs: number;
};

export type PlannedPut = { readonly snapshot: ServiceSnapshot; readonly endpointAccounts: readonly string[] };

export type SnapshotPlan = {
  readonly kind: ReadingKind;
  /** To be written as they are. */
  readonly puts: readonly PlannedPut[];
  /** Held services that shrink: to be written as the union of what is stored with this. */
  readonly unions: readonly ServiceSnapshot[];
  /** To be replaced by a tombstone. */
  readonly tombstones: readonly ServiceKey[];
  /** Left as they are, since not all of their sources could be read. */
  readonly frozen: readonly ServiceKey[];
  /** Sources that could not be read, services that the reading contradicts itself about among them. */
  readonly unreadable: readonly Unreadable[];
  /** What is held back from now on. */
  readonly hold: Hold | undefined;
  /** Why what was held before is not any more. */
  readonly released: ReleaseReason | undefined;
  readonly notes: readonly Note[];
};

/**
 * Decides what a reading changes. Pure: nothing is written, and what is not in the plan stays as it is.
 *
 * | stored | reading                            | its sources, then and now | guard    | plan             |
 * |--------|------------------------------------|---------------------------|----------|------------------|
 * | any    | any                                | one is unreadable         | any      | frozen           |
 * | no     | has it                             | readable                  | any      | put              |
 * | no     | a delta removes it                 | readable                  | any      | nothing          |
 * | yes    | a delta does not name it           | any                       | any      | nothing          |
 * | yes    | has it, equal                      | readable                  | any      | nothing          |
 * | yes    | has it, other, no fewer endpoints  | readable                  | any      | put              |
 * | yes    | has it with fewer endpoints        | readable                  | lets go  | put              |
 * | yes    | has it with fewer endpoints        | readable                  | holds    | union            |
 * | yes    | lacks it, or a delta removes it    | readable                  | lets go  | tombstone        |
 * | yes    | lacks it, or a delta removes it    | readable                  | holds    | nothing (held)   |
 *
 * *Equal* is equal in content hash, precedence, schema and sources; the latter because a later removal is judged by them.
 * A source counts as unreadable when it is named, or when a named one that ends in `/` stands above it; one that was seen
 * in part counts only for services that the reading lacks. A stored service that names no source is frozen by any
 * unreadable one: it cannot be told what it was built from. A service that has come down to no endpoint keeps its accounts
 * while its resolution carries endpoints. The guard is {@link decideRemovals}.
 *
 * A full reading that holds two different snapshots of a service is partial, and the service frozen.
 *
 * @throws AppError `InvalidReadingError` when a snapshot is of another registry, or a delta contradicts itself: a bug of
 * the provider, by which the reading fails.
 */
export function planSnapshotWrites(
  known: KnownSnapshots,
  reading: RegistryReading,
  policy: GuardPolicy,
  hold: Hold | undefined,
  circumstances: PlanCircumstances,
): SnapshotPlan {
  const content = contentOf(reading, known, circumstances.registry, circumstances.unreadable);
  const { frozen, judged } = judgedServices(content, known);
  const removals = removalsAmong(judged, content, known);
  const decision = decideRemovals({
    kind: content.kind,
    removals,
    speaksOf: (key) => judged.has(key),
    tooMuch: (some) => takesTooMuch(known, countsAfter(judged, content, removals, some), circumstances.earlier, policy),
    hold,
    approved: circumstances.approved,
    policy,
    nowMs: circumstances.nowMs,
  });
  const changed = [...judged].flatMap((key) => {
    const snapshot = content.present.get(key);
    return snapshot === undefined || isEqual(known.get(key), snapshot, circumstances.precedence) ? [] : [snapshot];
  });
  const isHeld = (key: ServiceKey): boolean => decision.held.has(key);
  return {
    kind: content.kind,
    puts: changed
      .filter(({ key }) => !isHeld(key))
      .map((snapshot) => ({ snapshot, endpointAccounts: accountsToWrite(known.get(snapshot.key), snapshot) })),
    unions: changed.filter(({ key }) => isHeld(key)),
    tombstones: [...judged].filter((key) => content.gone.has(key) && !isHeld(key)),
    frozen,
    unreadable: content.unreadable,
    hold: decision.hold,
    released: decision.released,
    notes: [...content.notes, ...approvalNotes(decision.hold, circumstances.approved)],
  };
}

/**
 * What a written snapshot's `endpointAccounts` are: those of its endpoints; and while there are none, although the
 * resolution could carry some, those that it had before.
 */
export function accountsToWrite(known: KnownSnapshot | undefined, snapshot: ServiceSnapshot): readonly string[] {
  const keeps = snapshot.endpoints.length === 0 && carriesEndpoints(snapshot.service.resolution);
  return keeps ? (known?.endpointAccounts ?? []) : accountsOf(snapshot.endpoints);
}

/** Whether writing the snapshot would change nothing that matters. */
export function isEqual(known: KnownSnapshot | undefined, snapshot: ServiceSnapshot, precedence: number): boolean {
  return (
    known?.hash === snapshot.hash &&
    known.precedence === precedence &&
    known.schema === SNAPSHOT_SCHEMA &&
    known.sources.length === snapshot.sources.length &&
    known.sources.every((source, index) => source === snapshot.sources[index])
  );
}

function judgedServices(
  { present, gone, contradicted, unreadable }: ReadingContent,
  known: KnownSnapshots,
): { readonly frozen: readonly ServiceKey[]; readonly judged: ReadonlySet<ServiceKey> } {
  const isUnreadable = unreadableTest(unreadable.filter(({ seenInPart }) => seenInPart !== true));
  const mayBeHidden = unreadableTest(unreadable);
  const isFrozen = (key: ServiceKey): boolean => {
    const before = known.get(key);
    const now = present.get(key);
    return (
      contradicted.has(key) ||
      (before !== undefined && isUnreadable(before.sources)) ||
      (now !== undefined && isUnreadable(now.sources)) ||
      (before !== undefined && now === undefined && mayBeHidden(before.sources))
    );
  };
  const named = [...new Set([...present.keys(), ...gone, ...contradicted])].sort(compareText);
  const frozen = named.filter(isFrozen);
  const left = new Set(frozen);
  return { frozen, judged: new Set(named.filter((key) => !left.has(key))) };
}

function removalsAmong(judged: ReadonlySet<ServiceKey>, { present }: ReadingContent, known: KnownSnapshots): Removals {
  const removals = new Map<ServiceKey, Removal>();
  for (const key of judged) {
    const before = known.get(key);
    const now = present.get(key);
    if (before === undefined) continue;
    if (now === undefined) removals.set(key, missing(before));
    else if (now.endpoints.length < before.endpointCount) removals.set(key, shrinking(before, now.endpoints));
  }
  return removals;
}

/** The numbers of endpoints after the reading, if just `some` of its removals go ahead. */
function countsAfter(
  judged: ReadonlySet<ServiceKey>,
  { present }: ReadingContent,
  removals: Removals,
  some: Removals,
): CountsAfter {
  const after = new Map<ServiceKey, number | undefined>();
  for (const key of judged) if (!removals.has(key)) after.set(key, present.get(key)?.endpoints.length);
  for (const [key, { left }] of some) after.set(key, left?.count);
  return after;
}

function approvalNotes(hold: Hold | undefined, approved: string | undefined): readonly Note[] {
  if (hold === undefined || approved === undefined) return [];
  const message = `Removals ${approved} were approved, but by now ${hold.held.hash} are held; approve those to let them go`;
  return [{ code: 'ApprovalOutdated', message }];
}
