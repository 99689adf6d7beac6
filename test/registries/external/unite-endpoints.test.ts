import { makeService, type Resolution } from '../../../lib/model/service';
import { uniteEndpoints, type EndpointClaim } from '../../../lib/registries/external/unite-endpoints';
import { endpoint } from '../../support/stored-snapshots';
import { serviceEntry } from '../../support/external-entries';

const A = serviceEntry('a', {});
const B = serviceEntry('b', {});

const claim = (entry: typeof A, address: string, more: Partial<EndpointClaim> = {}): EndpointClaim => ({
  entry,
  port: 'TCP/80',
  endpoint: endpoint(address),
  ...more,
});

function united(resolution: Resolution, ...claims: readonly EndpointClaim[]) {
  const service = makeService({ namespace: 'shop', hostname: 'cart.example.com', ports: [], resolution });
  const { endpoints, conflicts, notes } = uniteEndpoints('External/shared', service, claims);
  return { addresses: endpoints.map(({ addresses }) => addresses.join()), conflicts, notes };
}

describe('endpoints of all entries', () => {
  test('are united, in order', () => {
    expect(united('ClientSideLB', claim(A, '10.0.0.2'), claim(B, '10.0.0.1'))).toEqual({
      addresses: ['10.0.0.2', '10.0.0.1'],
      conflicts: [],
      notes: [],
    });
  });

  test('count once when two entries bring the same one', () => {
    expect(united('DNSLB', claim(A, '10.0.0.1'), claim(B, '10.0.0.1')).addresses).toEqual(['10.0.0.1']);
  });

  test.each([
    ['port', endpoint('10.0.0.1', { port: 1 })],
    ['weight', endpoint('10.0.0.1', { weight: 7 })],
    ['workload', endpoint('10.0.0.1', { workload: { namespace: 'shop', name: 'x' } })],
    ['service port', endpoint('10.0.0.1', { servicePort: 'x' })],
  ])('stay two when they differ in their %s', (_field, other) => {
    expect(united('ClientSideLB', claim(A, '10.0.0.1'), claim(B, '', { endpoint: other })).addresses).toEqual([
      '10.0.0.1',
      '10.0.0.1',
    ]);
  });

  test('are none of none', () => {
    expect(united('ClientSideLB')).toEqual({ addresses: [], conflicts: [], notes: [] });
    expect(united('DNSRoundRobinLB')).toEqual({ addresses: [], conflicts: [], notes: [] });
  });
});

describe('a round robin over DNS', () => {
  const side = (source: string, value: readonly string[]) => ({ registry: 'External/shared', source, value });

  test('keeps one endpoint a port number, the first', () => {
    expect(united('DNSRoundRobinLB', claim(A, 'a.com'), claim(A, 'b.com', { port: 'TCP/81' }))).toEqual({
      addresses: ['a.com', 'b.com'],
      conflicts: [],
      notes: [],
    });
  });

  test('records what other entries would have', () => {
    expect(united('DNSRoundRobinLB', claim(A, 'a.com'), claim(B, 'b.com'))).toEqual({
      addresses: ['a.com'],
      conflicts: [
        {
          type: 'EndpointResolutionConflict',
          field: 'endpoints/TCP/80',
          winner: side('a.yaml#a', ['a.com']),
          losers: [side('b.yaml#b', ['b.com'])],
        },
      ],
      notes: [],
    });
  });

  test('has a note for what its own entry has too much', () => {
    expect(united('DNSRoundRobinLB', claim(A, 'a.com'), claim(A, 'b.com'), claim(A, 'c.com'))).toEqual({
      addresses: ['a.com'],
      conflicts: [],
      notes: [
        {
          code: 'RoundRobinSurplus',
          message:
            'Service shop/cart.example.com is resolved round robin over DNS and takes one endpoint for TCP/80: 2 of 3 are left out',
        },
      ],
    });
  });
});
