import * as z from 'zod';

import type { Istiod } from '../istiod/start-istiod';
import { sendRequest } from '../processes/send-request';
import {
  comparableLabels,
  sortedEndpoints,
  sortedRecord,
  type ComparableCatalog,
  type ComparableEndpoint,
} from './comparable';

/** `model.Resolution`, `model.HealthStatus` and `model.TrafficDistribution` by their numbers. */
const RESOLUTIONS = ['ClientSideLB', 'DNSLB', 'Passthrough', 'DNSRoundRobinLB', 'Alias', 'DynamicDNS'];
const HEALTH = ['Healthy', 'Healthy', 'UnHealthy', 'Draining', 'Terminating'];
const DISTRIBUTIONS = ['', 'PreferSameZone', 'PreferSameNode'];

const texts = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const record = z.record(z.string(), z.string()).nullish();
const addressMap = z.object({ Addresses: z.record(z.string(), z.array(z.string())).nullish() }).optional();

const SERVICE = z.object({
  hostname: z.string(),
  defaultAddress: z.string(),
  clusterVIPs: addressMap,
  ports: z.array(z.object({ name: z.string().default(''), port: z.number(), protocol: z.string() })).nullish(),
  serviceAccounts: texts,
  Resolution: z.number(),
  MeshExternal: z.boolean(),
  Attributes: z.object({
    ServiceRegistry: z.string(),
    Namespace: z.string(),
    Labels: record,
    ExportTo: z.record(z.string(), z.unknown()).nullish(),
    LabelSelectors: record,
    ClusterExternalAddresses: addressMap,
    ClusterExternalPorts: z.record(z.string(), z.record(z.string(), z.number())).nullish(),
    Type: z.string(),
    ExternalName: z.string(),
    NodeLocal: z.boolean(),
    TrafficDistribution: z.number(),
    PublishNotReadyAddresses: z.boolean(),
  }),
});

const ENDPOINT = z.object({
  Labels: record,
  Addresses: z.array(z.string()),
  ServicePortName: z.string(),
  ServiceAccount: z.string(),
  Network: z.string(),
  Locality: z.object({ Label: z.string() }),
  EndpointPort: z.number(),
  LbWeight: z.number(),
  TLSMode: z.string(),
  Namespace: z.string(),
  WorkloadName: z.string(),
  HostName: z.string(),
  SubDomain: z.string(),
  HealthStatus: z.number(),
  NodeName: z.string(),
});

const SHARDS = z.record(
  z.string(),
  z.record(z.string(), z.object({ Shards: z.record(z.string(), z.array(ENDPOINT).nullable()) })),
);

/** What istiod made of the objects of one provider: its services and endpoints as its debug pages tell them. */
export async function istiodCatalog(istiod: Istiod, provider: 'Kubernetes' | 'External'): Promise<ComparableCatalog> {
  const services = z.array(SERVICE).parse(await debugPage(istiod, 'registryz'));
  const shards = SHARDS.parse(await debugPage(istiod, 'endpointShardz'));
  return new Map(
    services
      .filter(({ Attributes: { ServiceRegistry } }) => ServiceRegistry === provider)
      .map((service) => {
        const namespace = service.Attributes.Namespace;
        const ofProvider = Object.entries(shards[service.hostname]?.[namespace]?.Shards ?? {}).filter(([shard]) =>
          shard.startsWith(`${provider}/`),
        );
        const endpoints = ofProvider.flatMap(([, list]) => list ?? []).map(comparableEndpoint);
        return [
          `${namespace}/${service.hostname}`,
          { service: comparableService(service), endpoints: sortedEndpoints(endpoints) },
        ] as const;
      }),
  );
}

function comparableService(service: z.infer<typeof SERVICE>) {
  const { Attributes: attributes } = service;
  return {
    ports: (service.ports ?? [])
      .map(
        ({ name, port, protocol }) =>
          `${port}/${protocol === 'UnsupportedProtocol' ? 'Unsupported' : protocol}/${name}`,
      )
      .sort(),
    address: service.defaultAddress,
    vips: Object.values(service.clusterVIPs?.Addresses ?? {}).flat(),
    resolution: RESOLUTIONS[service.Resolution] ?? String(service.Resolution),
    meshExternal: service.MeshExternal,
    accounts: [...new Set(service.serviceAccounts)].sort(),
    exportTo: Object.keys(attributes.ExportTo ?? {}).sort(),
    labels: sortedRecord(attributes.Labels),
    selector: sortedRecord(attributes.LabelSelectors),
    externalAddresses: Object.values(attributes.ClusterExternalAddresses?.Addresses ?? {}).flat(),
    type: attributes.Type,
    externalName: attributes.ExternalName,
    nodeLocal: attributes.NodeLocal,
    trafficDistribution: DISTRIBUTIONS[attributes.TrafficDistribution] ?? '',
    publishNotReady: attributes.PublishNotReadyAddresses,
    nodePorts: Object.values(attributes.ClusterExternalPorts ?? {})
      .flatMap((ports) => Object.entries(ports).map(([port, node]) => `${port}:${node}`))
      .sort(),
  };
}

function comparableEndpoint(endpoint: z.infer<typeof ENDPOINT>): ComparableEndpoint {
  return {
    addresses: endpoint.Addresses,
    port: endpoint.EndpointPort,
    servicePort: endpoint.ServicePortName,
    labels: comparableLabels(endpoint.Labels),
    locality: endpoint.Locality.Label,
    network: endpoint.Network,
    weight: endpoint.LbWeight,
    tlsMode: endpoint.TLSMode,
    account: endpoint.ServiceAccount,
    health: HEALTH[endpoint.HealthStatus] ?? String(endpoint.HealthStatus),
    namespace: endpoint.Namespace,
    workload: endpoint.WorkloadName,
    hostname: endpoint.HostName,
    subdomain: endpoint.SubDomain,
    node: endpoint.NodeName,
  };
}

async function debugPage(istiod: Istiod, page: string): Promise<unknown> {
  const { status, body } = await sendRequest({ url: `${istiod.url}/debug/${page}` });
  if (status !== 200) throw new Error(`/debug/${page} answered ${status}: ${body}`);
  return JSON.parse(body);
}
