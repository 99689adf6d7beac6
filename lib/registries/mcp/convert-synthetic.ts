import { makeEndpoint, type Endpoint } from '../../model/endpoint';
import { compareText } from '../../model/compare';
import { portKey, type Port } from '../../model/port';
import type { RegistryId } from '../../model/registry-id';
import { carriesEndpoints, makeService, type Service } from '../../model/service';
import { makeServiceSnapshot, type ServiceSnapshot } from '../../model/service-snapshot';
import type { ServiceEntry } from '../external/entries';
import { resolutionOf, portOf, serviceOfEntry } from '../external/service-of-entry';
import { clusterName, clusterSource, isPublished, type ClusterEndpoint } from './cluster-endpoints';

/** A Kubernetes service as istiod shows it, and its name. */
export type SyntheticEntry = { readonly entry: ServiceEntry; readonly service: string };

/** The clusters to ask for: one for each number of a TCP port, of services that have endpoints other than by DNS. */
export function clustersOf({ entry }: SyntheticEntry): readonly string[] {
  const [hostname = ''] = entry.spec.hosts;
  return endpointPorts(entry).map(({ number }) => clusterName(hostname, number));
}

/**
 * The service, with the endpoints that an Envoy is told of: without labels, accounts and networks, and none of UDP ports,
 * which Envoy has no clusters for. Nothing is validated: Kubernetes has done so.
 */
export function convertSynthetic(
  { entry, service }: SyntheticEntry,
  registry: RegistryId,
  endpointsOf: (cluster: string) => readonly ClusterEndpoint[],
): ServiceSnapshot {
  const [hostname = ''] = entry.spec.hosts;
  const clusters = endpointPorts(entry).map((port) => ({ port, cluster: clusterName(hostname, port.number) }));
  return makeServiceSnapshot({
    registry,
    service: serviceOf(entry, hostname, service),
    endpoints: clusters.flatMap(({ port, cluster }) =>
      endpointsOf(cluster)
        .filter(isPublished)
        .map((endpoint) => endpointOf(endpoint, port, { name: service, namespace: entry.namespace })),
    ),
    sources: [entry.source, ...clusters.map(({ cluster }) => clusterSource(cluster))],
  });
}

/** With its addresses in order: they come in that of a Go map. */
function serviceOf(entry: ServiceEntry, hostname: string, name: string): Service {
  const addresses = [...entry.spec.addresses].sort(compareText);
  const converted = serviceOfEntry({ ...entry, spec: { ...entry.spec, addresses } }, hostname);
  return makeService({ ...converted, name, ports: distinctPorts(entry) });
}

function distinctPorts({ spec }: ServiceEntry): readonly Port[] {
  const first = new Map(
    spec.ports
      .map(portOf)
      .reverse()
      .map((port) => [portKey(port), port]),
  );
  return [...first.values()];
}

/** The ports that have clusters: the first of each number, and none of UDP (istio model, PortList.GetByPort). */
function endpointPorts(entry: ServiceEntry): readonly Port[] {
  const resolution = resolutionOf(entry);
  if (!carriesEndpoints(resolution) || resolution === 'DNSLB' || resolution === 'DNSRoundRobinLB') return [];
  const ports = entry.spec.ports.map(portOf).filter(({ transport }) => transport !== 'UDP');
  return [...new Map(ports.reverse().map((port) => [port.number, port])).values()];
}

function endpointOf(endpoint: ClusterEndpoint, port: Port, fallback: Endpoint['workload']): Endpoint {
  const { workload = fallback, ...rest } = endpoint;
  return makeEndpoint({ ...rest, servicePort: port.name, workload });
}
