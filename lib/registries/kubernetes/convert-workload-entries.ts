import { makeEndpoint, type Endpoint } from '../../model/endpoint';
import { isIp } from '../../model/ip-address';
import { labelsMatch } from '../../model/labels';
import { spiffeId } from '../../model/spiffe';
import { resolutionOf } from './convert-service';
import type { KubeService, KubeServicePort, KubeWorkloadEntry } from './kube-objects';

/**
 * Whether a Kubernetes service takes a WorkloadEntry for an endpoint: same namespace, labels, an IP address (a cluster IP
 * cannot lead to a name or a socket), and a service that balances by itself and selects anything at all
 * (Istio `kube/controller/controller.go`, serviceInstancesFromWorkloadInstances).
 */
export function selectsWorkloadEntry(service: KubeService, entry: KubeWorkloadEntry): boolean {
  return (
    service.namespace === entry.namespace &&
    Object.keys(service.selector).length > 0 &&
    resolutionOf(service) === 'ClientSideLB' &&
    labelsMatch(service.selector, entry.labels)
  );
}

/** The endpoints that WorkloadEntries give a service that selects them: one a port that leads somewhere. */
export function convertWorkloadEntries(
  service: KubeService,
  entries: readonly KubeWorkloadEntry[],
  trustDomain: string,
): readonly Endpoint[] {
  return entries
    .filter((entry) => entry.healthy && isIp(entry.address) && selectsWorkloadEntry(service, entry))
    .flatMap((entry) => service.ports.flatMap((port) => endpointsOf(entry, port, trustDomain)));
}

function endpointsOf(entry: KubeWorkloadEntry, servicePort: KubeServicePort, trustDomain: string): readonly Endpoint[] {
  const port = targetPort(servicePort, entry.ports);
  if (port === undefined) return [];
  return [
    makeEndpoint({
      addresses: [entry.address],
      port,
      servicePort: servicePort.name,
      labels: entry.labels,
      locality: entry.locality,
      network: entry.network,
      weight: entry.weight,
      tlsMode: entry.labels['security.istio.io/tlsMode'] ?? (entry.serviceAccount === '' ? 'disabled' : 'istio'),
      serviceAccount: entry.serviceAccount === '' ? '' : spiffeId(trustDomain, entry.namespace, entry.serviceAccount),
      workload: { name: entry.workloadName, namespace: entry.namespace },
    }),
  ];
}

/**
 * A number leads to the entry's port of the service port's name, else to that number; a name to the entry's port of that
 * name, else nowhere (Istio serviceInstanceFromWorkloadInstance). Without a target port it is the service's own number.
 */
function targetPort(port: KubeServicePort, ports: Readonly<Record<string, number>>): number | undefined {
  if (typeof port.targetPort === 'string') return set(ports[port.targetPort]);
  return set(ports[port.name]) ?? set(port.targetPort) ?? port.port;
}

function set(port: number | undefined): number | undefined {
  return port === 0 ? undefined : port;
}
