import { canonicalJson } from '../../model/canonical-json';
import type { Conflict } from '../../model/conflict';
import { endpointKey, type Endpoint } from '../../model/endpoint';
import type { Note } from '../../model/note';
import type { PortKey } from '../../model/port';
import type { RegistryId } from '../../model/registry-id';
import type { Service } from '../../model/service';
import type { ServiceEntry } from './entries';
import { conflictsOfClaims } from './entry-conflict';
import { groupBy } from './group-by';

/** An endpoint, the port of the service that it serves, and the entry that brought it. */
export type EndpointClaim = { readonly entry: ServiceEntry; readonly port: PortKey; readonly endpoint: Endpoint };

export type UnitedEndpoints = {
  readonly endpoints: readonly Endpoint[];
  readonly conflicts: readonly Conflict[];
  readonly notes: readonly Note[];
};

/**
 * All endpoints, oldest entry first; the same one brought by two entries counts once. A round robin over DNS resolves one
 * name for each port (Envoy LOGICAL_DNS takes a single endpoint): the first stays, the others' are conflicts.
 */
export function uniteEndpoints(
  registry: RegistryId,
  service: Service,
  claims: readonly EndpointClaim[],
): UnitedEndpoints {
  if (service.resolution !== 'DNSRoundRobinLB') {
    return { endpoints: withoutDoubles(claims.map(({ endpoint }) => endpoint)), conflicts: [], notes: [] };
  }
  const byPort = [...groupBy(claims, ({ port }) => port)];
  return {
    endpoints: byPort.flatMap(([, [first]]) => (first === undefined ? [] : [first.endpoint])),
    conflicts: byPort.flatMap(([port, group]) =>
      conflictsOfClaims(
        registry,
        'EndpointResolutionConflict',
        `endpoints/${port}`,
        group.map(({ entry, endpoint }) => ({ entry, value: endpoint.addresses })),
      ),
    ),
    notes: byPort.flatMap(([port, group]) => surplusNotes(service, port, group)),
  };
}

function withoutDoubles(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const alike = groupBy(endpoints, (endpoint) => `${endpointKey(endpoint)}|${endpoint.port}`);
  return [...alike.values()].flatMap((group) =>
    group.length === 1 ? group : [...groupBy(group, canonicalJson).values()].flatMap(([first]) => first ?? []),
  );
}

function surplusNotes(service: Service, port: PortKey, group: readonly EndpointClaim[]): readonly Note[] {
  const ofOneEntry = group.filter(({ entry }) => entry === group[0]?.entry).length;
  if (ofOneEntry < 2) return [];
  const message = `Service ${service.namespace}/${service.hostname} is resolved round robin over DNS and takes one endpoint for ${port}: ${ofOneEntry - 1} of ${ofOneEntry} are left out`;
  return [{ code: 'RoundRobinSurplus', message }];
}
