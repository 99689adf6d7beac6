/** The first pause after a failure. */
const FIRST_MS = 1000;

/** The longest one, so that the end of an outage is seen within a minute. */
const MAX_BACK_OFF_MS = 60_000;

/**
 * How long to wait after so many failures in a row: doubling from a second to a minute, and of that a share between the
 * half and the whole as `jitter` (0 to 1, random) says, so that many pollers do not return to a recovering registry at once.
 */
export function backOffMs(failures: number, jitter: number): number {
  const whole = Math.min(MAX_BACK_OFF_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(whole * (0.5 + jitter / 2));
}
