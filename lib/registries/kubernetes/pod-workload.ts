import type { EndpointInput } from '../../model/endpoint';
import type { Labels } from '../../model/labels';
import { spiffeId } from '../../model/spiffe';
import type { KubePod } from './kube-objects';
import { localityOfLabels } from './locality';

/** Everything of an endpoint that its workload decides, whatever the port. */
export type WorkloadTemplate = Pick<EndpointInput, 'workload' | 'hostname' | 'subdomain' | 'node'> & {
  readonly labels: Labels;
  readonly locality: string;
  readonly network: string;
  readonly tlsMode: string;
  readonly serviceAccount: string;
};

export type WorkloadSurroundings = {
  readonly trustDomain: string;
  /** Network of workloads that name none: the system namespace's label, else the registry's setting. */
  readonly network: string;
};

/**
 * What a Pod gives its endpoints (Istio `kube/controller/endpoint_builder.go`). The locality of its own labels comes
 * before the node's; a Pod without a node has none. `hostname` exists only with a subdomain and is by default the name.
 */
export function podWorkload(
  pod: KubePod,
  nodeLocality: string,
  { trustDomain, network }: WorkloadSurroundings,
): WorkloadTemplate {
  return {
    labels: pod.labels,
    locality: localityOfLabels(pod.labels) ?? nodeLocality,
    network: networkOf(pod.labels['topology.istio.io/network'], network),
    tlsMode: pod.labels['security.istio.io/tlsMode'] ?? 'disabled',
    serviceAccount: spiffeId(trustDomain, pod.namespace, pod.serviceAccountName),
    workload: { name: pod.workloadName, namespace: pod.namespace },
    ...(pod.subdomain === '' ? {} : { hostname: pod.hostname === '' ? pod.name : pod.hostname }),
    subdomain: pod.subdomain,
    node: pod.node,
  };
}

function networkOf(label: string | undefined, other: string): string {
  return label === undefined || label === '' ? other : label;
}
