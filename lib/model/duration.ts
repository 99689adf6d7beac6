/** One minute in milliseconds. */
export const MINUTE_MS = 60_000;

/** One hour in milliseconds. */
export const HOUR_MS = 3_600_000;

const UNITS = { ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS } as const;

/** How a duration is written: a whole number and its unit, nothing between. */
export const DURATION_PATTERN = /^(\d+)(ms|s|m|h)$/;

/** Milliseconds of `100ms`, `5s`, `15m` or `1h`; `undefined` for anything else, a bare number included. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION_PATTERN.exec(text);
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
