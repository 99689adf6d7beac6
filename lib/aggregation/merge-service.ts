import { contentHash } from '../model/canonical-json';
import type { Contribution, MergedService } from '../model/catalog-entry';
import { compareConflicts } from '../model/conflict';
import type { Note } from '../model/note';
import type { StoredSnapshot } from '../model/service-snapshot';
import { mergeConfiguration } from './merge-configuration';
import { mergeEndpoints } from './merge-endpoints';
import { mergePorts } from './merge-ports';
import { orderSnapshots } from './order-snapshots';

/**
 * Merges what all registries say of one service, at most one snapshot a registry, into its catalog entry.
 *
 * The result depends on the snapshots alone: the order of arrival has no influence, and the same snapshots give the same
 * bytes. Whatever does not get into the entry stands in its conflicts or in the notes. The rules of each member stand in
 * `merge-configuration.ts`, `merge-ports.ts` and `merge-endpoints.ts`.
 *
 * @returns `undefined` when there are no snapshots: the service is gone.
 */
export function mergeService(
  snapshots: readonly StoredSnapshot[],
): { readonly service: MergedService; readonly notes: readonly Note[] } | undefined {
  const ordered = orderSnapshots(snapshots);
  if (ordered === undefined) return undefined;
  const { configuration, conflicts } = mergeConfiguration(ordered);
  const ports = mergePorts(ordered);
  const endpoints = mergeEndpoints(ordered, ports.ports);
  const content = {
    key: ordered[0].key,
    ...configuration,
    ports: ports.ports,
    endpoints: endpoints.endpoints,
    registries: ordered.map(contributionOf),
    conflicts: [
      ...ordered.flatMap((snapshot) => snapshot.conflicts),
      ...conflicts,
      ...ports.conflicts,
      ...endpoints.conflicts,
    ].sort(compareConflicts),
  };
  return { service: { ...content, hash: hashOf(content) }, notes: endpoints.notes };
}

function contributionOf({ registry, hash, endpoints, observedAt }: StoredSnapshot): Contribution {
  return { registry, hash, endpoints: endpoints.length, observedAt };
}

/**
 * Of everything but the times of observation: reading the same again is no change. What an endpoint looks like is covered
 * by the hash of its snapshot, so only its place is written down; writing all of it twice would be most of the work.
 */
function hashOf(content: Omit<MergedService, 'hash'>): string {
  return contentHash({
    ...content,
    registries: content.registries.map((each) => ({ ...each, observedAt: undefined })),
    endpoints: content.endpoints.map(
      ({ registry, addresses, port, servicePort }) => `${registry} ${addresses[0] ?? ''} ${port} ${servicePort}`,
    ),
  });
}
