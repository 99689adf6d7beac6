/** The time, injected so that tests and replays choose it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
}

/** ISO 8601 in UTC with milliseconds, the spelling of all times in tables and events. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
