import { canonicalCidr, canonicalIp, NO_ADDRESS, singleIpOfCidr } from '../../model/ip-address';
import { makePort, portKey, type Port } from '../../model/port';
import { parseProtocol } from '../../model/protocol';
import { makeService, type Resolution, type Service, type ServiceAttributes } from '../../model/service';
import { canonicalHostname } from '../../model/service-key';
import type { ServiceEntry } from './entries';
import type { EntryPort, EntryResolution } from './entry-schema';
import { mayHaveAllocatedAddresses } from './service-entry-notes';

const RESOLUTION: Readonly<Record<EntryResolution, Resolution>> = {
  NONE: 'Passthrough',
  STATIC: 'ClientSideLB',
  DNS: 'DNSLB',
  DNS_ROUND_ROBIN: 'DNSRoundRobinLB',
  DYNAMIC_DNS: 'DynamicDNS',
};

/** How clients reach a service of that resolution (Istio serviceentry/conversion.go, convertServices). */
export function resolutionOf(entry: ServiceEntry): Resolution {
  return RESOLUTION[entry.spec.resolution];
}

/** A port of an entry; a protocol that is not given, or unknown in an entry that nobody validated, is sniffed. */
export function portOf({ name, number, protocol }: EntryPort): Port {
  return makePort({ name, number, protocol: parseProtocol(protocol) ?? 'Unsupported' });
}

/**
 * The service that one entry makes of one of its hosts. Istio makes one of each host and address; here a host is one
 * service, with all its addresses in order.
 */
export function serviceOfEntry(entry: ServiceEntry, hostname: string): Service {
  const { spec } = entry;
  const addresses = virtualAddresses(spec.addresses);
  return makeService({
    hostname,
    namespace: entry.namespace,
    address: addresses[0] ?? NO_ADDRESS,
    addresses: addresses.length > 1 ? addresses : [],
    autoAddresses: allocatedAddresses(entry, hostname),
    ports: spec.ports.map(portOf),
    resolution: resolutionOf(entry),
    meshExternal: spec.location === 'MESH_EXTERNAL',
    serviceAccounts: spec.subjectAltNames,
    exportTo: spec.exportTo,
    labels: entry.labels,
    ...(entry.creationTime === undefined ? {} : { creationTime: entry.creationTime }),
    attributes: attributesOf(entry),
  });
}

/** In the entry's order, each once; a CIDR block of full length is an IP. What is neither IP nor CIDR block is passed over, as in Istio. */
function virtualAddresses(addresses: readonly string[]): readonly string[] {
  const canonical = addresses.map((text) => canonicalIp(text) ?? singleIpOfCidr(text) ?? canonicalCidr(text));
  return [...new Set(canonical)].filter((address) => address !== undefined).filter((address) => address !== NO_ADDRESS);
}

function allocatedAddresses(entry: ServiceEntry, hostname: string): readonly string[] {
  if (!mayHaveAllocatedAddresses(entry)) return [];
  return entry.allocatedAddresses
    .filter(({ host }) => canonicalHostname(host) === canonicalHostname(hostname))
    .map(({ value }) => canonicalIp(value))
    .filter((address) => address !== undefined);
}

function attributesOf(entry: ServiceEntry): ServiceAttributes {
  const { workloadSelector } = entry.spec;
  const trafficDistribution = trafficDistributionOf(entry);
  const targets = targetPortsOf(entry);
  return {
    ...(workloadSelector === undefined ? {} : { selector: workloadSelector.labels }),
    ...(trafficDistribution === undefined ? {} : { trafficDistribution }),
    ...(Object.keys(targets).length === 0 ? {} : { passthroughTargetPorts: targets }),
  };
}

/** A service without endpoints of its own keeps the target ports itself (Istio PassthroughTargetPorts). */
function targetPortsOf({ spec }: ServiceEntry): Readonly<Record<string, number>> {
  if (spec.resolution !== 'NONE') return {};
  const targets = spec.ports.filter(({ targetPort }) => targetPort > 0);
  return Object.fromEntries(targets.map((port) => [portKey(portOf(port)), port.targetPort]));
}

const TRAFFIC_DISTRIBUTION_ANNOTATION = 'networking.istio.io/traffic-distribution';

/** Any other value means no preference (Istio GetTrafficDistribution). */
function trafficDistributionOf({ annotations }: ServiceEntry): string | undefined {
  switch (annotations[TRAFFIC_DISTRIBUTION_ANNOTATION]?.toLowerCase()) {
    case 'preferclose':
    case 'prefersamezone':
      return 'PreferSameZone';
    case 'prefersamenode':
      return 'PreferSameNode';
    default:
      return undefined;
  }
}
