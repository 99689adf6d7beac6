import type { ServiceChange } from '../../lib/changes/diff-entry';
import type { ServiceState } from '../../lib/changes/pilotless-event';
import { canonicalJson } from '../../lib/model/canonical-json';
import type { MergedService } from '../../lib/model/catalog-entry';
import { compareCatalogEndpoints, type CatalogEndpoint } from '../../lib/model/endpoint';

/** What a consumer knows of a service. */
export type KnownService = { readonly state: ServiceState; readonly endpoints: readonly CatalogEndpoint[] };

/**
 * What a consumer that knew `before` knows after the change: the oracle of `diffEntry`. Fails when the change takes away an
 * endpoint that is not there.
 */
export function applyChange(
  change: ServiceChange,
  before: Pick<MergedService, 'endpoints'> | undefined,
): KnownService | undefined {
  const { added, removed, changed } = change.endpoints;
  const left = [...(before?.endpoints ?? [])];
  for (const gone of [...removed, ...changed.map((pair) => pair.before)]) {
    const index = left.findIndex((endpoint) => canonicalJson(endpoint) === canonicalJson(gone));
    if (index < 0) throw new Error(`The change takes away an endpoint that is not there: ${canonicalJson(gone)}`);
    left.splice(index, 1);
  }
  if (change.type === 'Service Deleted') {
    if (left.length > 0) throw new Error('The deletion leaves endpoints behind');
    return undefined;
  }
  const endpoints = [...left, ...added, ...changed.map((pair) => pair.after)].sort(compareCatalogEndpoints);
  return { state: change.state, endpoints };
}
