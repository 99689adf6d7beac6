import { compareText, sortedRecord, sortedUnique } from './compare';
import { canonicalAddress, NO_ADDRESS } from './ip-address';
import { makeLabels, type Labels } from './labels';
import { comparePorts, type Port } from './port';
import { canonicalHostname, makeServiceKey, type ServiceKey } from './service-key';

/** How clients get from a service to an address (Istio `model.Resolution`). */
export const RESOLUTIONS = ['ClientSideLB', 'DNSLB', 'Passthrough', 'DNSRoundRobinLB', 'DynamicDNS', 'Alias'] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

/** What one kind of registry knows beyond the common model. Absent members are unknown or do not apply. */
export type ServiceAttributes = {
  /** Kubernetes service type, e.g. `ClusterIP`. */
  readonly type?: string;
  readonly externalName?: string;
  readonly selector?: Labels;
  readonly sessionAffinity?: string;
  readonly internalTrafficPolicy?: string;
  readonly trafficDistribution?: string;
  readonly publishNotReadyAddresses?: boolean;
  /** Node port by port key, e.g. `{"TCP/80": 30080}`. */
  readonly nodePorts?: Readonly<Record<string, number>>;
  /** Port of the destination by port key, where a Passthrough service redirects, e.g. `{"TCP/80": 8080}`. */
  readonly passthroughTargetPorts?: Readonly<Record<string, number>>;
};

/** Cluster name → addresses. */
export type AddressesByCluster = Readonly<Record<string, readonly string[]>>;

/** A service, independent of the registry that it came from. Equality is everything but `creationTime`. */
export type Service = {
  readonly hostname: string;
  readonly namespace: string;
  readonly name: string;
  /** The virtual IP; `0.0.0.0` = none. */
  readonly address: string;
  /** All virtual IPs in the registry's order when it gives several. */
  readonly addresses: readonly string[];
  /** Virtual IPs that a control plane allocated. */
  readonly autoAddresses: readonly string[];
  readonly ports: readonly Port[];
  readonly resolution: Resolution;
  readonly meshExternal: boolean;
  /** SPIFFE identities that the service's workloads run as, where the registry says so. */
  readonly serviceAccounts: readonly string[];
  /** Namespaces that may see the service; empty = mesh default. */
  readonly exportTo: readonly string[];
  readonly labels: Labels;
  /** ISO 8601. */
  readonly creationTime?: string;
  readonly clusterVips: AddressesByCluster;
  readonly externalAddresses: AddressesByCluster;
  readonly attributes: ServiceAttributes;
};

export type ServiceInput = Pick<Service, 'hostname' | 'namespace' | 'ports' | 'resolution'> & Partial<Service>;

/** The canonical service: defaults filled in, spelling canonical, ports and lists in order. */
export function makeService(input: ServiceInput): Service {
  const hostname = canonicalHostname(input.hostname);
  return {
    hostname,
    namespace: input.namespace,
    name: input.name ?? hostname,
    address: canonicalAddress(input.address ?? NO_ADDRESS),
    addresses: (input.addresses ?? []).map(canonicalAddress),
    autoAddresses: sortedUnique((input.autoAddresses ?? []).map(canonicalAddress)),
    ports: [...input.ports].sort(comparePorts),
    resolution: input.resolution,
    meshExternal: input.meshExternal ?? false,
    serviceAccounts: sortedUnique(input.serviceAccounts ?? []),
    exportTo: sortedUnique(input.exportTo ?? []),
    labels: makeLabels(input.labels),
    ...(input.creationTime === undefined ? {} : { creationTime: input.creationTime }),
    clusterVips: canonicalAddresses(input.clusterVips),
    externalAddresses: canonicalAddresses(input.externalAddresses),
    attributes: canonicalAttributes(input.attributes ?? {}),
  };
}

export function serviceKeyOf(service: Pick<Service, 'namespace' | 'hostname'>): ServiceKey {
  return makeServiceKey(service.namespace, service.hostname);
}

/** Whether the resolution leads to endpoints at all (an alias and a dynamic DNS name lead to none). */
export function carriesEndpoints(resolution: Resolution): boolean {
  switch (resolution) {
    case 'ClientSideLB':
    case 'DNSLB':
    case 'Passthrough':
    case 'DNSRoundRobinLB':
      return true;
    case 'DynamicDNS':
    case 'Alias':
      return false;
  }
}

function canonicalAddresses(byCluster: AddressesByCluster | undefined): AddressesByCluster {
  return sortedRecord(
    Object.fromEntries(
      Object.entries(byCluster ?? {}).map(([cluster, list]) => [cluster, list.map(canonicalAddress)] as const),
    ),
  );
}

function canonicalAttributes(attributes: ServiceAttributes): ServiceAttributes {
  return Object.fromEntries(Object.entries(attributes).sort(([a], [b]) => compareText(a, b)));
}
