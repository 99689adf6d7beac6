import { canonicalCidr, isIp } from '../../model/ip-address';
import { isHttp, parseProtocol, PROTOCOLS } from '../../model/protocol';
import { faultOfDomainName, faultOfWildcardDomain, isDnsLabel } from './dns-name';
import type { EntryPort, ServiceEntrySpec } from './entry-schema';
import { showValue, type Problem } from './problem';
import { serviceEntryNotes, type JudgedEntry } from './service-entry-notes';
import { PORT_NAME, portNumberProblems, problemIf, problemOfFault, repetitions, type Validation } from './validation';
import { validateDnsEndpoint, validateStaticEndpoint } from './validate-workload-entry';

const WAYPOINT_LABEL = 'istio.io/use-waypoint';

/**
 * The rules for a ServiceEntry (Istio pkg/config/validation, ValidateServiceEntry, and the CEL rules of its CRD). What
 * Istio only warns of is a note.
 */
export function validateServiceEntry(entry: JudgedEntry): Validation {
  const { spec } = entry;
  const endpoints = validateEndpoints(spec);
  return {
    problems: [
      ...hostProblems(spec),
      ...addressProblems(spec),
      ...spec.ports.flatMap(portProblems),
      ...repeatedPortProblems(spec),
      ...selectorProblems(spec),
      ...endpoints.problems,
      ...dynamicDnsProblems(entry),
      ...severalHostsProblems(spec),
      ...exportToProblems(entry),
    ],
    notes: [...serviceEntryNotes(entry), ...endpoints.notes],
  };
}

function hostProblems({ hosts, resolution, endpoints }: ServiceEntrySpec): readonly Problem[] {
  const path = ['spec', 'hosts'];
  const asNames = (resolution === 'DNS' || resolution === 'DNS_ROUND_ROBIN') && endpoints.length === 0;
  return [
    ...problemIf(hosts.length === 0, path, hosts, 'must have at least one host'),
    ...hosts.flatMap((host, index) => {
      const at = [...path, index];
      if (host === '*') {
        return [{ path: at, value: host, rule: 'must not be a wildcard alone ("*.example.com" is allowed)' }];
      }
      const fault = faultOfWildcardDomain(host);
      if (fault !== undefined) return problemOfFault(fault, at, host);
      const unresolvable = asNames && faultOfDomainName(host) !== undefined;
      return problemIf(
        unresolvable,
        at,
        host,
        `must be a full domain name with resolution ${resolution} and no endpoints`,
      );
    }),
  ];
}

function addressProblems({ addresses, resolution }: ServiceEntrySpec): readonly Problem[] {
  const cidrAllowed = resolution === 'NONE' || resolution === 'STATIC';
  return addresses.flatMap((address, index) => {
    const at = ['spec', 'addresses', index];
    const wrong = !isIp(address) && canonicalCidr(address) === undefined;
    return [
      ...problemIf(wrong, at, address, 'must be an IP address or a CIDR block'),
      ...problemIf(
        address.includes('/') && !cidrAllowed,
        at,
        address,
        `must be an IP address with resolution ${resolution} (CIDR blocks go with NONE and STATIC only)`,
      ),
    ];
  });
}

function portProblems(port: EntryPort, index: number): readonly Problem[] {
  const path = ['spec', 'ports', index];
  const known = PROTOCOLS.filter((protocol) => protocol !== 'Unsupported').join(', ');
  return [
    ...portNumberProblems([...path, 'number'], port.number),
    ...problemIf(!isDnsLabel(port.name), [...path, 'name'], port.name, `must be ${PORT_NAME}`),
    ...problemIf(
      port.protocol !== '' && parseProtocol(port.protocol) === undefined,
      [...path, 'protocol'],
      port.protocol,
      `must be empty or one of ${known}, in any case`,
    ),
    ...(port.targetPort === 0 ? [] : portNumberProblems([...path, 'targetPort'], port.targetPort)),
  ];
}

function repeatedPortProblems({ ports }: ServiceEntrySpec): readonly Problem[] {
  return [
    ...repetitions(ports.map(({ name }) => name)).map(({ index, value }) => ({
      path: ['spec', 'ports', index, 'name'],
      value,
      rule: 'must be unique within the entry',
    })),
    ...repetitions(ports.map(({ number }) => number)).map(({ index, value }) => ({
      path: ['spec', 'ports', index, 'number'],
      value,
      rule: 'must be unique within the entry',
    })),
  ];
}

function selectorProblems({ workloadSelector, endpoints }: ServiceEntrySpec): readonly Problem[] {
  if (workloadSelector === undefined) return [];
  const path = ['spec', 'workloadSelector', 'labels'];
  return [
    ...problemIf(
      endpoints.length > 0,
      ['spec', 'workloadSelector'],
      workloadSelector,
      'must not be given together with endpoints',
    ),
    ...Object.entries(workloadSelector.labels).flatMap(([key, value]) => [
      ...problemIf(key === '', [...path, key], value, 'must have a name'),
      ...problemIf(`${key}${value}`.includes('*'), [...path, key], value, 'must not hold a wildcard'),
    ]),
  ];
}

