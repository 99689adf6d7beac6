import { mayHaveAllocatedAddresses, serviceEntryNotes } from '../../../lib/registries/external/service-entry-notes';
import { HTTP_PORT, serviceEntry } from '../../support/external-entries';

const HOST = { hosts: ['cart.example.com'], resolution: 'STATIC' };
const TCP_PORT = { name: 'tcp', number: 9000, protocol: 'TCP' };
const OPTED_OUT = { labels: { 'networking.istio.io/enable-autoallocate-ip': 'False' } };

const notesOf = (spec: Readonly<Record<string, unknown>>, metadata: Readonly<Record<string, unknown>> = {}) =>
  serviceEntryNotes(serviceEntry('cart', spec, { metadata }));

const PARTIAL = 'Istio does not match partial wildcards, only "*." and a domain';
const AMBIGUOUS = 'spec.hosts has 2 hosts with addresses and a TCP port: traffic cannot be told apart by host';

describe('an entry that is allowed, but hardly meant so, has a note', () => {
  test.each([
    [
      'a partial wildcard',
      { ...HOST, hosts: ['a.com', '*b.com'] },
      [{ code: 'PartialWildcardHost', message: `spec.hosts[1] is "*b.com": ${PARTIAL}` }],
    ],
    [
      'a wildcard with a dash',
      { ...HOST, hosts: ['*-b.com'] },
      [{ code: 'PartialWildcardHost', message: `spec.hosts[0] is "*-b.com": ${PARTIAL}` }],
    ],
    ['no note: a full wildcard', { ...HOST, hosts: ['*.b.com'] }, []],
    ['no note: a wildcard alone, which is a mistake', { ...HOST, hosts: ['*'] }, []],
    ['no note: a partial wildcard that DYNAMIC_DNS can do', { hosts: ['*b.com'], resolution: 'DYNAMIC_DNS' }, []],
    [
      'several hosts on TCP over TLS with addresses',
      {
        hosts: ['a.com', 'b.com'],
        resolution: 'DNS',
        addresses: ['10.0.0.1'],
        ports: [{ ...TCP_PORT, protocol: 'https' }],
      },
      [{ code: 'SeveralHostsOnTcp', message: AMBIGUOUS }],
    ],
    [
      'the same with a round robin',
      {
        hosts: ['a.com', 'b.com'],
        resolution: 'DNS_ROUND_ROBIN',
        addresses: ['10.0.0.1'],
        ports: [HTTP_PORT, TCP_PORT],
      },
      [{ code: 'SeveralHostsOnTcp', message: AMBIGUOUS }],
    ],
    ['no note: one host', { hosts: ['a.com'], resolution: 'DNS', addresses: ['10.0.0.1'], ports: [TCP_PORT] }, []],
    ['no note: no addresses', { hosts: ['a.com', 'b.com'], resolution: 'DNS', ports: [TCP_PORT] }, []],
    [
      'no note: HTTP only',
      {
        hosts: ['a.com', 'b.com'],
        resolution: 'DNS',
        addresses: ['10.0.0.1'],
        ports: [HTTP_PORT, { name: 'u', number: 53, protocol: 'UDP' }],
      },
      [],
    ],
    [
      'no note: resolution STATIC',
      { hosts: ['a.com', 'b.com'], resolution: 'STATIC', addresses: ['10.0.0.1'], ports: [TCP_PORT] },
      [],
    ],
    [
      'a selector without labels',
      { ...HOST, workloadSelector: {} },
      [
        {
          code: 'EmptySelector',
          message: 'spec.workloadSelector has no labels and so selects every workload of the namespace',
        },
      ],
    ],
    [
      'a selector with NONE',
      { ...HOST, resolution: 'NONE', workloadSelector: { labels: { a: 'b' } } },
      [
        {
          code: 'SelectorWithoutResolution',
          message: 'spec.workloadSelector goes with resolution STATIC or DNS, not NONE',
        },
      ],
    ],
    [
      'a selector with DYNAMIC_DNS',
      { ...HOST, resolution: 'DYNAMIC_DNS', workloadSelector: { labels: { a: 'b' } } },
      [
        {
          code: 'SelectorWithoutResolution',
          message: 'spec.workloadSelector has no effect with resolution DYNAMIC_DNS',
        },
      ],
    ],
    ['no note: a selector with labels', { ...HOST, workloadSelector: { labels: { a: 'b' } } }, []],
  ])('%s', (_rule, spec, notes) => {
    expect(notesOf(spec)).toEqual(notes);
  });

  const unaddressed = (number: number) => ({
    code: 'TcpWithoutAddress',
    message: `spec.addresses is empty, but port ${number} is TCP: without an address it takes all traffic to that port`,
  });

  test.each([
    [
      'TCP without an address, where none is allocated',
      { ...HOST, resolution: 'NONE', ports: [HTTP_PORT, TCP_PORT] },
      {},
      [unaddressed(9000)],
    ],
    ['no protocol counts as TCP', { ...HOST, ports: [{ name: 'a', number: 7 }] }, OPTED_OUT, [unaddressed(7)]],
    ['no note: HTTP', { ...HOST, ports: [HTTP_PORT] }, OPTED_OUT, []],
    ['no note: an address', { ...HOST, addresses: ['10.0.0.1'], ports: [TCP_PORT] }, OPTED_OUT, []],
    ['no note: an address may be allocated', { ...HOST, ports: [TCP_PORT] }, {}, []],
  ])('%s', (_rule, spec, metadata, notes) => {
    expect(notesOf(spec, metadata)).toEqual(notes);
  });
});

test.each([
  ['STATIC', {}, [], true],
  ['DNS', {}, [], true],
  ['NONE', {}, [], false],
  ['STATIC', OPTED_OUT, [], false],
  ['STATIC', { labels: { 'networking.istio.io/enable-autoallocate-ip': 'true' } }, [], true],
  ['STATIC', {}, ['10.0.0.1'], false],
])(
  'with resolution %s, metadata %j and addresses %j, may have allocated ones: %p',
  (resolution, metadata, addresses, may) => {
    expect(mayHaveAllocatedAddresses(serviceEntry('cart', { ...HOST, resolution, addresses }, { metadata }))).toBe(may);
  },
);
