import { makeEndpoint, type Endpoint } from '../../model/endpoint';
import { isIp, isUnixAddress } from '../../model/ip-address';
import type { Note } from '../../model/note';
import { portKey, type PortKey } from '../../model/port';
import { carriesEndpoints } from '../../model/service';
import type { ServiceEntry } from './entries';
import type { EntryPort } from './entry-schema';
import { workloadOfSpec, type SelectableWorkload } from './selectable-workload';
import { portOf, resolutionOf } from './service-of-entry';
import type { WorkloadIndex } from './workload-index';

/** The endpoints that one entry gives one of its hosts, each under the port that it serves. */
export type EntryEndpoints = {
  readonly endpoints: readonly { readonly port: PortKey; readonly endpoint: Endpoint }[];
  /** What the workloads were read from, in addition to the entry itself. */
  readonly sources: readonly string[];
  readonly notes: readonly Note[];
};

/**
 * Ports × workloads: those that the selector finds, those written into the entry, or the host itself where DNS has nothing
 * else to resolve (Istio serviceentry/conversion.go). `portNames` are the names that the ports have in the united service.
 */
export function endpointsOfEntry(
  entry: ServiceEntry,
  hostname: string,
  portNames: ReadonlyMap<PortKey, string>,
  workloads: WorkloadIndex,
  trustDomain: string,
): EntryEndpoints {
  if (!carriesEndpoints(resolutionOf(entry))) return { endpoints: [], sources: [], notes: [] };
  const { found, notes } = workloadsOfEntry(entry, hostname, workloads, trustDomain);
  return {
    endpoints: entry.spec.ports.flatMap((entryPort) => {
      const port = portKey(portOf(entryPort));
      const servicePort = portNames.get(port) ?? entryPort.name;
      return found.map((workload) => ({ port, endpoint: endpointOf(workload, entryPort, servicePort) }));
    }),
    sources: found.flatMap(({ sources }) => sources),
    notes,
  };
}

/**
 * The workload as an endpoint of one port of the service: its own port of that name, else the port's target, else the
 * port's number; a unix socket has none. `servicePort` is the name of the port in the service.
 */
export function endpointOf(
  workload: SelectableWorkload,
  port: Pick<EntryPort, 'name' | 'number' | 'targetPort'>,
  servicePort: string,
): Endpoint {
  const own = Object.hasOwn(workload.ports, port.name) ? workload.ports[port.name] : undefined;
  const number = [own, port.targetPort].find((candidate) => candidate !== undefined && candidate > 0) ?? port.number;
  return makeEndpoint({
    ...workload,
    port: workload.addresses.some(isUnixAddress) ? 0 : number,
    servicePort,
  });
}

type FoundWorkloads = { readonly found: readonly SelectableWorkload[]; readonly notes: readonly Note[] };

function workloadsOfEntry(
  entry: ServiceEntry,
  hostname: string,
  workloads: WorkloadIndex,
  trustDomain: string,
): FoundWorkloads {
  const { workloadSelector, endpoints } = entry.spec;
  if (workloadSelector !== undefined) {
    return usableWorkloads(entry, hostname, workloads.select(entry.namespace, workloadSelector.labels));
  }
  if (endpoints.length === 0 && isResolvedByDns(entry)) return hostAsWorkload(entry, hostname);
  return { found: endpoints.map((spec) => workloadOfSpec(spec, entry, trustDomain)), notes: [] };
}

function isResolvedByDns({ spec }: ServiceEntry): boolean {
  return spec.resolution === 'DNS' || spec.resolution === 'DNS_ROUND_ROBIN';
}

/** Host names and unix sockets count for services that are resolved by DNS only (Istio `DNSServiceEntryOnly`). */
function usableWorkloads(
  entry: ServiceEntry,
  hostname: string,
  selected: readonly SelectableWorkload[],
): FoundWorkloads {
  if (isResolvedByDns(entry)) return { found: selected, notes: [] };
  const isUsable = ({ addresses }: SelectableWorkload): boolean =>
    addresses.every((address) => address === '' || isIp(address));
  return {
    found: selected.filter(isUsable),
    notes: selected
      .filter((workload) => !isUsable(workload))
      .map(({ workload, addresses }) => ({
        code: 'WorkloadAddressUnusable',
        message: `Workload ${workload.namespace}/${workload.name} has address ${addresses.join()}: service ${hostname} has resolution ${entry.spec.resolution} and takes IP addresses only, so it is left out`,
      })),
  };
}

function hostAsWorkload(entry: ServiceEntry, hostname: string): FoundWorkloads {
  if (hostname.startsWith('*')) {
    const message = `Service ${hostname} of ServiceEntry ${entry.namespace}/${entry.name} has no endpoints: a wildcard cannot be resolved by DNS`;
    return { found: [], notes: [{ code: 'WildcardUnresolvable', message }] };
  }
  const host: SelectableWorkload = {
    namespace: entry.namespace,
    labels: {},
    addresses: [hostname],
    ports: {},
    workload: { name: entry.name, namespace: entry.namespace },
    locality: '',
    network: '',
    weight: 0,
    tlsMode: 'disabled',
    serviceAccount: '',
    sources: [entry.source],
  };
  return { found: [host], notes: [] };
}
