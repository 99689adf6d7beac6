import { compareText } from '../../model/compare';
import { makeEndpoint, type Endpoint, type Health } from '../../model/endpoint';
import { canonicalAddress } from '../../model/ip-address';
import { endpointHealth, isPublished } from './endpoint-health';
import { objectId, type KubePod, type KubeService, type KubeSlice, type KubeSliceEndpoint } from './kube-objects';
import { podWorkload, type WorkloadSurroundings, type WorkloadTemplate } from './pod-workload';

/** What the conversion of slices looks up. */
export interface PodLookup {
  /** The Pod of that name, or the last that was known of it while a slice still points at it. */
  named(namespace: string, name: string): KubePod | undefined;
  /** A ready Pod with that IP; of several the one with the lowest name. */
  readyAt(namespace: string, ip: string): KubePod | undefined;
  localityOfNode(node: string): string;
  /** False without permission or wish to read Pods: then endpoints are published without what only a Pod tells. */
  readonly readable: boolean;
}

export type SliceConversion = WorkloadSurroundings & { readonly publishUnhealthy: boolean };

export type ConvertedSlices = {
  readonly endpoints: readonly Endpoint[];
  /** Names of Pods that slices point at but that have not been seen, sorted. */
  readonly withheld: readonly string[];
};

/** An endpoint on its way: with what decides between doubles. */
type Candidate = {
  readonly endpoint: Endpoint;
  readonly slice: string;
  readonly agreesWithPod: boolean;
};

/**
 * The endpoints of a service: each address × port of each of its slices (Istio `kube/controller/endpointslice.go`,
 * updateEndpointCacheForSlice). A slice without ports gives none.
 *
 * An endpoint whose Pod has not been seen is withheld: without the Pod's account and TLS mode it would be sent plaintext.
 */
export function convertSlices(
  service: KubeService,
  slices: readonly KubeSlice[],
  pods: PodLookup,
  conversion: SliceConversion,
): ConvertedSlices {
  const best = new Map<string, Candidate>();
  const withheld = new Set<string>();
  for (const slice of slices) {
    for (const listed of slice.endpoints) {
      if (
        listed.pod !== undefined &&
        pods.readable &&
        pods.named(listed.pod.namespace, listed.pod.name) === undefined
      ) {
        withheld.add(objectId(listed.pod));
        continue;
      }
      for (const candidate of candidatesOf(service, slice, listed, pods, conversion)) {
        const key = `${podIdOf(listed)}|${candidate.endpoint.addresses[0] ?? ''}|${candidate.endpoint.servicePort}`;
        const known = best.get(key);
        if (known === undefined || compareCandidates(candidate, known) < 0) best.set(key, candidate);
      }
    }
  }
  return {
    endpoints: [...best.values()]
      .map(({ endpoint }) => endpoint)
      .filter(({ health }) => isPublished(service, health, conversion.publishUnhealthy)),
    withheld: [...withheld].sort(compareText),
  };
}

function candidatesOf(
  service: KubeService,
  slice: KubeSlice,
  listed: KubeSliceEndpoint,
  pods: PodLookup,
  conversion: SliceConversion,
): readonly Candidate[] {
  const health = endpointHealth(service, listed);
  const pod = listed.pod === undefined ? undefined : pods.named(listed.pod.namespace, listed.pod.name);
  return addressesOf(service, slice, listed, pod).flatMap((addresses) => {
    const owner = pod ?? (listed.pod === undefined ? ownerOfAddress(slice, addresses, pods) : undefined);
    const template =
      owner === undefined ? bareWorkload(slice, listed, conversion) : workloadOf(owner, pods, conversion);
    return slice.ports.map((port) => ({
      endpoint: makeEndpoint({ ...template, addresses, port: port.port, servicePort: port.name, health }),
      slice: slice.name,
      agreesWithPod: owner?.ready === (health === 'Healthy'),
    }));
  });
}

/**
 * A dual-stack Pod of a dual-stack service is one endpoint with the Pod's addresses in its order, taken from the IPv4
 * slice; everything else is one endpoint an address.
 */
function addressesOf(
  service: KubeService,
  slice: KubeSlice,
  listed: KubeSliceEndpoint,
  pod: KubePod | undefined,
): readonly (readonly string[])[] {
  if (pod === undefined || pod.ips.length < 2 || service.clusterIps.length < 2) {
    return listed.addresses.map((address) => [address]);
  }
  return slice.addressType === 'IPv6' ? [] : [pod.ips];
}

/** No Pod is named: one that is ready and has the address supplies the metadata (endpoints written by hand, host networks). */
function ownerOfAddress(slice: KubeSlice, addresses: readonly string[], pods: PodLookup): KubePod | undefined {
  return pods.readyAt(slice.namespace, canonicalAddress(addresses[0] ?? ''));
}

function workloadOf(pod: KubePod, pods: PodLookup, conversion: SliceConversion): WorkloadTemplate {
  return podWorkload(pod, pod.node === '' ? '' : pods.localityOfNode(pod.node), conversion);
}

/** As it stands in the slice. The Pod's name, where the slice has it, keeps endpoints apart that reuse an address. */
function bareWorkload(slice: KubeSlice, listed: KubeSliceEndpoint, { network }: SliceConversion): WorkloadTemplate {
  return {
    labels: {},
    locality: '',
    network,
    tlsMode: 'disabled',
    serviceAccount: '',
    workload: { name: listed.pod?.name ?? '', namespace: listed.pod?.namespace ?? slice.namespace },
  };
}

function podIdOf(listed: KubeSliceEndpoint): string {
  return listed.pod === undefined ? '' : objectId(listed.pod);
}

const HEALTH_ORDER: Readonly<Record<Health, number>> = { Healthy: 0, Draining: 1, UnHealthy: 2, Terminating: 3 };

/**
 * A Pod that moves between slices is for a while in both (Kubernetes "EndpointSlices", duplicate endpoints). The one that
 * agrees with the Pod's own readiness is the fresh one; else the healthier, else the first by name, so that the order of
 * arrival decides nothing.
 */
function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    Number(b.agreesWithPod) - Number(a.agreesWithPod) ||
    HEALTH_ORDER[a.endpoint.health] - HEALTH_ORDER[b.endpoint.health] ||
    compareText(a.slice, b.slice)
  );
}
