import * as z from 'zod';

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

const DURATION = /^(\d+)(ms|s|m|h)$/;

/** Milliseconds of a duration such as `100ms`, `5s`, `15m`, `1h`; `undefined` for anything else, a bare number included. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const ms = Number(match[1]) * unitMs(match[2]);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** A setting that holds a duration; its value is in milliseconds. Both limits are allowed values, in milliseconds. */
export function durationSchema(limits: { readonly min: number; readonly max: number }): z.ZodType<number, string> {
  return z.string().transform((text, context) => {
    const ms = parseDuration(text);
    if (ms !== undefined && ms >= limits.min && ms <= limits.max) return ms;
    context.addIssue({
      code: 'custom',
      message: `${JSON.stringify(text)} is not a duration from ${formatDuration(limits.min)} to ${formatDuration(limits.max)}, such as 100ms, 5s, 15m or 1h`,
    });
    return z.NEVER;
  });
}

/** The shortest spelling that {@link parseDuration} reads back, e.g. `90s`, `5m`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (ms % UNITS_MS.h === 0) return `${ms / UNITS_MS.h}h`;
  if (ms % UNITS_MS.m === 0) return `${ms / UNITS_MS.m}m`;
  return ms % UNITS_MS.s === 0 ? `${ms / UNITS_MS.s}s` : `${ms}ms`;
}

function unitMs(unit: string | undefined): number {
  switch (unit) {
    case 'ms':
    case 's':
    case 'm':
    case 'h':
      return UNITS_MS[unit];
    default:
      return NaN;
  }
}
