import type { Labels } from '../../model/labels';
import type { ServiceEntry, WorkloadEntry } from '../external/entries';

/**
 * What is kept of a cluster's objects: only what the conversion looks at, so that a cluster of 10,000 pods fits into a
 * function's memory. `resource` is the plural name in URLs, permissions and sources.
 */
export const RESOURCES = [
  'services',
  'endpointslices',
  'pods',
  'nodes',
  'namespaces',
  'workloadentries',
  'serviceentries',
] as const;

export type Resource = (typeof RESOURCES)[number];

export type KubeServicePort = {
  readonly name: string;
  readonly port: number;
  /** `TCP`, `UDP` or `SCTP`. */
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly appProtocol?: string;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
};

export type KubeService = {
  readonly resource: 'services';
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly creationTime?: string;
  readonly type: string;
  /** Empty for none, `None` for a headless service. */
  readonly clusterIp: string;
  readonly clusterIps: readonly string[];
  readonly externalName: string;
  readonly externalIps: readonly string[];
  readonly ports: readonly KubeServicePort[];
  /** Absent and empty mean the same: the service selects nothing, somebody else writes its slices. */
  readonly selector: Labels;
  readonly sessionAffinity?: string;
  readonly internalTrafficPolicy?: string;
  readonly trafficDistribution?: string;
  readonly publishNotReadyAddresses?: boolean;
  /** Per ingress of the load balancer its IP, else its host name. */
  readonly ingress: readonly string[];
};

export type ObjectName = { readonly namespace: string; readonly name: string };

export type KubeSliceEndpoint = {
  readonly addresses: readonly string[];
  /** Absent = unknown, which the API reads as true. */
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
  /** The Pod that it points at; absent for endpoints that no Pod stands behind. */
  readonly pod?: ObjectName;
};

export type KubeSlice = {
  readonly resource: 'endpointslices';
  readonly namespace: string;
  readonly name: string;
  /** Name of the service that it belongs to. */
  readonly service: string;
  readonly addressType: string;
  readonly ports: readonly { readonly name: string; readonly port: number }[];
  readonly endpoints: readonly KubeSliceEndpoint[];
};

export type KubePod = {
  readonly resource: 'pods';
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** The primary one first. */
  readonly ips: readonly string[];
  readonly node: string;
  readonly serviceAccountName: string;
  readonly hostname: string;
  readonly subdomain: string;
  /** Its own `Ready` condition. */
  readonly ready: boolean;
  /** Succeeded: it will not run again (failed ones are not kept at all). */
  readonly terminal: boolean;
  /** It has been asked to end. */
  readonly terminating: boolean;
  /** See `workloadNameOfPod`. */
  readonly workloadName: string;
  /** Named TCP container ports. */
  readonly ports: Readonly<Record<string, number>>;
};

export type KubeNode = {
  readonly resource: 'nodes';
  readonly namespace: '';
  readonly name: string;
  /** `region/zone/subzone`, or empty. */
  readonly locality: string;
};

export type KubeNamespace = {
  readonly resource: 'namespaces';
  readonly namespace: '';
  readonly name: string;
  /** Label `topology.istio.io/network`, or empty. */
  readonly network: string;
  /** Annotation `networking.istio.io/traffic-distribution`, or empty. */
  readonly trafficDistribution: string;
};

export type KubeWorkloadEntry = {
  readonly resource: 'workloadentries';
  readonly namespace: string;
  readonly name: string;
  readonly entry: WorkloadEntry;
};

export type KubeServiceEntry = {
  readonly resource: 'serviceentries';
  readonly namespace: string;
  readonly name: string;
  readonly entry: ServiceEntry;
};

export type KubeObject =
  KubeService | KubeSlice | KubePod | KubeNode | KubeNamespace | KubeWorkloadEntry | KubeServiceEntry;

/** `namespace/name`; `/name` for what has no namespace. */
export type ObjectId = `${string}/${string}`;

export function objectId(object: ObjectName): ObjectId {
  return `${object.namespace}/${object.name}`;
}

export function splitObjectId(id: ObjectId): ObjectName {
  const slash = id.indexOf('/');
  return { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
}
