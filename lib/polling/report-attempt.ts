import { describeError } from '../model/app-error';
import type { Note } from '../model/note';
import { MAX_UNREADABLE_LISTED, type RegistryState, type Unreadable } from '../model/registry-row';
import type { RegistryReading } from '../registries/registry';
import type { WriteResult } from './apply-snapshot-writes';
import type { SnapshotPlan } from './plan-snapshot-writes';
import type { PollRun } from './poll-run';

/** How many notes and failed writes the outcome line spells out; all are counted. */
const LISTED = 5;

export type ReadingReport = {
  readonly reading: RegistryReading;
  readonly plan: SnapshotPlan;
  readonly result: WriteResult;
  readonly state: RegistryState;
  readonly pollId: string;
  readonly durationMs: number;
};

export type FailureReport = {
  readonly error: { readonly code: string; readonly message: string };
  readonly result: WriteResult;
  readonly state: RegistryState;
  readonly pollId: string;
  readonly durationMs: number;
};

/** The metrics and the one log line of a reading. */
export function reportReading(run: PollRun, report: ReadingReport): void {
  const { reading, plan, result, state, pollId, durationMs } = report;
  const { memory, parts, settings } = run;
  const { requests, bytes } = reading.cost;
  count(run, { failures: 0, durationMs, writes: result.puts + result.removals, requests });
  parts.log.info('Registry read', {
    registry: settings.registry,
    pollId,
    reading: plan.kind,
    state,
    services: memory.known.size,
    endpoints: memory.endpoints,
    puts: result.puts,
    removals: result.removals,
    unreadable: plan.unreadable.length,
    frozen: plan.frozen.length,
    heldServices: plan.hold?.held.services ?? 0,
    heldEndpoints: plan.hold?.held.endpoints ?? 0,
    ...(plan.released === undefined ? {} : { released: plan.released }),
    requests,
    bytes,
    durationMs,
    ...notesOf(plan.notes),
    ...unwrittenOf(result),
    ...(result.interrupted ? { interrupted: true } : {}),
  });
}

/** The metrics and the one log line of a reading that failed. */
export function reportFailure(run: PollRun, report: FailureReport): void {
  const { error, result, state, pollId, durationMs } = report;
  const { memory, parts, settings } = run;
  count(run, { failures: 1, durationMs, writes: result.puts, requests: 0 });
  parts.log.warn('Registry not read', {
    registry: settings.registry,
    pollId,
    state,
    error: error.code,
    reason: error.message,
    failures: memory.troubles,
    services: memory.known.size,
    endpoints: memory.endpoints,
    expired: result.puts,
    durationMs,
    ...unwrittenOf(result),
  });
}

/** A line for each source that has become unreadable, or unreadable for another reason; once, and not each reading. */
export function reportUnreadable({ memory, parts, settings }: PollRun, unreadable: readonly Unreadable[]): void {
  const before = new Map(memory.unreadable.map(({ source, reason }) => [source, reason]));
  const news = unreadable.filter(({ source, reason }) => before.get(source) !== reason);
  const { registry } = settings;
  for (const { source, reason } of news.slice(0, MAX_UNREADABLE_LISTED)) {
    parts.log.warn('Source unreadable, its services stay as they are', { registry, source, reason });
  }
}

/** How the registry stands, as metrics; what a watch that hears of no change goes on saying. */
export function measureRegistry({ memory, parts, settings }: PollRun): void {
  const { registry } = settings;
  const held = memory.hold?.held;
  parts.metrics.addOfRegistry(registry, 'Services', memory.known.size);
  parts.metrics.addOfRegistry(registry, 'Endpoints', memory.endpoints);
  parts.metrics.addOfRegistry(registry, 'HeldRemovals', (held?.services ?? 0) + (held?.endpoints ?? 0));
  if (memory.lastSuccessMs !== undefined) {
    const ageMs = Math.max(0, parts.clock.now() - memory.lastSuccessMs);
    parts.metrics.addOfRegistry(registry, 'ReadingAgeSeconds', ageMs / 1000);
  }
}

function count(
  run: PollRun,
  facts: { readonly failures: number; readonly durationMs: number; readonly writes: number; readonly requests: number },
): void {
  const { metrics } = run.parts;
  metrics.add('PollRuns', 1);
  metrics.add('PollFailures', facts.failures);
  metrics.add('PollDurationMs', facts.durationMs);
  metrics.add('SnapshotWrites', facts.writes);
  metrics.add('ItemsTooLarge', run.memory.refused.size);
  metrics.addOfRegistry(run.settings.registry, 'Requests', facts.requests);
  measureRegistry(run);
}

function notesOf(notes: readonly Note[]): Readonly<Record<string, unknown>> {
  if (notes.length === 0) return {};
  const counts = new Map<string, number>();
  for (const { code } of notes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return { notes: Object.fromEntries(counts), noted: notes.slice(0, LISTED).map(({ message }) => message) };
}

function unwrittenOf({ failed }: WriteResult): Readonly<Record<string, unknown>> {
  if (failed.length === 0) return {};
  const listed = failed.slice(0, LISTED).map(({ key, error }) => ({ service: key, ...describeError(error) }));
  return { unwritten: failed.length, firstUnwritten: listed };
}
