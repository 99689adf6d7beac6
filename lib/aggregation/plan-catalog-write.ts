import { isDeleted, type CatalogRecord } from '../model/catalog-entry';
import type { Note } from '../model/note';
import type { ServiceKey } from '../model/service-key';
import { nextVersion } from '../model/version';
import { isoTime } from '../runtime/clock';
import type { StoredSnapshots } from '../snapshots/snapshot-store';
import { causeOf } from './cause-of';
import { mergeService } from './merge-service';

/** What to put into the catalog, and what the merging had to leave out of it. */
export type CatalogWrite = { readonly record: CatalogRecord; readonly notes: readonly Note[] };

/**
 * What has to be written to the catalog so that it holds what the registries say.
 *
 * | snapshots | catalog             | write                            |
 * |-----------|---------------------|----------------------------------|
 * | some      | entry of equal hash | nothing                          |
 * | some      | anything else       | the merged entry                 |
 * | none      | entry               | a tombstone with the next version |
 * | none      | tombstone or nothing | nothing                         |
 */
export function planCatalogWrite(
  key: ServiceKey,
  previous: CatalogRecord | undefined,
  { snapshots, tombstones }: StoredSnapshots,
  nowMs: number,
): CatalogWrite | undefined {
  const entry = previous === undefined || isDeleted(previous) ? undefined : previous;
  const merged = mergeService(snapshots);
  const cause = causeOf(previous, snapshots, tombstones);
  if (merged?.service.hash === entry?.hash || cause === undefined) return undefined;
  const writing = { version: nextVersion(previous?.version, nowMs), cause, updatedAt: isoTime(nowMs) };
  return merged === undefined
    ? { record: { key, deleted: true, ...writing }, notes: [] }
    : { record: { ...merged.service, ...writing }, notes: merged.notes };
}
