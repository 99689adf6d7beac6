import { isDeleted, type CatalogRecord, type Cause } from '../model/catalog-entry';
import { compareText } from '../model/compare';
import type { SnapshotTombstone, StoredSnapshot } from '../model/service-snapshot';

/**
 * The reading that leads to the next version of an entry: the newest of those whose snapshot (or removal of one) is not
 * what the entry was made of. When none differs (the precedence has changed, or the rules of merging) it is the newest
 * reading of all, when there is none at all the entry's own cause.
 *
 * @returns `undefined` only when there is neither a snapshot nor an entry.
 */
export function causeOf(
  previous: CatalogRecord | undefined,
  snapshots: readonly StoredSnapshot[],
  tombstones: readonly SnapshotTombstone[],
): Cause | undefined {
  const contributed = new Map(
    previous === undefined || isDeleted(previous)
      ? []
      : previous.registries.map(({ registry, hash }) => [registry, hash]),
  );
  const changed = snapshots.filter(({ registry, hash }) => contributed.get(registry) !== hash);
  const removed = tombstones.filter(({ registry }) => contributed.has(registry));
  return (
    newest([
      ...changed,
      ...removed.map(({ registry, pollId, removedAt }) => ({ registry, pollId, observedAt: removedAt })),
    ]) ??
    newest(snapshots) ??
    previous?.cause
  );
}

function newest(readings: readonly Cause[]): Cause | undefined {
  const [first] = [...readings].sort(
    (a, b) => compareText(b.observedAt, a.observedAt) || compareText(a.registry, b.registry),
  );
  return first && { registry: first.registry, pollId: first.pollId, observedAt: first.observedAt };
}
