import { makeEndpoint, type Endpoint } from '../../model/endpoint';
import { isIp } from '../../model/ip-address';
import { labelsMatch, type Labels } from '../../model/labels';
import { workloadOfEntry, type SelectableWorkload } from '../external/selectable-workload';
import { resolutionOf } from './convert-service';
import type { KubeService, KubeServicePort, KubeWorkloadEntry } from './kube-objects';

/**
 * Whether a Kubernetes service takes a WorkloadEntry for an endpoint: same namespace, labels, and a service that balances by
 * itself and selects anything at all (Istio `kube/controller/controller.go`, serviceInstancesFromWorkloadInstances).
 */
export function selectsWorkloadEntry(service: KubeService, { namespace, entry }: KubeWorkloadEntry): boolean {
  return service.namespace === namespace && selects(service, { ...entry.spec.labels, ...entry.labels });
}

/**
 * The endpoints that WorkloadEntries give a service that selects them: one a port that leads somewhere. Only those with an
 * IP address count: a cluster IP cannot lead to a name or a socket.
 */
export function convertWorkloadEntries(
  service: KubeService,
  entries: readonly KubeWorkloadEntry[],
  trustDomain: string,
): readonly Endpoint[] {
  return entries
    .filter((object) => selectsWorkloadEntry(service, object))
    .flatMap(({ entry }) => workloadOfEntry(entry, trustDomain) ?? [])
    .filter(({ addresses }) => addresses.every(isIp))
    .flatMap((workload) => service.ports.flatMap((port) => endpointsOf(workload, port)));
}

function selects(service: KubeService, labels: Labels): boolean {
  return (
    Object.keys(service.selector).length > 0 &&
    resolutionOf(service) === 'ClientSideLB' &&
    labelsMatch(service.selector, labels)
  );
}

function endpointsOf(workload: SelectableWorkload, servicePort: KubeServicePort): readonly Endpoint[] {
  const port = targetPort(servicePort, workload.ports);
  return port === undefined ? [] : [makeEndpoint({ ...workload, port, servicePort: servicePort.name })];
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
