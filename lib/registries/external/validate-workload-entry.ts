import { isIp, isUnixAddress } from '../../model/ip-address';
import type { Note } from '../../model/note';
import { faultOfDomainName, faultOfLabelPair, isDnsLabel } from './dns-name';
import { UNIX_PREFIX, type WorkloadEntry } from './entries';
import type { WorkloadEntrySpec } from './entry-schema';
import { formatPath, type Path, type Problem } from './problem';
import { PORT_NAME, portNumberProblems, problemIf, problemOfFault, type Validation } from './validation';

/** The rules for a WorkloadEntry (Istio pkg/config/validation, validateWorkloadEntry). */
export function validateWorkloadEntry(entry: Pick<WorkloadEntry, 'spec'>): Validation {
  const path = ['spec'];
  return {
    problems: [
      ...addressProblems(path, entry.spec, 'anything'),
      ...portProblems(path, entry.spec, undefined),
      ...labelProblems(path, entry.spec),
    ],
    notes: addressNotes(path, entry.spec),
  };
}

/** The rules for an endpoint of a STATIC ServiceEntry: an IP or a unix socket, and only ports that the service has. */
export function validateStaticEndpoint(
  path: Path,
  spec: WorkloadEntrySpec,
  servicePorts: readonly string[],
): Validation {
  const unix = spec.address.startsWith(UNIX_PREFIX);
  const onePort = `must not be a unix socket: that takes exactly one service port, and there are ${servicePorts.length}`;
  return {
    problems: [
      ...addressProblems(path, spec, 'ip-or-unix'),
      ...problemIf(unix && servicePorts.length !== 1, [...path, 'address'], spec.address, onePort),
      ...portProblems(path, spec, servicePorts),
      ...labelProblems(path, spec),
    ],
    notes: addressNotes(path, spec),
  };
}

/** The rules for an endpoint of a ServiceEntry that is resolved by DNS: an IP or a domain name. */
export function validateDnsEndpoint(
  path: Path,
  spec: WorkloadEntrySpec,
  servicePorts: readonly string[],
): readonly Problem[] {
  const wrong = !isIp(spec.address) && faultOfDomainName(spec.address) !== undefined;
  return [
    ...problemIf(wrong, [...path, 'address'], spec.address, 'must be an IP address or a domain name'),
    ...portProblems(path, spec, servicePorts),
    ...labelProblems(path, spec),
  ];
}

function addressProblems(
  path: Path,
  { address, network, ports }: WorkloadEntrySpec,
  allowed: 'anything' | 'ip-or-unix',
): readonly Problem[] {
  const at = [...path, 'address'];
  if (address === '') return problemIf(network === '', at, undefined, 'must be given unless a network is');
  if (address.startsWith(UNIX_PREFIX)) {
    const socket = isSocketPath(address.slice(UNIX_PREFIX.length));
    return [
      ...problemIf(!socket, at, address, 'must be unix:// and the absolute path of a socket, or unix://@ and a name'),
      ...problemIf(
        Object.keys(ports).length > 0,
        [...path, 'ports'],
        ports,
        'must not be given: a unix socket has no ports',
      ),
    ];
  }
  if (isIp(address)) return [];
  if (allowed === 'ip-or-unix') {
    return [{ path: at, value: address, rule: 'must be an IP address or a unix:// socket with resolution STATIC' }];
  }
  const wrong = faultOfDomainName(address) !== undefined;
  return problemIf(wrong, at, address, 'must be an IP address, a domain name or a unix:// socket');
}

function isSocketPath(path: string): boolean {
  return isUnixAddress(path) && (path.startsWith('@') || !path.endsWith('/'));
}

function portProblems(
  path: Path,
  { ports }: WorkloadEntrySpec,
  servicePorts: readonly string[] | undefined,
): readonly Problem[] {
  return Object.entries(ports).flatMap(([name, number]) => {
    const at = [...path, 'ports', name];
    const unknown = servicePorts !== undefined && !servicePorts.includes(name);
    const known = servicePorts === undefined || servicePorts.length === 0 ? 'it has none' : servicePorts.join(', ');
    return [
      ...problemIf(unknown, at, number, `must have the name of a port of the service: ${known}`),
      ...problemIf(!isDnsLabel(name), at, number, `must have ${PORT_NAME}`),
      ...portNumberProblems(at, number),
    ];
  });
}

function labelProblems(path: Path, { labels }: WorkloadEntrySpec): readonly Problem[] {
  return Object.entries(labels).flatMap(([key, value]) =>
    problemOfFault(faultOfLabelPair(key, value), [...path, 'labels', key], value),
  );
}

function addressNotes(path: Path, { address, network }: WorkloadEntrySpec): readonly Note[] {
  if (address !== '' || network === '') return [];
  const message = `${formatPath([...path, 'address'])} is missing: only the gateway of network ${JSON.stringify(network)} reaches it`;
  return [{ code: 'EndpointWithoutAddress', message }];
}
