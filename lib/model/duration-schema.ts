import * as z from 'zod';
import { DURATION_PATTERN, MINUTE_MS, parseDuration } from './duration';

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
    .regex(DURATION_PATTERN, { error: `not a duration; ${allowed}`, abort: true })
    .transform((text, context) => {
      const ms = parseDuration(text) ?? NaN;
      const fits = ms >= min && ms <= max && !(wholeMinutes && ms >= MINUTE_MS && ms % MINUTE_MS !== 0);
      if (fits) return ms;
      context.addIssue({ code: 'custom', message: `out of range; ${allowed}` });
      return z.NEVER;
    });
}
