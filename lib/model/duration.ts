import * as z from 'zod';

/** One hour in milliseconds. */
export const HOUR_MS = 3_600_000;

const UNITS = { ms: 1, s: 1000, m: 60_000, h: HOUR_MS } as const;

const DURATION = /^(\d+)(ms|s|m|h)$/;

/** Milliseconds of `100ms`, `5s`, `15m` or `1h`; `undefined` for anything else, a bare number included. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, count, unit] = match;
  switch (unit) {
    case 'ms':
    case 's':
    case 'm':
    case 'h':
      return Number(count) * UNITS[unit];
    default:
      return undefined;
  }
}

/** The shortest spelling of a duration, e.g. `90s`, `15m`. */
export function formatDuration(ms: number): string {
  if (ms % UNITS.h === 0 && ms > 0) return `${ms / UNITS.h}h`;
  if (ms % UNITS.m === 0 && ms > 0) return `${ms / UNITS.m}m`;
  if (ms % UNITS.s === 0) return `${ms / UNITS.s}s`;
  return `${ms}ms`;
}

export type DurationLimits = {
  readonly min: string;
  readonly max: string;
  /** Only whole minutes from one minute on (what EventBridge Scheduler can do). */
  readonly wholeMinutes?: boolean;
};

/** A zod schema of a duration within limits; its output is milliseconds. */
export function durationSchema(limits: DurationLimits) {
  const min = parseDuration(limits.min) ?? 0;
  const max = parseDuration(limits.max) ?? Infinity;
  const wholeMinutes = limits.wholeMinutes === true;
  const allowed = `allowed: ${limits.min} to ${limits.max}, written like 100ms, 5s, 15m or 1h${wholeMinutes ? '; whole minutes from 1m on' : ''}`;
  return z
    .string({ error: `not a duration; ${allowed}` })
    .regex(DURATION, { error: `not a duration; ${allowed}`, abort: true })
    .transform((text, context) => {
      const ms = parseDuration(text) ?? NaN;
      const fits = ms >= min && ms <= max && !(wholeMinutes && ms >= UNITS.m && ms % UNITS.m !== 0);
      if (fits) return ms;
      context.addIssue({ code: 'custom', message: `out of range; ${allowed}` });
      return z.NEVER;
    });
}
