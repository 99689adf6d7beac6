import { isDeleted, type CatalogEntry, type CatalogRecord } from '../model/catalog-entry';
import type { ServiceKey } from '../model/service-key';
import { isoTime } from '../runtime/clock';
import type { ChangeRecord } from './change-store';
import { diffEntry } from './diff-entry';
import { makeChangeEvent } from './make-change-event';

/** How to get from what was last published to what the catalog holds. */
export type Publication = {
  /** What Published shall hold afterwards. */
  readonly record: CatalogRecord;
  /** What has to be told; absent when nothing differs that consumers see. */
  readonly change?: ChangeRecord;
};

/**
 * What there is to publish of a key: the difference between what was last published and what the catalog holds now, however
 * many versions lie between the two and whatever became of earlier attempts.
 *
 * @param published what was last published.
 * @param current what the catalog holds, read after `published`.
 * @returns `undefined` when the two are at the same version.
 */
export function planPublication(
  key: ServiceKey,
  published: CatalogRecord | undefined,
  current: CatalogRecord | undefined,
  nowMs: number,
): Publication | undefined {
  const record = current ?? lost(published, nowMs);
  if (record === undefined || record.version === published?.version) return undefined;
  const after = entryOf(record);
  const change = diffEntry(entryOf(published), after);
  if (change === undefined) return { record };
  const { version, cause } = record;
  const at = isoTime(nowMs);
  const event = makeChangeEvent({ key, version, cause, change, at });
  return {
    record,
    change: {
      key,
      version,
      publishedAt: at,
      event,
      ...(after === undefined ? {} : { after }),
      endpointsOmitted: false,
    },
  };
}

/**
 * What the catalog held after a change that stands in the history: the record of today when it is still that version.
 * Of an entry whose endpoints were left out of the history the endpoints are then told anew.
 */
export function recordAfter(
  { key, version, publishedAt, event, after }: ChangeRecord,
  current: CatalogRecord | undefined,
): CatalogRecord {
  if (current?.version === version) return current;
  if (after !== undefined) return after;
  const { cause, correlationId } = event.detail.metadata;
  return { key, deleted: true, version, cause: { ...cause, pollId: correlationId }, updatedAt: publishedAt };
}

function entryOf(record: CatalogRecord | undefined): CatalogEntry | undefined {
  return record === undefined || isDeleted(record) ? undefined : record;
}

/**
 * The deletion of a service that consumers still believe in while the catalog has lost every trace of it: its tombstone
 * has expired while nothing was published, or the table was restored.
 */
function lost(published: CatalogRecord | undefined, nowMs: number): CatalogRecord | undefined {
  const entry = entryOf(published);
  if (entry === undefined) return undefined;
  const { key, version, cause } = entry;
  return { key, deleted: true, version: version + 1, cause, updatedAt: isoTime(nowMs) };
}