function validateEndpoints({ resolution, endpoints, ports }: ServiceEntrySpec): Validation {
  const path = ['spec', 'endpoints'];
  const names = ports.map(({ name }) => name);
  switch (resolution) {
    case 'NONE':
    case 'DYNAMIC_DNS':
      return {
        problems: problemIf(endpoints.length > 0, path, endpoints, `must not be given with resolution ${resolution}`),
        notes: [],
      };
    case 'STATIC': {
      const each = endpoints.map((endpoint, index) => validateStaticEndpoint([...path, index], endpoint, names));
      return {
        problems: each.flatMap(({ problems }) => problems),
        notes: each.flatMap(({ notes }) => notes),
      };
    }
    case 'DNS':
    case 'DNS_ROUND_ROBIN': {
      const tooMany = resolution === 'DNS_ROUND_ROBIN' && endpoints.length > 1;
      return {
        problems: [
          ...problemIf(tooMany, path, endpoints, 'must have at most one endpoint with resolution DNS_ROUND_ROBIN'),
          ...endpoints.flatMap((endpoint, index) => validateDnsEndpoint([...path, index], endpoint, names)),
        ],
        notes: [],
      };
    }
  }
}

/** What Envoy's dynamic forward proxy can do (Istio buildOutboundClusters). */
const DYNAMIC_PROTOCOLS: readonly string[] = ['HTTP', 'HTTP2', 'GRPC', 'TLS'];

function dynamicDnsProblems({ labels, spec }: JudgedEntry): readonly Problem[] {
  if (spec.resolution !== 'DYNAMIC_DNS') return [];
  const waypoint = labels[WAYPOINT_LABEL] ?? '';
  return [
    ...spec.hosts.flatMap((host, index) =>
      problemIf(
        !host.startsWith('*'),
        ['spec', 'hosts', index],
        host,
        'must be a wildcard with resolution DYNAMIC_DNS',
      ),
    ),
    ...problemIf(
      spec.addresses.length > 0,
      ['spec', 'addresses'],
      spec.addresses,
      'must not be given with resolution DYNAMIC_DNS',
    ),
    ...spec.ports.flatMap(({ protocol }, index) =>
      problemIf(
        !DYNAMIC_PROTOCOLS.includes(parseProtocol(protocol) ?? ''),
        ['spec', 'ports', index, 'protocol'],
        protocol,
        `must be one of ${DYNAMIC_PROTOCOLS.join(', ')} with resolution DYNAMIC_DNS`,
      ),
    ),
    ...problemIf(
      spec.location === 'MESH_INTERNAL' && waypoint !== '' && waypoint.toLowerCase() !== 'none',
      ['metadata', 'labels', WAYPOINT_LABEL],
      waypoint,
      'must not be given with resolution DYNAMIC_DNS and location MESH_INTERNAL',
    ),
  ];
}

/** HTTP has its Host header and TLS its SNI; plain TCP cannot tell hosts apart. */
function severalHostsProblems({ hosts, ports, resolution }: ServiceEntrySpec): readonly Problem[] {
  if (hosts.length < 2 || resolution === 'NONE') return [];
  return ports.flatMap(({ protocol }, index) =>
    problemIf(
      !tellsHostsApart(protocol),
      ['spec', 'ports', index, 'protocol'],
      protocol,
      `must be an HTTP or TLS protocol, since there are ${hosts.length} hosts`,
    ),
  );
}

function tellsHostsApart(protocol: string): boolean {
  const parsed = parseProtocol(protocol);
  return parsed !== undefined && (isHttp(parsed) || parsed === 'HTTPS' || parsed === 'TLS');
}

const EVERYWHERE = '*';
const NOWHERE = '~';
const OWN_NAMESPACE = '.';

function exportToProblems({ namespace, spec: { exportTo } }: JudgedEntry): readonly Problem[] {
  const path = ['spec', 'exportTo'];
  const namespaces = exportTo.map((name) => (name === OWN_NAMESPACE ? namespace : name));
  const alone = exportTo.length === 1;
  return [
    ...exportTo.flatMap((name, index) =>
      problemIf(
        ![EVERYWHERE, NOWHERE, OWN_NAMESPACE].includes(name) && !isDnsLabel(name),
        [...path, index],
        name,
        'must be a namespace, ".", "*" or "~"',
      ),
    ),
    ...repetitions(namespaces).map(({ index }) => ({
      path: [...path, index],
      value: exportTo[index],
      rule: 'must not name a namespace twice ("." is the own one)',
    })),
    ...[EVERYWHERE, NOWHERE].flatMap((name) =>
      problemIf(exportTo.includes(name) && !alone, path, exportTo, `must hold ${showValue(name)} alone`),
    ),
  ];
}
