import type { ServiceSnapshot } from '../../../../lib/model/service-snapshot';
import { comparableLabels, sortedEndpoints, sortedRecord, type ComparableCatalog } from './comparable';

/** Our snapshots in the words of the comparison. */
export function ownCatalog(snapshots: Iterable<ServiceSnapshot>): ComparableCatalog {
  return new Map([...snapshots].map((snapshot) => [snapshot.key, comparable(snapshot)]));
}

function comparable({ service, endpoints }: ServiceSnapshot) {
  const { attributes } = service;
  return {
    service: {
      ports: service.ports.map(({ name, number, protocol }) => `${number}/${protocol}/${name}`).sort(),
      address: service.address,
      vips: Object.values(service.clusterVips).flat(),
      resolution: service.resolution,
      meshExternal: service.meshExternal,
      accounts: service.serviceAccounts,
      exportTo: service.exportTo,
      labels: sortedRecord(service.labels),
      selector: sortedRecord(attributes.selector),
      externalAddresses: Object.values(service.externalAddresses).flat(),
      type: attributes.type ?? '',
      externalName: attributes.externalName ?? '',
      nodeLocal: attributes.internalTrafficPolicy === 'Local',
      trafficDistribution: attributes.trafficDistribution ?? '',
      publishNotReady: attributes.publishNotReadyAddresses ?? false,
      nodePorts: Object.entries(attributes.nodePorts ?? {})
        .map(([port, node]) => `${port.replace(/^.*\//, '')}:${node}`)
        .sort(),
    },
    endpoints: sortedEndpoints(
      endpoints.map((endpoint) => ({
        addresses: endpoint.addresses,
        port: endpoint.port,
        servicePort: endpoint.servicePort,
        labels: comparableLabels(endpoint.labels),
        locality: endpoint.locality,
        network: endpoint.network,
        weight: endpoint.weight,
        tlsMode: endpoint.tlsMode,
        account: endpoint.serviceAccount,
        health: endpoint.health,
        namespace: endpoint.workload.namespace,
        workload: endpoint.workload.name,
        hostname: endpoint.hostname ?? '',
        subdomain: endpoint.subdomain ?? '',
        node: endpoint.node ?? '',
      })),
    ),
  };
}
