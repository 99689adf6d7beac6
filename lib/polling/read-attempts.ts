import { AppError } from '../model/app-error';
import type { Registry, RegistryReading } from '../registries/registry';
import type { Clock } from '../runtime/clock';
import { backOffMs } from './back-off';
import type { PollSettings } from './poll-settings';
import type { RunControl } from './run-control';

/** One attempt at reading the registry; times in milliseconds. */
export type Attempt = ReadAttempt | FailedAttempt;

export type ReadAttempt = {
  readonly type: 'read';
  readonly reading: RegistryReading;
  /** Before the reading began; of a change, when it came. What it tells is at least as new. */
  readonly startedMs: number;
};

export type FailedAttempt = { readonly type: 'failed'; readonly error: unknown; readonly startedMs: number };

/** What the pace depends on beside the settings; the recorder of the attempts knows it. */
export type Pace = {
  /** Attempts in a row that failed, or whose writes did. */
  readonly troubles: number;
  /** Something is held or unreadable: it takes full readings to find out how it stands. */
  readonly needsFullReadings: boolean;
};

export type AttemptParts = {
  readonly registry: Registry;
  readonly settings: PollSettings;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly control: RunControl;
  /** The pace by now, with all attempts so far recorded. */
  readonly pace: () => Pace;
  /** A full reading begins. */
  readonly onFullReading: () => void;
  /** Read once and end. */
  readonly once: boolean;
};

/** How long a full reading may take when the settings do not say. */
export const DEFAULT_READ_TIMEOUT_MS = 120_000;

/** How long a provider gets to clean up after its reading. */
const CLOSE_MS = 1000;

/**
 * The loop around a registry, written once for all providers: reads it fully, follows its changes in watch mode, and does
 * so again when it is time. Ends after one full reading when `once`, else when the control says so.
 *
 * - Poll mode: a full reading each `interval`, counted from beginning to beginning; one that takes longer than that skips
 *   beats, so that a slow registry is never read back to back.
 * - Watch mode: one full reading, then changes. A watch that ends, with an error or without, is a failed attempt. While
 *   `needsFullReadings`, a full reading each `interval`.
 * - A full reading has a deadline, and a provider that does not answer its signal is left behind.
 * - After trouble the pause grows ({@link backOffMs}).
 */
export async function* readAttempts(parts: AttemptParts): AsyncGenerator<Attempt, void, void> {
  const { clock, control, settings } = parts;
  while (!control.ending.aborted) {
    const startedMs = clock.now();
    parts.onFullReading();
    yield* readAndFollow(parts, startedMs);
    if (parts.once) return;
    const { troubles } = parts.pace();
    const pauseMs = Math.max(
      settings.mode === 'poll' ? nextBeatMs(clock.now() - startedMs, settings.intervalMs) : 0,
      troubles > 0 ? backOffMs(troubles, parts.random()) : 0,
    );
    await clock.delay(pauseMs, control.interrupted);
  }
}

async function* readAndFollow(parts: AttemptParts, startedMs: number): AsyncGenerator<Attempt, void, void> {
  const { clock, control, settings } = parts;
  const closing = new AbortController();
  const iterator = opened(parts.registry, closing.signal);
  try {
    const timeoutMs = settings.readTimeoutMs ?? DEFAULT_READ_TIMEOUT_MS;
    const step = await nextStep(iterator, clock, timeoutMs, control.ending);
    if (step.type === 'interrupted') return;
    const attempt = firstAttempt(step, parts, startedMs);
    yield attempt;
    if (attempt.type === 'read' && settings.mode === 'watch' && !parts.once) yield* follow(parts, iterator, startedMs);
  } finally {
    control.watching = false;
    closing.abort();
    await closed(iterator, clock);
  }
}

