import { mergeService } from '../../lib/aggregation/merge-service';
import type { CatalogEntry, CatalogTombstone } from '../../lib/model/catalog-entry';
import type { CatalogEndpoint } from '../../lib/model/endpoint';
import { deepFreeze } from '../../lib/storage/deep-freeze';
import { endpoint, storedSnapshot, type SnapshotInput } from './stored-snapshots';

/** An endpoint of `Kubernetes/a` unless said otherwise. */
export function catalogEndpoint(address: string, more: Partial<CatalogEndpoint> = {}): CatalogEndpoint {
  const { registry = 'Kubernetes/a', ...rest } = more;
  return { ...endpoint(address), ...rest, registry };
}

/** The entry of `shop/cart.shop.svc.cluster.local` that `Kubernetes/a` alone makes, with some members set otherwise. */
export function catalogEntry(members: Partial<CatalogEntry> = {}, snapshot: SnapshotInput = {}): CatalogEntry {
  const merged = mergeService([storedSnapshot('Kubernetes/a', snapshot)]);
  if (merged === undefined) throw new Error('nothing merged');
  return deepFreeze({
    ...merged.service,
    version: 1_796_000_000_000,
    cause: { registry: 'Kubernetes/a', pollId: 'poll-1', observedAt: '2026-11-30T12:00:00.000Z' },
    updatedAt: '2026-11-30T12:00:00.100Z',
    ...members,
  });
}

export function catalogTombstone(members: Partial<CatalogTombstone> = {}): CatalogTombstone {
  return deepFreeze({
    key: 'shop/cart.shop.svc.cluster.local',
    deleted: true,
    version: 1_796_000_000_001,
    cause: { registry: 'Kubernetes/a', pollId: 'poll-2', observedAt: '2026-11-30T12:00:01.000Z' },
    updatedAt: '2026-11-30T12:00:01.100Z',
    ...members,
  });
}
