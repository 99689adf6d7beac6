import { sortedUnique } from '../model/compare';
import type { Conflict } from '../model/conflict';
import { compareCatalogEndpoints, type CatalogEndpoint, type Endpoint } from '../model/endpoint';
import { isIp, isUnixAddress } from '../model/ip-address';
import type { Note } from '../model/note';
import { portKey, type Port, type PortKey } from '../model/port';
import type { Resolution } from '../model/service';
import type { StoredSnapshot } from '../model/service-snapshot';
import { conflictWith } from './conflict-with';
import { isKubernetes, type OrderedSnapshots } from './order-snapshots';

/** What an address is, as conflicts name it. */
type AddressKind = 'IP address' | 'host name' | 'unix socket' | 'none';

/** The endpoints of one snapshot: those that go into the entry, and those that cannot. */
type Sorted = {
  readonly snapshot: StoredSnapshot;
  readonly fit: readonly CatalogEndpoint[];
  /** Of a kind that the entry's resolution cannot carry. */
  readonly unfit: readonly Endpoint[];
  /** Naming a port that their own service does not have. */
  readonly portless: readonly Endpoint[];
};

/**
 * Unites the endpoints of all registries, each marked with its registry.
 *
 * An endpoint follows the (transport, number) that its own snapshot gives to its port name, and takes the name that the
 * entry (`ports`) has for that port. What the first snapshot's resolution cannot carry is left out as a conflict, what
 * names a port that its own service does not have is left out with a note, and doubles are kept once.
 */
export function mergeEndpoints(
  ordered: OrderedSnapshots,
  ports: readonly Port[],
): {
  readonly endpoints: readonly CatalogEndpoint[];
  readonly conflicts: readonly Conflict[];
  readonly notes: readonly Note[];
} {
  const [{ registry, service }] = ordered;
  const names = new Map(ports.map((port) => [portKey(port), port.name]));
  const sorted = ordered.map((snapshot) => sortOut(snapshot, names, service.resolution));
  return {
    endpoints: withoutDoubles(sorted.flatMap(({ fit }) => fit)).sort(compareCatalogEndpoints),
    conflicts: conflictWith(
      sorted
        .filter(({ unfit }) => unfit.length > 0)
        .map(({ snapshot, unfit }) => ({ registry: snapshot.registry, value: kindsOf(unfit) })),
      { type: 'EndpointResolutionConflict', field: 'endpoints', winner: { registry, value: service.resolution } },
    ),
    notes: sorted.flatMap((each) => [...unfitNotes(each, service.resolution), ...portlessNotes(each)]),
  };
}

function sortOut(snapshot: StoredSnapshot, names: ReadonlyMap<PortKey, string>, resolution: Resolution): Sorted {
  const { registry, service, endpoints } = snapshot;
  // Of two ports with one name the first counts, and the last entry of a map is the one that stays.
  const nameOf = new Map(service.ports.toReversed().map((port) => [port.name, names.get(portKey(port))]));
  const fit: CatalogEndpoint[] = [];
  const unfit: Endpoint[] = [];
  const portless: Endpoint[] = [];
  for (const endpoint of endpoints) {
    const servicePort = nameOf.get(endpoint.servicePort);
    if (servicePort === undefined) portless.push(endpoint);
    else if (!canCarry(resolution, endpoint)) unfit.push(endpoint);
    else fit.push({ ...endpoint, servicePort, registry });
  }
  return { snapshot, fit, unfit, portless };
}

/**
 * Whether a proxy can reach the endpoint by that resolution: without DNS only IP addresses and sockets, with DNS only what
 * a resolver takes; an alias and a dynamic DNS name have no endpoints of their own. An endpoint without an address stands
 * behind the gateway of its network and fits wherever endpoints do.
 */
function canCarry(resolution: Resolution, { addresses }: Endpoint): boolean {
  switch (resolution) {
    case 'ClientSideLB':
    case 'Passthrough':
      return addresses.every((address) => kindOf(address) !== 'host name');
    case 'DNSLB':
    case 'DNSRoundRobinLB':
      return addresses.every((address) => kindOf(address) !== 'unix socket');
    case 'DynamicDNS':
    case 'Alias':
      return false;
  }
}

function kindOf(address: string): AddressKind {
  if (address === '') return 'none';
  if (isUnixAddress(address)) return 'unix socket';
  return isIp(address) ? 'IP address' : 'host name';
}

/** Kinds and not addresses: a conflict that changed with every endpoint that comes or goes would be pushed as configuration. */
function kindsOf(endpoints: readonly Endpoint[]): readonly AddressKind[] {
  return sortedUnique(endpoints.flatMap(({ addresses }) => addresses.map(kindOf)));
}

/**
 * Doubles have network, first address, endpoint port and service port in common; the first is kept. Two clusters of
 * Kubernetes may use the same addresses for different Pods, so endpoints of Kubernetes are no doubles of each other.
 */
function withoutDoubles(endpoints: readonly CatalogEndpoint[]): CatalogEndpoint[] {
  const firstIsKubernetes = new Map<string, boolean>();
  return endpoints.filter((endpoint) => {
    const [address = ''] = endpoint.addresses;
    if (address === '') return true;
    const place = `${endpoint.network}\n${address}\n${endpoint.port}\n${endpoint.servicePort}`;
    const first = firstIsKubernetes.get(place);
    if (first !== undefined) return first && isKubernetes(endpoint.registry);
    firstIsKubernetes.set(place, isKubernetes(endpoint.registry));
    return true;
  });
}

function unfitNotes({ snapshot, unfit }: Sorted, resolution: Resolution): readonly Note[] {
  if (unfit.length === 0) return [];
  return [
    {
      code: 'EndpointResolutionConflict',
      message: `${describe(unfit)} of ${snapshot.key} in ${snapshot.registry} cannot be reached by the resolution ${resolution} of the merged service; left out`,
    },
  ];
}

function portlessNotes({ snapshot, portless }: Sorted): readonly Note[] {
  const byPort = new Map<string, Endpoint[]>();
  for (const endpoint of portless) {
    const endpoints = byPort.get(endpoint.servicePort);
    if (endpoints === undefined) byPort.set(endpoint.servicePort, [endpoint]);
    else endpoints.push(endpoint);
  }
  return [...byPort].map(([name, endpoints]) => ({
    code: 'EndpointPortUnknown',
    message: `${describe(endpoints)} of ${snapshot.key} in ${snapshot.registry} name the port ${JSON.stringify(name)}, which the service does not have there; left out`,
  }));
}

/** How many endpoints a note names. */
const NAMED_ENDPOINTS = 3;

function describe(endpoints: readonly Endpoint[]): string {
  const named = endpoints.slice(0, NAMED_ENDPOINTS).map(({ addresses }) => addresses.join(' '));
  const more = endpoints.length > NAMED_ENDPOINTS ? ', …' : '';
  return `Endpoints (${endpoints.length}: ${named.join(', ')}${more})`;
}
