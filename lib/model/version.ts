/** The next version of a catalog key: only ever grows, and tells the time in ms while clocks behave. */
export function nextVersion(previous: number | undefined, nowMs: number): number {
  return Math.max((previous ?? 0) + 1, nowMs);
}
