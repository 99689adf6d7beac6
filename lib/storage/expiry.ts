const SECONDS_PER_DAY = 24 * 60 * 60;

/** `expiresAt` (seconds since the epoch) of an item that lives the given days from an ISO 8601 time; never too early. */
export function expiryAfter(isoTime: string, days: number): number {
  return Math.ceil(Date.parse(isoTime) / 1000) + days * SECONDS_PER_DAY;
}

/**
 * Whether an item has outlived itself. DynamoDB removes such items within days and serves them until then (AWS "Time to
 * Live"), so every reader and every condition has to ask.
 */
export function isExpired(item: Readonly<Record<string, unknown>>, nowMs: number): boolean {
  const { expiresAt } = item;
  return typeof expiresAt === 'number' && expiresAt <= expirySeconds(nowMs);
}

/** The time as `expiresAt` is compared with it: items of this second or before have expired. */
export function expirySeconds(nowMs: number): number {
  return Math.floor(nowMs / 1000);
}
