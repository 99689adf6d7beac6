import { describeError } from '../model/app-error';
import type { RegistryState } from '../model/registry-row';
import { ItemTooLargeError } from '../model/store-errors';
import { isoTime } from '../runtime/clock';
import { applySnapshotWrites, applyTrims, type WriteContext, type WriteResult } from './apply-snapshot-writes';
import { interruptHold } from './decide-removals';
import { planExpiry, type PlannedTrim } from './plan-expiry';
import { planSnapshotWrites, type SnapshotPlan } from './plan-snapshot-writes';
import type { PollRun } from './poll-run';
import type { Attempt, ReadAttempt } from './read-attempts';
import { eventsOfFailure, eventsOfReading } from './registry-events';
import { reportFailure, reportReading, reportUnreadable } from './report-attempt';
import {
  rowAfterFailure,
  rowAfterInterruption,
  rowAfterReading,
  stateAfterFailure,
  stateAfterReading,
  withoutTransitions,
  type SnapshotFacts,
} from './row-after-attempt';
import { isNews, tell, writeRow } from './tell-and-write';

/**
 * Makes an attempt part of the tables: plan, tell, write the snapshots, write the row. A reading that contradicts itself
 * or its registry counts as failed. After a failure what is known stays, or expires step by step when that is configured.
 *
 * @throws SupersededError when a newer run has taken over.
 */
export async function recordAttempt(run: PollRun, attempt: Attempt, pollId: string): Promise<void> {
  if (attempt.type === 'failed') return recordFailure(run, attempt.startedMs, attempt.error, pollId);
  if (!(await settleUnsure(run))) return;
  let plan: SnapshotPlan;
  try {
    plan = planReading(run, attempt);
  } catch (error) {
    return recordFailure(run, attempt.startedMs, error, pollId);
  }
  return recordReading(run, attempt, plan, pollId);
}

/**
 * Looks up what stands in the table where a write has failed: it may have taken effect all the same.
 * @returns false when that fails too; nothing can be planned then.
 */
async function settleUnsure({ memory, parts, settings }: PollRun): Promise<boolean> {
  if (memory.unsure.size === 0) return true;
  const { registry } = settings;
  try {
    const { snapshots } = await parts.snapshots.getMany([...memory.unsure].map((key) => ({ registry, key })));
    memory.settle(snapshots);
    return true;
  } catch (error) {
    memory.troubles += 1;
    parts.log.warn('Snapshots not read back', { registry, services: memory.unsure.size, ...describeError(error) });
    return false;
  }
}

async function recordReading(run: PollRun, attempt: ReadAttempt, plan: SnapshotPlan, pollId: string): Promise<void> {
  const { memory, lease, parts } = run;
  const durationMs = parts.clock.now() - attempt.startedMs;
  const held = plan.hold?.held;
  const released = plan.released ?? memory.released ?? 'returned';
  const occasion = { pollId, nowMs: parts.clock.now() };
  const told = await tell(run, eventsOfReading(lease.row, { state: stateOf(run, plan), held, released }, occasion));
  memory.released = told ? undefined : released;
  const result = await applySnapshotWrites(plan, writeContext(run, attempt.startedMs, pollId));
  reportUnreadable(run, plan.unreadable);
  remember(run, attempt, plan, result);

  const state = stateOf(run, plan, result);
  const unwritten = result.failed[0] ?? [...memory.refused.values()][0];
  const facts = { ...snapshotFacts(run, result), pollId, startedAt: isoTime(attempt.startedMs), durationMs, held };
  const patch = result.interrupted
    ? rowAfterInterruption(facts)
    : rowAfterReading(lease.row, {
        ...facts,
        state,
        requests: attempt.reading.cost.requests,
        ...(plan.kind === 'delta' ? {} : { unreadable: plan.unreadable }),
        ...(unwritten === undefined ? {} : { writeError: describeError(unwritten.error) }),
      });
  await writeRow(run, told ? patch : withoutTransitions(patch), plan.kind !== 'delta' || isNews(lease.row, patch));
  if (!result.interrupted) memory.state = state;
  reportReading(run, { reading: attempt.reading, plan, result, state, pollId, durationMs });
}

