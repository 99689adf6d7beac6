/** What one `PutEvents` call takes (AWS "Amazon EventBridge quotas"). A megabyte is taken to be the smaller one. */
export const MAX_CALL_ENTRIES = 10;
export const MAX_CALL_BYTES = 1_000_000;

/**
 * The entries in as many calls as it takes, in order. An entry that is larger than a call may be stands alone; the caller
 * has to know what to do with it.
 */
export function packEntries<Entry extends { readonly bytes: number }>(
  entries: readonly Entry[],
): readonly (readonly Entry[])[] {
  const calls: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const call = calls.at(-1);
    if (call !== undefined && call.length < MAX_CALL_ENTRIES && bytes + entry.bytes <= MAX_CALL_BYTES) {
      call.push(entry);
      bytes += entry.bytes;
    } else {
      calls.push([entry]);
      bytes = entry.bytes;
    }
  }
  return calls;
}
