import * as z from 'zod';
import type { Health, WorkloadName } from '../../model/endpoint';
import type { EncodedMessage } from './ads-stream';
import { decodeXdsMessage } from './xds-messages';

/** What to ask for, and the message that comes (istio pkg/model, EndpointType). */
export const CLUSTER_ENDPOINTS = 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment';

/** An endpoint as an Envoy is told of it: no labels, no account, no network. */
export type ClusterEndpoint = {
  readonly addresses: readonly string[];
  /** 0 for a unix socket. */
  readonly port: number;
  readonly locality: string;
  readonly weight: number;
  readonly tlsMode: string;
  readonly health: Health;
  /** Absent where the server does not say. */
  readonly workload?: WorkloadName;
};

/** The endpoints of one port of one service. */
export type ClusterEndpoints = { readonly cluster: string; readonly endpoints: readonly ClusterEndpoint[] };

/** Of endpoints with their health, Kubernetes registries publish these; so does this one. */
export function isPublished({ health }: ClusterEndpoint): boolean {
  return health === 'Healthy' || health === 'Draining';
}

/** How istiod names the cluster of a service's port (istio pilot/pkg/model, BuildSubsetKey). */
export function clusterName(hostname: string, port: number): string {
  return `outbound|${port}||${hostname}`;
}

/** What snapshots and unreadable clusters name as their source. */
export function clusterSource(cluster: string): string {
  return `ClusterLoadAssignment/${cluster}`;
}

const addressSchema = z
  .object({
    socketAddress: z.object({ address: z.string(), portValue: z.number().default(0) }).optional(),
    pipe: z.object({ path: z.string() }).optional(),
  })
  .transform(({ socketAddress, pipe }, context) => {
    if (socketAddress) return { address: socketAddress.address, port: socketAddress.portValue };
    if (pipe) return { address: pipe.path, port: 0 };
    context.addIssue({ code: 'custom', message: 'an endpoint has no address, or one of a kind that is not known' });
    return z.NEVER;
  });

const structSchema = z.object({ fields: z.record(z.string(), z.object({ stringValue: z.string().optional() })) });

const assignmentSchema = z.object({
  clusterName: z.string().min(1),
  endpoints: z.array(
    z.object({
      locality: z.object({ region: z.string(), zone: z.string(), subZone: z.string() }).optional(),
      lbEndpoints: z.array(
        z.object({
          endpoint: z.object({
            address: addressSchema,
            additionalAddresses: z.array(z.object({ address: addressSchema })),
          }),
          healthStatus: z.union([z.string(), z.number()]),
          metadata: z.object({ filterMetadata: z.record(z.string(), structSchema) }).optional(),
          loadBalancingWeight: z.object({ value: z.number() }).optional(),
        }),
      ),
    }),
  ),
});

type Assignment = z.output<typeof assignmentSchema>;
type LbEndpoint = Assignment['endpoints'][number]['lbEndpoints'][number];

/** @throws when the message is none, or an endpoint in it has no usable address. */
export function decodeClusterEndpoints({ value }: EncodedMessage): ClusterEndpoints {
  const assignment = assignmentSchema.parse(decodeXdsMessage('envoy.config.endpoint.v3.ClusterLoadAssignment', value));
  return {
    cluster: assignment.clusterName,
    endpoints: assignment.endpoints.flatMap(({ locality, lbEndpoints }) =>
      lbEndpoints.map((endpoint) => clusterEndpoint(endpoint, localityText(locality))),
    ),
  };
}

function clusterEndpoint(endpoint: LbEndpoint, locality: string): ClusterEndpoint {
  const { address, additionalAddresses } = endpoint.endpoint;
  const workload = workloadOf(textOf(endpoint, 'istio', 'workload'));
  return {
    addresses: [address.address, ...additionalAddresses.map((additional) => additional.address.address)],
    port: address.port,
    locality,
    weight: endpoint.loadBalancingWeight?.value ?? 0,
    tlsMode: textOf(endpoint, 'envoy.transport_socket_match', 'tlsMode') ?? 'disabled',
    health: healthOf(endpoint.healthStatus),
    ...(workload === undefined ? {} : { workload }),
  };
}

/** `region/zone/subzone`; istiod takes a locality label apart and leaves empty what it does not have. */
function localityText(locality: Assignment['endpoints'][number]['locality']): string {
  if (locality === undefined) return '';
  const { region, zone, subZone } = locality;
  return `${region}/${zone}/${subZone}` === '//' ? '' : `${region}/${zone}/${subZone}`;
}

function textOf({ metadata }: LbEndpoint, filter: string, field: string): string | undefined {
  return metadata?.filterMetadata[filter]?.fields[field]?.stringValue ?? undefined;
}

/** `name;namespace;canonical-name;canonical-revision;cluster` (istio pilot/pkg/networking/util, AppendLbEndpointMetadata). */
function workloadOf(text: string | undefined): WorkloadName | undefined {
  const [name = '', namespace = ''] = (text ?? '').split(';');
  return name === '' || namespace === '' ? undefined : { name, namespace };
}

function healthOf(status: string | number): Health {
  switch (status) {
    case 'UNHEALTHY':
    case 'TIMEOUT':
      return 'UnHealthy';
    case 'DRAINING':
      return 'Draining';
    default:
      return 'Healthy';
  }
}
