import type { RegistryRow, RegistryState } from '../model/registry-row';
import { isoTime } from '../runtime/clock';
import { heedWishes } from './heed-wishes';
import { keepLease } from './keep-lease';
import { Lease } from './lease';
import type { PollParts, PollRun } from './poll-run';
import type { PollSettings } from './poll-settings';
import { readAttempts, type Attempt } from './read-attempts';
import { recordAttempt } from './record-attempt';
import { SupersededError, type RegistryRowPatch } from './registry-store';
import { measureRegistry } from './report-attempt';
import { RunControl, type EndReason } from './run-control';
import { RunMemory } from './run-memory';
import { takeLease, type LeaseOptions } from './take-lease';

/** `signal` ends the run: before the next write, with the lease given back. The next run does what was left. */
export type PollOptions = LeaseOptions & {
  /**
   * Read once and end.
   * @default true when each firing of the schedule is a reading: in poll mode with an interval of a minute or more, unless
   * runs last for ever
   */
  readonly once?: boolean;
};

export type PollOutcome =
  /** Another run has the registry. */
  | { readonly type: 'skipped' }
  | {
      readonly type: 'ended';
      readonly reason: EndReason;
      /** Of the registry, after the last attempt. */
      readonly state: RegistryState;
      readonly attempts: number;
    };

/** From here on a schedule fires once a reading; below, runs last and the schedule watches over them (DESIGN "Pace"). */
const READING_A_FIRING_MS = 60_000;

/**
 * Reads a registry and keeps its snapshots and its row up to date, for as long as this run has the lease.
 *
 * A registry that cannot be read is no error of the poller: its row, a metric and an event tell. Throws what the stores
 * throw when the run cannot begin or end properly, and bugs.
 */
export async function pollRegistry(
  parts: PollParts,
  settings: PollSettings,
  options: PollOptions,
): Promise<PollOutcome> {
  for (;;) {
    const row = await takeLease(parts, settings, options);
    if (row === undefined) return { type: 'skipped' };
    const run = beginRun(parts, settings, options, row);
    const outcome = await readUntilEnd(run, row);
    if (outcome.reason !== 'once' || !run.control.isUnserved(await parts.registries.get(settings.registry)))
      return outcome;
  }
}

function beginRun(parts: PollParts, settings: PollSettings, options: PollOptions, row: RegistryRow): PollRun {
  const control = new RunControl();
  const lease = new Lease(parts, row, options.owner, (seen) => control.consider(seen));
  const readingAFiring = settings.mode === 'poll' && settings.intervalMs >= READING_A_FIRING_MS;
  const once = options.once ?? (readingAFiring && Number.isFinite(settings.maxRunMs));
  endInTime(control, parts, settings, options);
  return { parts, settings, lease, memory: new RunMemory(row), control, once };
}

async function readUntilEnd(run: PollRun, row: RegistryRow): Promise<Extract<PollOutcome, { readonly type: 'ended' }>> {
  const { parts, settings, lease, memory, control } = run;
  const { registry } = settings;
  const renewing = keepLease(lease, control, parts, () => standing(run));
  // A single reading is over soon; whoever makes it looks at the row when it has ended.
  const heeding = run.once ? undefined : heedWishes(lease, control, parts);
  let attempts = 0;
  try {
    memory.learn(await parts.snapshots.known(registry));
    for await (const attempt of attemptsOf(run)) {
      attempts += 1;
      await recordAttempt(run, attempt, `${registry}#${row.generation}.${attempts}`);
    }
  } catch (error) {
    if (!(error instanceof SupersededError)) throw error;
    control.end('superseded');
  } finally {
    control.end('once');
    await Promise.all([renewing, heeding]);
    await release(run);
  }
  const reason = control.end('once');
  const { state } = memory;
  parts.log.info('Run ended', { registry, generation: row.generation, reason, state, attempts });
  return { type: 'ended', reason, state, attempts };
}

function attemptsOf({ parts, settings, lease, memory, control, once }: PollRun): AsyncIterable<Attempt> {
  const { registry, clock, random } = parts;
  return readAttempts({
    registry,
    settings,
    clock,
    random,
    control,
    once,
    onFullReading: () => control.beginFullReading(lease.row),
    pace: () => ({
      troubles: memory.troubles,
      needsFullReadings: memory.hold !== undefined || memory.unreadable.length > 0,
    }),
  });
}

/** A watch that hears of no change still knows how things stand: as they were, as of now. */
function standing(run: PollRun): RegistryRowPatch {
  const { control, memory, parts } = run;
  if (!control.watching) return {};
  memory.lastSuccessMs = parts.clock.now();
  measureRegistry(run);
  return { lastSuccessAt: isoTime(memory.lastSuccessMs) };
}

function endInTime(
  control: RunControl,
  { clock }: PollParts,
  { maxRunMs }: PollSettings,
  { signal }: PollOptions,
): void {
  if (Number.isFinite(maxRunMs)) void clock.delay(maxRunMs, control.ending).then(() => control.end('max-run'));
  if (signal?.aborted === true) control.end('stopped');
  signal?.addEventListener('abort', () => control.end('stopped'), { signal: control.ending });
}

/** Gives the lease back, with what has still to be written of the row; not when another run has it by now. */
async function release({ lease, control }: PollRun): Promise<void> {
  if (control.reason === 'superseded') return;
  try {
    await lease.release();
  } catch (error) {
    if (!(error instanceof SupersededError)) throw error;
  }
}