async function recordFailure(run: PollRun, startedMs: number, error: unknown, pollId: string): Promise<void> {
  const { memory, lease, parts } = run;
  const nowMs = parts.clock.now();
  const durationMs = nowMs - startedMs;
  const described = describeError(error);
  const state = stateAfterFailure(lease.row);
  const told = await tell(run, eventsOfFailure(lease.row, { state, error: described }, { pollId, nowMs }));
  const trims = (await settleUnsure(run)) ? expiringNow(run, nowMs) : [];
  const result = await applyTrims(trims, writeContext(run, nowMs, pollId));
  memory.hold = interruptHold(memory.hold);
  memory.troubles += 1;

  const patch = rowAfterFailure(lease.row, {
    ...snapshotFacts(run, result),
    pollId,
    startedAt: isoTime(startedMs),
    durationMs,
    error: described,
    held: memory.hold?.held,
  });
  await writeRow(run, told ? patch : withoutTransitions(patch), true);
  memory.state = state;
  reportFailure(run, { error: described, result, state, pollId, durationMs });
}

function planReading({ memory, settings, lease }: PollRun, { reading, startedMs }: ReadAttempt): SnapshotPlan {
  return planSnapshotWrites(memory.known, reading, settings.guard, memory.hold, {
    registry: settings.registry,
    precedence: settings.precedence,
    unreadable: memory.unreadable,
    approved: lease.row.approvedHold,
    earlier: memory.counts.before(startedMs),
    nowMs: startedMs,
  });
}

function remember(
  { memory }: PollRun,
  { reading, startedMs }: ReadAttempt,
  plan: SnapshotPlan,
  result: WriteResult,
): void {
  memory.hold = plan.hold;
  memory.unreadable = plan.unreadable;
  if (plan.hold === undefined) memory.united.clear();
  if (plan.released !== undefined && plan.released !== 'returned') memory.counts.forget();
  if (!result.interrupted) memory.lastSuccessMs = startedMs;
  const offered = new Set([...plan.puts.map(({ snapshot }) => snapshot.key), ...plan.unions.map(({ key }) => key)]);
  const gone =
    reading.type === 'full' ? [...memory.refused.keys()].filter((key) => !offered.has(key)) : reading.removals;
  for (const key of gone) memory.refused.delete(key);
  const troubled = result.failed.some(({ error }) => !(error instanceof ItemTooLargeError));
  memory.troubles = troubled ? memory.troubles + 1 : 0;
}

function expiringNow({ memory, settings }: PollRun, nowMs: number): readonly PlannedTrim[] {
  const { expireAfterMs, intervalMs, guard: policy } = settings;
  const { lastSuccessMs, lastChangeMs } = memory;
  return planExpiry(memory.known, { expireAfterMs, intervalMs, lastSuccessMs, lastChangeMs, policy, nowMs });
}

function stateOf({ memory }: PollRun, plan: SnapshotPlan, result?: WriteResult): RegistryState {
  return stateAfterReading({
    unreadable: plan.unreadable.length,
    unwritten: memory.refused.size + (result?.failed.length ?? 0),
    held: plan.hold !== undefined,
  });
}

function snapshotFacts({ memory }: PollRun, { puts, removals }: WriteResult): SnapshotFacts {
  return { services: memory.known.size, endpoints: memory.endpoints, changed: puts + removals > 0 };
}

function writeContext(
  { parts, memory, lease, settings, control }: PollRun,
  observedMs: number,
  pollId: string,
): WriteContext {
  return {
    snapshots: parts.snapshots,
    memory,
    lease,
    precedence: settings.precedence,
    pollId,
    observedAt: isoTime(observedMs),
    observedMs,
    signal: control.ending,
  };
}
