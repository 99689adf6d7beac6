import { canonicalJson } from '../../model/canonical-json';
import { compareText } from '../../model/compare';
import type { Note } from '../../model/note';
import type { RegistryId } from '../../model/registry-id';
import { canonicalHostname, makeServiceKey, type ServiceKey } from '../../model/service-key';
import { makeServiceSnapshot, type ServiceSnapshot } from '../../model/service-snapshot';
import { endpointsOfEntry } from './endpoints-of-entry';
import type { ServiceEntry } from './entries';
import { groupBy } from './group-by';
import { serviceOfEntry } from './service-of-entry';
import { uniteEndpoints } from './unite-endpoints';
import { unitePorts } from './unite-ports';
import { attributeConflicts, uniteServices } from './unite-services';
import type { WorkloadIndex } from './workload-index';

export type ConversionContext = {
  /** The registry that the services belong to. */
  readonly registry: RegistryId;
  /** SPIFFE trust domain of the workloads' service accounts. */
  readonly trustDomain: string;
  /** What selectors choose from. */
  readonly workloads: WorkloadIndex;
};

export type Conversion = { readonly snapshots: readonly ServiceSnapshot[]; readonly notes: readonly Note[] };

/**
 * The services of a set of ServiceEntries, by key: one for each (namespace, host). The order of the entries does not
 * matter. Entries need not be valid: of what the rules forbid, as much is converted as has a meaning.
 */
export function convertServiceEntries(entries: readonly ServiceEntry[], context: ConversionContext): Conversion {
  const conversions = [...entriesByService(entries)]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, contributors]) => convertService(contributors, context));
  return {
    snapshots: conversions.flatMap(({ snapshots }) => snapshots),
    notes: conversions.flatMap(({ notes }) => notes),
  };
}

/** A host, in canonical spelling, and an entry that names it. */
export type Contributor = { readonly hostname: string; readonly entry: ServiceEntry };

/** Which services there are, and who contributes to each: what an incremental reader rebuilds when an entry changes. */
export function entriesByService(entries: readonly ServiceEntry[]): ReadonlyMap<ServiceKey, readonly Contributor[]> {
  const contributors = entries.flatMap((entry) =>
    [...new Set(entry.spec.hosts.map(canonicalHostname))]
      .filter((hostname) => hostname !== '')
      .map((hostname) => ({ hostname, entry })),
  );
  return groupBy(contributors, ({ hostname, entry }) => makeServiceKey(entry.namespace, hostname));
}

/**
 * The one service of the entries that name a host; no service of no entries. The oldest entry supplies what there can be
 * only one of, ports and endpoints are united, and what the others say differently is in the snapshot's conflicts.
 */
export function convertService(contributors: readonly Contributor[], context: ConversionContext): Conversion {
  const [oldest, ...others] = [...contributors].sort((a, b) => compareAge(a.entry, b.entry));
  if (oldest === undefined) return { snapshots: [], notes: [] };
  const { registry, workloads, trustDomain } = context;
  const { hostname } = oldest;
  const claimOf = ({ entry }: Contributor) => ({ entry, service: serviceOfEntry(entry, hostname) });
  const claims = [claimOf(oldest), ...others.map(claimOf)] as const;
  const entries = claims.map(({ entry }) => entry);

  const { ports, names, conflicts: portConflicts } = unitePorts(registry, entries);
  const service = uniteServices(claims, ports);
  const parts = entries.map((entry) => ({
    entry,
    ...endpointsOfEntry(entry, hostname, names, workloads, trustDomain),
  }));
  const united = uniteEndpoints(
    registry,
    service,
    parts.flatMap(({ entry, endpoints }) => endpoints.map(({ port, endpoint }) => ({ entry, port, endpoint }))),
  );
  const snapshot = makeServiceSnapshot({
    registry,
    service,
    endpoints: united.endpoints,
    sources: [...entries.map(({ source }) => source), ...parts.flatMap(({ sources }) => sources)],
    conflicts: [...attributeConflicts(registry, claims), ...portConflicts, ...united.conflicts],
  });
  return { snapshots: [snapshot], notes: [...parts.flatMap(({ notes }) => notes), ...united.notes] };
}

/** Oldest first; no time of creation counts as oldest. Then by name, source and content, so that the order is total. */
function compareAge(a: ServiceEntry, b: ServiceEntry): number {
  return (
    compareText(a.creationTime ?? '', b.creationTime ?? '') ||
    compareText(a.name, b.name) ||
    compareText(a.source, b.source) ||
    compareText(canonicalJson(a), canonicalJson(b))
  );
}
