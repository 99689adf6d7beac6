import { makeEndpoint } from '../../model/endpoint';
import { canonicalHostname } from '../../model/service-key';
import { makeServiceSnapshot, type ServiceSnapshot } from '../../model/service-snapshot';
import type { ServiceEntry } from '../external/entries';
import { portOf } from '../external/service-of-entry';
import { clusterName, clusterSource, isPublished, type ClusterEndpoint } from './cluster-endpoints';

/**
 * The clusters of entries with selectors: those select Pods too, which do not come over xDS but as endpoints of clusters.
 * Services that are resolved by DNS have none (istio pilot/pkg/xds/endpoints, IsDNSCluster).
 */
export function clustersOfSelectors(entries: readonly ServiceEntry[]): readonly SelectingCluster[] {
  return entries.flatMap(({ namespace, spec }) => {
    if (spec.workloadSelector === undefined) return [];
    if (spec.resolution !== 'STATIC' && spec.resolution !== 'NONE') return [];
    const ports = spec.ports.map(portOf).filter(({ transport }) => transport !== 'UDP');
    return spec.hosts
      .filter((host) => canonicalHostname(host) !== '')
      .flatMap((host) =>
        ports.map(({ number }) => ({ namespace, port: number, cluster: clusterName(host, number), host })),
      );
  });
}

export type SelectingCluster = {
  readonly namespace: string;
  readonly host: string;
  readonly port: number;
  readonly cluster: string;
};

/**
 * The service with the Pods that its entries select: endpoints of its clusters at addresses that no machine has. Hosts are
 * not unique among namespaces, but workloads are only selected in their own.
 */
export function withSelectedPods(
  snapshot: ServiceSnapshot,
  clusters: readonly SelectingCluster[],
  endpointsOf: (cluster: string) => readonly ClusterEndpoint[],
): ServiceSnapshot {
  if (clusters.length === 0) return snapshot;
  const { service } = snapshot;
  const pods = clusters.flatMap(({ port: number, cluster }) => {
    const port = service.ports.find((candidate) => candidate.number === number && candidate.transport !== 'UDP');
    if (port === undefined) return [];
    const own = snapshot.endpoints.filter(({ servicePort }) => servicePort === port.name);
    const taken = new Set(own.map(({ addresses }) => addresses[0]));
    return endpointsOf(cluster).flatMap((endpoint) => {
      const { workload, addresses } = endpoint;
      if (workload?.namespace !== service.namespace || !isPublished(endpoint) || taken.has(addresses[0])) return [];
      return [makeEndpoint({ ...endpoint, servicePort: port.name, workload })];
    });
  });
  return makeServiceSnapshot({
    ...snapshot,
    endpoints: [...snapshot.endpoints, ...pods],
    sources: [...snapshot.sources, ...clusters.map(({ cluster }) => clusterSource(cluster))],
  });
}
