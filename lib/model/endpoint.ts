import { canonicalJson } from './canonical-json';
import { compareText } from './compare';
import { canonicalAddress } from './ip-address';
import { makeLabels, type Labels } from './labels';
import type { RegistryId } from './registry-id';

export const HEALTH_STATES = ['Healthy', 'UnHealthy', 'Draining', 'Terminating'] as const;

export type Health = (typeof HEALTH_STATES)[number];

export type WorkloadName = { readonly name: string; readonly namespace: string };

/** One workload address × one port of a service. */
export type Endpoint = {
  /** At least one; the first is the identity, a dual-stack workload has a second. IPs, host names (DNS resolution) or unix sockets. */
  readonly addresses: readonly string[];
  /** The port the workload listens on; 0 for a unix socket. */
  readonly port: number;
  /** Name of the service port that leads here. */
  readonly servicePort: string;
  /** The workload's own labels. */
  readonly labels: Labels;
  /** `region/zone/subzone`, or empty. */
  readonly locality: string;
  readonly network: string;
  /** As given by the registry; 0 counts as 1. */
  readonly weight: number;
  /** `istio`, `disabled`, or as given. */
  readonly tlsMode: string;
  /** SPIFFE identity, or empty. */
  readonly serviceAccount: string;
  readonly health: Health;
  readonly workload: WorkloadName;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly node?: string;
};

/** An endpoint in the catalog, marked with the registry it came from. */
export type CatalogEndpoint = Endpoint & { readonly registry: RegistryId };

export type EndpointInput = Pick<Endpoint, 'addresses' | 'port' | 'servicePort' | 'workload'> &
  Partial<Omit<Endpoint, 'labels'>> & { readonly labels?: Readonly<Record<string, string>> };

/** The canonical endpoint: defaults filled in, addresses in their canonical spelling, labels sorted. */
export function makeEndpoint(input: EndpointInput): Endpoint {
  return {
    addresses: input.addresses.map(canonicalAddress),
    port: input.port,
    servicePort: input.servicePort,
    labels: makeLabels(input.labels),
    locality: input.locality ?? '',
    network: input.network ?? '',
    weight: input.weight ?? 0,
    tlsMode: input.tlsMode ?? 'disabled',
    serviceAccount: input.serviceAccount ?? '',
    health: input.health ?? 'Healthy',
    workload: { name: input.workload.name, namespace: input.workload.namespace },
    ...(input.hostname === undefined || input.hostname === '' ? {} : { hostname: input.hostname }),
    ...(input.subdomain === undefined || input.subdomain === '' ? {} : { subdomain: input.subdomain }),
    ...(input.node === undefined || input.node === '' ? {} : { node: input.node }),
  };
}

/**
 * What makes an endpoint the same one over time within a registry: workload, first address and service port. The port
 * number is not part of it, so that a changed port is a change and not a removal plus an addition; the workload is,
 * since clusters reuse IPs (istio 35404, 54997). Several endpoints may share a key (one address listed with two ports).
 */
export function endpointKey(endpoint: Endpoint): string {
  const { workload, addresses, servicePort } = endpoint;
  return `${workload.namespace}/${workload.name}|${addresses[0] ?? ''}|${servicePort}`;
}

/** By key, then port, then content: the canonical order of a snapshot's endpoints, the same whatever order they came in. */
export function compareEndpoints(a: Endpoint, b: Endpoint): number {
  return (
    compareText(endpointKey(a), endpointKey(b)) || a.port - b.port || compareText(canonicalJson(a), canonicalJson(b))
  );
}

/** By registry, then as within a snapshot: the canonical order of an entry's endpoints. */
export function compareCatalogEndpoints(a: CatalogEndpoint, b: CatalogEndpoint): number {
  return compareText(a.registry, b.registry) || compareEndpoints(a, b);
}