async function* follow(
  parts: AttemptParts,
  iterator: AsyncIterator<RegistryReading>,
  startedMs: number,
): AsyncGenerator<Attempt, void, void> {
  const { clock, control, settings } = parts;
  const againMs = clock.now() + nextBeatMs(clock.now() - startedMs, settings.intervalMs);
  control.watching = true;
  while (parts.pace().troubles === 0) {
    const waitMs = parts.pace().needsFullReadings ? Math.max(0, againMs - clock.now()) : undefined;
    const step = await nextStep(iterator, clock, waitMs, control.interrupted);
    const nowMs = clock.now();
    switch (step.type) {
      case 'read':
        yield { type: 'read', reading: step.reading, startedMs: nowMs };
        break;
      case 'failed':
        yield { type: 'failed', error: step.error, startedMs: nowMs };
        return;
      case 'ended':
        yield { type: 'failed', error: watchEnded(settings), startedMs: nowMs };
        return;
      case 'late':
      case 'interrupted':
        return;
    }
  }
}

function firstAttempt(
  step: Exclude<Step, { readonly type: 'interrupted' }>,
  { settings }: AttemptParts,
  startedMs: number,
): Attempt {
  switch (step.type) {
    case 'read':
      if (step.reading.type === 'full') return { type: 'read', reading: step.reading, startedMs };
      return { type: 'failed', error: notFull(settings), startedMs };
    case 'failed':
      return { type: 'failed', error: step.error, startedMs };
    case 'ended':
      return { type: 'failed', error: noReading(settings), startedMs };
    case 'late':
      return { type: 'failed', error: tooSlow(settings), startedMs };
  }
}

/** What came of waiting for the next reading. */
type Step =
  | { readonly type: 'read'; readonly reading: RegistryReading }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'ended' }
  | { readonly type: 'late' }
  | { readonly type: 'interrupted' };

/** Waits for the next reading, for `timeoutMs` (`undefined`: for ever), and no longer than until the signal aborts. */
async function nextStep(
  iterator: AsyncIterator<RegistryReading>,
  clock: Clock,
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<Step> {
  const done = new AbortController();
  const steps: Promise<Step>[] = [
    iterator.next().then(
      (result): Step => (result.done === true ? { type: 'ended' } : { type: 'read', reading: result.value }),
      (error: unknown): Step => ({ type: 'failed', error }),
    ),
    aborted(signal, done.signal).then((): Step => ({ type: 'interrupted' })),
  ];
  if (timeoutMs !== undefined) steps.push(clock.delay(timeoutMs, done.signal).then((): Step => ({ type: 'late' })));
  try {
    return await Promise.race(steps);
  } finally {
    done.abort();
  }
}

/** The reading as a generator, so that a provider that throws at once is one whose reading fails. */
async function* opened(registry: Registry, signal: AbortSignal): AsyncGenerator<RegistryReading, void, void> {
  yield* registry.read(signal);
}

/** Ends the provider's reading and waits a little for its cleaning up; what it throws then has no meaning any more. */
async function closed(iterator: AsyncGenerator<RegistryReading, void, void>, clock: Clock): Promise<void> {
  const done = new AbortController();
  const closing = iterator.return().then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([closing, clock.delay(CLOSE_MS, done.signal)]);
  done.abort();
}

/** Resolves when the signal aborts; when `until` does, it never will and lets go of the signal. */
function aborted(signal: AbortSignal, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: until });
  });
}

/** Time until the next multiple of the interval; never zero. */
function nextBeatMs(elapsedMs: number, intervalMs: number): number {
  return intervalMs - (elapsedMs % intervalMs);
}

function tooSlow({ registry, readTimeoutMs = DEFAULT_READ_TIMEOUT_MS }: PollSettings): AppError {
  const message = `Reading ${registry} took longer than the ${readTimeoutMs} ms that it may take`;
  return new AppError(message, { code: 'ReadingTimeoutError', transient: true, details: { registry, readTimeoutMs } });
}

function noReading({ registry }: PollSettings): AppError {
  const message = `${registry} ended its reading without giving one; a full reading has to come first`;
  return new AppError(message, { code: 'InvalidReadingError', details: { registry } });
}

function notFull({ registry }: PollSettings): AppError {
  const message = `${registry} began its reading with a change; a full reading has to come first`;
  return new AppError(message, { code: 'InvalidReadingError', details: { registry } });
}

function watchEnded({ registry }: PollSettings): AppError {
  const message = `${registry} ended its watch without an error; a watch goes on until it is told to end`;
  return new AppError(message, { code: 'WatchEndedError', transient: true, details: { registry } });
}
