import { mergeEndpoints } from '../../lib/aggregation/merge-endpoints';
import { mergePorts } from '../../lib/aggregation/merge-ports';
import type { OrderedSnapshots } from '../../lib/aggregation/order-snapshots';
import type { Endpoint } from '../../lib/model/endpoint';
import type { RegistryId } from '../../lib/model/registry-id';
import type { Resolution, Service } from '../../lib/model/service';
import { endpoint, HTTP, port, storedSnapshot } from '../support/stored-snapshots';

function says(registry: RegistryId, endpoints: readonly Endpoint[], service: Partial<Service> = {}) {
  return storedSnapshot(registry, { endpoints, service });
}

function merge(...ordered: OrderedSnapshots) {
  return mergeEndpoints(ordered, mergePorts(ordered).ports);
}

/** `registry address:port servicePort` of each endpoint. */
function placesOf(...ordered: OrderedSnapshots) {
  return merge(...ordered).endpoints.map(
    (each) => `${each.registry} ${each.addresses.join('+')}:${each.port} ${each.servicePort}`,
  );
}

describe('mergeEndpoints', () => {
  test('unites the endpoints of all registries, each marked with its registry and otherwise as it was', () => {
    const [one, two] = [endpoint('10.0.0.1', { weight: 3, labels: { a: 'b' } }), endpoint('10.0.0.2')];
    expect(merge(says('Kubernetes/a', [one]), says('Consul/dc1', [two]))).toEqual({
      endpoints: [
        { ...two, registry: 'Consul/dc1' },
        { ...one, registry: 'Kubernetes/a' },
      ],
      conflicts: [],
      notes: [],
    });
  });

  test('sorts them by registry, then as in a snapshot', () => {
    expect(
      placesOf(
        says('Kubernetes/b', [endpoint('10.0.0.2'), endpoint('10.0.0.1')]),
        says('Kubernetes/a', [endpoint('10.0.0.3')]),
      ),
    ).toEqual([
      'Kubernetes/a 10.0.0.3:8080 http',
      'Kubernetes/b 10.0.0.1:8080 http',
      'Kubernetes/b 10.0.0.2:8080 http',
    ]);
  });

  describe('ports', () => {
    test('pitfall 13: an endpoint follows the number that its own snapshot gives to the port name', () => {
      expect(
        placesOf(
          says('Kubernetes/a', [endpoint('10.0.0.1')], { ports: [HTTP] }),
          says('Consul/dc1', [endpoint('10.0.0.2')], { ports: [port('http', 8080)] }),
          says('Consul/dc2', [endpoint('10.0.0.3', { servicePort: 'web' })], { ports: [port('web', 80)] }),
        ),
      ).toEqual([
        'Consul/dc1 10.0.0.2:8080 http-8080',
        'Consul/dc2 10.0.0.3:8080 http',
        'Kubernetes/a 10.0.0.1:8080 http',
      ]);
    });

    test('pitfall 37: and the transport', () => {
      const ports = [port('dns', 53, 'UDP'), port('dns-tcp', 53, 'TCP')];
      expect(
        placesOf(
          says('Kubernetes/a', [], { ports: [port('x', 53, 'TCP'), port('y', 53, 'UDP')] }),
          says('Consul/dc1', [endpoint('10.0.0.1', { servicePort: 'dns' })], { ports }),
          says('Consul/dc2', [endpoint('10.0.0.1', { servicePort: 'dns-tcp' })], { ports }),
        ),
      ).toEqual(['Consul/dc1 10.0.0.1:8080 y', 'Consul/dc2 10.0.0.1:8080 x']);
    });

    test('of two ports with one name in a snapshot the first counts', () => {
      expect(
        placesOf(says('MCP/istiod', [endpoint('10.0.0.1')], { ports: [port('http', 80), port('http', 81)] })),
      ).toEqual(['MCP/istiod 10.0.0.1:8080 http']);
    });

    test('an endpoint whose own service has no such port is left out with a note, even if another one has it', () => {
      const other = (last: number) => endpoint(`10.0.0.${last}`, { servicePort: 'admin' });
      const { endpoints, conflicts, notes } = merge(
        says('Kubernetes/a', [], { ports: [HTTP, port('admin', 9090)] }),
        says('Consul/dc1', [
          endpoint('10.0.0.9'),
          other(1),
          other(2),
          other(3),
          endpoint('10.0.0.1', { servicePort: 'x' }),
        ]),
        says('Consul/dc2', [other(1), other(2), other(3), other(4)]),
      );
      expect(endpoints).toEqual([{ ...endpoint('10.0.0.9'), registry: 'Consul/dc1' }]);
      expect(conflicts).toEqual([]);
      expect(notes).toEqual([
        {
          code: 'EndpointPortUnknown',
          message:
            'Endpoints (3: 10.0.0.1, 10.0.0.2, 10.0.0.3) of shop/cart.shop.svc.cluster.local in Consul/dc1 name the port "admin", which the service does not have there; left out',
        },
        {
          code: 'EndpointPortUnknown',
          message:
            'Endpoints (1: 10.0.0.1) of shop/cart.shop.svc.cluster.local in Consul/dc1 name the port "x", which the service does not have there; left out',
        },
        {
          code: 'EndpointPortUnknown',
          message:
            'Endpoints (4: 10.0.0.1, 10.0.0.2, 10.0.0.3, …) of shop/cart.shop.svc.cluster.local in Consul/dc2 name the port "admin", which the service does not have there; left out',
        },
      ]);
    });
  });

  describe('doubles', () => {
    const same = endpoint('10.0.0.1', { network: 'vpc-1' });
    const kubernetes = says('Kubernetes/a', [same]);
    const first = 'Kubernetes/a 10.0.0.1:8080 http';

    test.each([
      [
        'another workload, weight and label',
        { ...same, workload: { namespace: 'x', name: 'y' }, weight: 7, labels: { a: 'b' } },
      ],
      ['a second address', { ...same, addresses: ['10.0.0.1', 'fd00::1'] }],
    ])('are kept once, the first one, whatever else differs (%s)', (_what, double) => {
      expect(placesOf(kubernetes, says('Consul/dc1', [double]))).toEqual([first]);
    });

    test.each([
      ['network', { ...same, network: 'vpc-2' }],
      ['first address', { ...same, addresses: ['10.0.0.2', '10.0.0.1'] }],
      ['port', { ...same, port: 8081 }],
      ['service port', { ...same, servicePort: 'admin' }],
    ])('are none when they differ in %s', (_what, other) => {
      const ports = [HTTP, port('admin', 9090)];
      const places = placesOf(kubernetes, says('Consul/dc1', [other], { ports }));
      expect(places).toHaveLength(2);
    });

    test('are recognised by the number of the service port, not by the name that a registry has for it', () => {
      const other = { ...same, servicePort: 'web' };
      expect(placesOf(kubernetes, says('Consul/dc1', [other], { ports: [port('web', 80)] }))).toEqual([first]);
    });

    test('are none between clusters of Kubernetes, whose networks may overlap', () => {
      expect(placesOf(kubernetes, says('Kubernetes/b', [same]))).toEqual([first, 'Kubernetes/b 10.0.0.1:8080 http']);
    });

    test('nor within one: two Pods may share the address of their node', () => {
      const other = { ...same, workload: { namespace: 'shop', name: 'z' } };
      expect(placesOf(says('Kubernetes/a', [same, other]))).toEqual([first, first]);
    });

    test('of a registry that is none of Kubernetes are kept once, also against several of Kubernetes', () => {
      expect(placesOf(kubernetes, says('Kubernetes/b', [same]), says('Consul/dc1', [same, same]))).toEqual([
        first,
        'Kubernetes/b 10.0.0.1:8080 http',
      ]);
      expect(placesOf(says('Consul/dc1', [same]), kubernetes, says('Kubernetes/b', [same]))).toEqual([
        'Consul/dc1 10.0.0.1:8080 http',
      ]);
      expect(placesOf(says('Consul/dc1', [same]), says('Consul/dc2', [same]))).toEqual([
        'Consul/dc1 10.0.0.1:8080 http',
      ]);
    });

    test('are none without an address: each stands for a workload behind a gateway', () => {
      const behind = (name: string) => endpoint('', { network: 'vpc-2', workload: { namespace: 'shop', name } });
      const { endpoints } = merge(says('External/x', [behind('a'), behind('b')]));
      expect(endpoints.map(({ workload }) => workload.name)).toEqual(['a', 'b']);
    });
  });

  describe('what the resolution of the first snapshot can carry', () => {
    const all = [
      endpoint('10.0.0.1'),
      endpoint('fd00::1'),
      endpoint('db.example.com'),
      endpoint('/run/app.sock'),
      endpoint('@app'),
      endpoint(''),
    ];

    test.each<[Resolution, string, string]>([
      ['ClientSideLB', 'db.example.com', 'host name'],
      ['DNSLB', '@app', 'unix socket'],
    ])('%s carries no endpoint one of whose addresses it cannot carry, %s', (resolution, address, kind) => {
      const mixed = endpoint('10.0.0.1', { addresses: ['10.0.0.1', address] });
      const { endpoints, conflicts, notes } = merge(
        says('Kubernetes/a', [], { resolution }),
        says('Consul/dc1', [mixed], { resolution: 'DNSLB' }),
      );
      expect(endpoints).toEqual([]);
      expect(conflicts.map(({ losers }) => losers)).toEqual([
        [{ registry: 'Consul/dc1', value: ['IP address', kind] }],
      ]);
      expect(notes.map(({ message }) => message)).toEqual([
        `Endpoints (1: 10.0.0.1 ${address}) of shop/cart.shop.svc.cluster.local in Consul/dc1 cannot be reached by the resolution ${resolution} of the merged service; left out`,
      ]);
    });

    test.each<[Resolution, readonly string[], readonly string[]]>([
      ['ClientSideLB', ['/run/app.sock', '10.0.0.1', '@app', 'fd00::1', ''], ['host name']],
      ['Passthrough', ['/run/app.sock', '10.0.0.1', '@app', 'fd00::1', ''], ['host name']],
      ['DNSLB', ['10.0.0.1', 'db.example.com', 'fd00::1', ''], ['unix socket']],
      ['DNSRoundRobinLB', ['10.0.0.1', 'db.example.com', 'fd00::1', ''], ['unix socket']],
      ['DynamicDNS', [], ['IP address', 'host name', 'none', 'unix socket']],
      ['Alias', [], ['IP address', 'host name', 'none', 'unix socket']],
    ])('%s carries %j and leaves out %j', (resolution, carried, leftOut) => {
      const { endpoints, conflicts } = merge(
        says('Kubernetes/a', [], { resolution }),
        says('Consul/dc1', all, { resolution: 'DNSLB' }),
      );
      expect(endpoints.map(({ addresses }) => addresses[0])).toEqual(carried);
      expect(conflicts).toEqual([
        {
          type: 'EndpointResolutionConflict',
          field: 'endpoints',
          winner: { registry: 'Kubernetes/a', value: resolution },
          losers: [{ registry: 'Consul/dc1', value: leftOut }],
        },
      ]);
    });

    test('an endpoint goes in with all of its addresses or not at all', () => {
      const mixed = { ...endpoint('10.0.0.1'), addresses: ['10.0.0.1', 'db.example.com'] };
      const { endpoints, conflicts } = merge(says('Consul/dc1', [mixed]));
      expect(endpoints).toEqual([]);
      expect(conflicts).toEqual([
        {
          type: 'EndpointResolutionConflict',
          field: 'endpoints',
          winner: { registry: 'Consul/dc1', value: 'ClientSideLB' },
          losers: [{ registry: 'Consul/dc1', value: ['IP address', 'host name'] }],
        },
      ]);
    });

    test('each registry that loses endpoints is named, and a note says which', () => {
      const { conflicts, notes } = merge(
        says('Kubernetes/a', [endpoint('10.0.0.1')]),
        says('Consul/dc1', [endpoint('a.example.com'), endpoint('b.example.com')]),
        says('Consul/dc2', [endpoint('10.0.0.2')]),
        says('External/x', [endpoint('@app'), endpoint('c.example.com')]),
      );
      expect(conflicts).toEqual([
        {
          type: 'EndpointResolutionConflict',
          field: 'endpoints',
          winner: { registry: 'Kubernetes/a', value: 'ClientSideLB' },
          losers: [
            { registry: 'Consul/dc1', value: ['host name'] },
            { registry: 'External/x', value: ['host name'] },
          ],
        },
      ]);
      expect(notes).toEqual([
        {
          code: 'EndpointResolutionConflict',
          message:
            'Endpoints (2: a.example.com, b.example.com) of shop/cart.shop.svc.cluster.local in Consul/dc1 cannot be reached by the resolution ClientSideLB of the merged service; left out',
        },
        {
          code: 'EndpointResolutionConflict',
          message:
            'Endpoints (1: c.example.com) of shop/cart.shop.svc.cluster.local in External/x cannot be reached by the resolution ClientSideLB of the merged service; left out',
        },
      ]);
    });

    test('is no matter of how many are left out: one more is no other conflict', () => {
      const first = says('Kubernetes/a', []);
      const one = merge(first, says('Consul/dc1', [endpoint('a.example.com')]));
      const two = merge(first, says('Consul/dc1', [endpoint('a.example.com'), endpoint('b.example.com')]));
      expect(two.conflicts).toEqual(one.conflicts);
    });
  });
});
