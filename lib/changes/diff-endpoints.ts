import { canonicalJson } from '../model/canonical-json';
import { compareCatalogEndpoints, endpointKey, type CatalogEndpoint } from '../model/endpoint';
import { sameValue } from '../model/same-value';

/** An endpoint that is still the same one but looks different. */
export type ChangedEndpoint = { readonly before: CatalogEndpoint; readonly after: CatalogEndpoint };

/** What turns one list of endpoints into another; each list in canonical order. */
export type EndpointsDifference = {
  readonly added: readonly CatalogEndpoint[];
  readonly removed: readonly CatalogEndpoint[];
  readonly changed: readonly ChangedEndpoint[];
};

/** The endpoints of one identity. */
type Group = readonly [CatalogEndpoint, ...CatalogEndpoint[]];

const NO_DIFFERENCE: EndpointsDifference = { added: [], removed: [], changed: [] };

/**
 * Compares two lists of endpoints as multisets by identity: registry, workload, first address and service port. The
 * workload is part of it, so that an address that a cluster gives to another Pod is a removal and an addition (istio
 * 35404, 54997). Of endpoints that share an identity equal ones stay, then the first of both lists in the order of their
 * ports are changed, and what is left is added or removed.
 */
export function diffEndpoints(
  before: readonly CatalogEndpoint[],
  after: readonly CatalogEndpoint[],
): EndpointsDifference {
  if (before.length === 0 || after.length === 0) return { added: after, removed: before, changed: [] };
  if (sameValue(before, after)) return NO_DIFFERENCE;
  const [old, now] = [byIdentity(before), byIdentity(after)];
  const added = [...now].flatMap(([identity, endpoints]) => (old.has(identity) ? [] : endpoints));
  const removed: CatalogEndpoint[] = [];
  const changed: ChangedEndpoint[] = [];
  for (const [identity, formerly] of old) {
    const current = now.get(identity);
    if (current === undefined) {
      removed.push(...formerly);
      continue;
    }
    const pairs = pairUp(formerly, current);
    added.push(...pairs.added);
    removed.push(...pairs.removed);
    changed.push(...pairs.changed);
  }
  return {
    added: added.sort(compareCatalogEndpoints),
    removed: removed.sort(compareCatalogEndpoints),
    changed: changed.sort((a, b) => compareCatalogEndpoints(a.after, b.after)),
  };
}

function byIdentity(endpoints: readonly CatalogEndpoint[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, [CatalogEndpoint, ...CatalogEndpoint[]]>();
  for (const endpoint of endpoints) {
    const identity = `${endpoint.registry} ${endpointKey(endpoint)}`;
    const group = groups.get(identity);
    if (group === undefined) groups.set(identity, [endpoint]);
    else group.push(endpoint);
  }
  return groups;
}

/** Compares the endpoints of one identity. Mostly there is one and one, of which nothing has to be written down to pair them. */
function pairUp(before: Group, after: Group): EndpointsDifference {
  if (sameValue(before, after)) return NO_DIFFERENCE;
  if (before.length === 1 && after.length === 1) {
    return { added: [], removed: [], changed: [{ before: before[0], after: after[0] }] };
  }
  const old = without(before, after).sort(compareCatalogEndpoints);
  const now = without(after, before).sort(compareCatalogEndpoints);
  const changed = now.flatMap((endpoint, index) => {
    const former = old[index];
    return former === undefined ? [] : [{ before: former, after: endpoint }];
  });
  return { added: now.slice(changed.length), removed: old.slice(changed.length), changed };
}

/** The endpoints that are left when each of the others has taken away one that equals it. */
function without(endpoints: readonly CatalogEndpoint[], others: readonly CatalogEndpoint[]): CatalogEndpoint[] {
  const counts = new Map<string, number>();
  for (const text of others.map(canonicalJson)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return endpoints.filter((endpoint) => {
    const text = canonicalJson(endpoint);
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}
