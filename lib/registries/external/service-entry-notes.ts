import type { Note } from '../../model/note';
import { parseProtocol } from '../../model/protocol';
import type { ServiceEntry } from './entries';
import type { EntryPort, ServiceEntrySpec } from './entry-schema';
import { formatPath, showValue } from './problem';

/** Label that opts out of allocated virtual IPs. */
const AUTOALLOCATE_LABEL = 'networking.istio.io/enable-autoallocate-ip';

/** What an entry is judged by. */
export type JudgedEntry = Pick<ServiceEntry, 'namespace' | 'labels' | 'spec'>;

/** What Istio's validation only warns of: entries that work, but probably not as they were meant. */
export function serviceEntryNotes(entry: JudgedEntry): readonly Note[] {
  return [...hostNotes(entry.spec), ...addressNotes(entry), ...selectorNotes(entry.spec)];
}

/** Whether a control plane may give the entry's hosts virtual IPs (Istio ShouldV2AutoAllocateIP). */
export function mayHaveAllocatedAddresses({ labels, spec }: JudgedEntry): boolean {
  return (
    spec.resolution !== 'NONE' && labels[AUTOALLOCATE_LABEL]?.toLowerCase() !== 'false' && spec.addresses.length === 0
  );
}

function hostNotes({ hosts, resolution }: ServiceEntrySpec): readonly Note[] {
  if (resolution === 'DYNAMIC_DNS') return [];
  return hosts.flatMap((host, index) => {
    if (!host.startsWith('*') || host === '*' || host.startsWith('*.')) return [];
    const where = formatPath(['spec', 'hosts', index]);
    const message = `${where} is ${showValue(host)}: Istio does not match partial wildcards, only "*." and a domain`;
    return [{ code: 'PartialWildcardHost', message }];
  });
}

function addressNotes(entry: JudgedEntry): readonly Note[] {
  const { hosts, addresses, ports, resolution } = entry.spec;
  const tcp = ports.find(({ protocol }) => protocol === '' || protocol === 'TCP');
  const unaddressed = tcp !== undefined && addresses.length === 0 && !mayHaveAllocatedAddresses(entry);
  const byName = resolution === 'DNS' || resolution === 'DNS_ROUND_ROBIN';
  const ambiguous = byName && hosts.length > 1 && addresses.length > 0 && ports.some(isTcp);
  return [
    ...(unaddressed
      ? [
          {
            code: 'TcpWithoutAddress',
            message: `spec.addresses is empty, but port ${tcp.number} is TCP: without an address it takes all traffic to that port`,
          },
        ]
      : []),
    ...(ambiguous
      ? [
          {
            code: 'SeveralHostsOnTcp',
            message: `spec.hosts has ${hosts.length} hosts with addresses and a TCP port: traffic cannot be told apart by host`,
          },
        ]
      : []),
  ];
}

/** Istio `Instance.IsTCP`: TCP and what runs on it without being HTTP. */
function isTcp({ protocol }: EntryPort): boolean {
  switch (parseProtocol(protocol)) {
    case 'TCP':
    case 'HTTPS':
    case 'TLS':
    case 'Mongo':
    case 'Redis':
    case 'MySQL':
      return true;
    default:
      return false;
  }
}

function selectorNotes({ workloadSelector, resolution }: ServiceEntrySpec): readonly Note[] {
  if (workloadSelector === undefined) return [];
  const notes: readonly (Note & { readonly applies: boolean })[] = [
    {
      applies: Object.keys(workloadSelector.labels).length === 0,
      code: 'EmptySelector',
      message: 'spec.workloadSelector has no labels and so selects every workload of the namespace',
    },
    {
      applies: resolution === 'NONE',
      code: 'SelectorWithoutResolution',
      message: 'spec.workloadSelector goes with resolution STATIC or DNS, not NONE',
    },
    {
      applies: resolution === 'DYNAMIC_DNS',
      code: 'SelectorWithoutResolution',
      message: 'spec.workloadSelector has no effect with resolution DYNAMIC_DNS',
    },
  ];
  return notes.filter(({ applies }) => applies).map(({ code, message }) => ({ code, message }));
}
