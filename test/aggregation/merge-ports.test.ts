import { mergePorts } from '../../lib/aggregation/merge-ports';
import type { Port } from '../../lib/model/port';
import type { RegistryId } from '../../lib/model/registry-id';
import { port, storedSnapshot } from '../support/stored-snapshots';

function says(registry: RegistryId, ...ports: readonly Port[]) {
  return storedSnapshot(registry, { service: { ports } });
}

describe('mergePorts', () => {
  test('pitfall 12: the ports of the second registry are there too', () => {
    expect(
      mergePorts([
        says('Kubernetes/a', port('http', 80), port('https', 443, 'HTTPS')),
        says('Kubernetes/b', port('http', 80), port('admin', 9090)),
      ]),
    ).toEqual({ ports: [port('http', 80), port('https', 443, 'HTTPS'), port('admin', 9090)], conflicts: [] });
  });

  test('pitfall 37: UDP 53 and TCP 53 are two ports, within a registry and between registries', () => {
    const [tcp, udp] = [port('dns-tcp', 53, 'TCP'), port('dns', 53, 'UDP')];
    expect(mergePorts([says('Kubernetes/a', tcp, udp)])).toEqual({ ports: [tcp, udp], conflicts: [] });
    expect(mergePorts([says('Kubernetes/a', udp), says('Kubernetes/b', tcp)])).toEqual({
      ports: [tcp, udp],
      conflicts: [],
    });
  });

  test('of one port the first name wins', () => {
    expect(
      mergePorts([
        says('Kubernetes/a', port('http', 80)),
        says('Consul/dc1', port('web', 80)),
        says('Consul/dc2', port('http', 80)),
        says('External/x', port('www', 80)),
      ]),
    ).toEqual({
      ports: [port('http', 80)],
      conflicts: [
        {
          type: 'PortConflict',
          field: 'ports/TCP/80',
          winner: { registry: 'Kubernetes/a', value: 'http' },
          losers: [
            { registry: 'Consul/dc1', value: 'web' },
            { registry: 'External/x', value: 'www' },
          ],
        },
      ],
    });
  });

  test('of one port the first protocol wins', () => {
    expect(
      mergePorts([
        says('Kubernetes/a', port('http', 80, 'HTTP')),
        says('Consul/dc1', port('http', 80, 'TCP')),
        says('Consul/dc2', port('http', 80, 'HTTP')),
      ]),
    ).toEqual({
      ports: [port('http', 80, 'HTTP')],
      conflicts: [
        {
          type: 'ProtocolConflict',
          field: 'ports/TCP/80',
          winner: { registry: 'Kubernetes/a', value: 'HTTP' },
          losers: [{ registry: 'Consul/dc1', value: 'TCP' }],
        },
      ],
    });
  });

  test('pitfall 13: a name that another port has gets the number, and both ports stay', () => {
    expect(
      mergePorts([
        says('Kubernetes/a', port('http', 80)),
        says('Consul/dc1', port('http', 8080)),
        says('Consul/dc2', port('http', 9090)),
        says('Consul/dc3', port('http', 8080)),
      ]),
    ).toEqual({
      ports: [port('http', 80), port('http-8080', 8080), port('http-9090', 9090)],
      conflicts: [
        {
          type: 'PortConflict',
          field: 'ports/http',
          winner: { registry: 'Kubernetes/a', value: 'TCP/80' },
          losers: [
            { registry: 'Consul/dc1', value: 'TCP/8080' },
            { registry: 'Consul/dc3', value: 'TCP/8080' },
            { registry: 'Consul/dc2', value: 'TCP/9090' },
          ],
        },
      ],
    });
  });

  test('who calls a renamed port otherwise loses to the new name', () => {
    const { ports, conflicts } = mergePorts([
      says('Kubernetes/a', port('http', 80)),
      says('Consul/dc1', port('http', 8080)),
      says('Consul/dc2', port('http-8080', 8080)),
      says('Consul/dc3', port('web', 8080)),
    ]);
    expect(ports).toEqual([port('http', 80), port('http-8080', 8080)]);
    expect(conflicts).toEqual([
      {
        type: 'PortConflict',
        field: 'ports/TCP/8080',
        winner: { registry: 'Consul/dc1', value: 'http-8080' },
        losers: [{ registry: 'Consul/dc3', value: 'web' }],
      },
      {
        type: 'PortConflict',
        field: 'ports/http',
        winner: { registry: 'Kubernetes/a', value: 'TCP/80' },
        losers: [{ registry: 'Consul/dc1', value: 'TCP/8080' }],
      },
    ]);
  });

  test('a new name takes nobody’s own, and no other new one', () => {
    expect(
      mergePorts([
        says('Kubernetes/a', port('dns', 53, 'UDP')),
        says('Consul/dc1', port('dns', 53, 'TCP'), port('dns-53', 5353, 'TCP')),
        says('Consul/dc2', port('dns', 53, 'TCP', 'SCTP')),
      ]).ports,
    ).toEqual([
      port('dns-53-53-53', 53, 'TCP', 'SCTP'),
      port('dns-53-53', 53, 'TCP'),
      port('dns', 53, 'UDP'),
      port('dns-53', 5353, 'TCP'),
    ]);
  });

  test('a port without a name is renamed to port-<number>', () => {
    const { ports, conflicts } = mergePorts([says('Kubernetes/a', port('', 80)), says('Kubernetes/b', port('', 81))]);
    expect(ports).toEqual([port('', 80), port('port-81', 81)]);
    expect(conflicts).toEqual([
      {
        type: 'PortConflict',
        field: 'ports/',
        winner: { registry: 'Kubernetes/a', value: 'TCP/80' },
        losers: [{ registry: 'Kubernetes/b', value: 'TCP/81' }],
      },
    ]);
  });

  test('ports of one snapshot never conflict with each other, but have names of their own', () => {
    expect(
      mergePorts([
        says('MCP/istiod', port('a', 443, 'TLS'), port('b', 443, 'HTTPS'), port('http', 80), port('http', 81)),
      ]),
    ).toEqual({ ports: [port('http', 80), port('http-81', 81), port('a', 443, 'TLS')], conflicts: [] });
  });

  test('two names of a losing snapshot are both recorded', () => {
    const { conflicts } = mergePorts([
      says('Kubernetes/a', port('https', 443, 'HTTPS')),
      says('MCP/istiod', port('a', 443, 'HTTPS'), port('b', 443, 'HTTPS')),
    ]);
    expect(conflicts).toEqual([
      {
        type: 'PortConflict',
        field: 'ports/TCP/443',
        winner: { registry: 'Kubernetes/a', value: 'https' },
        losers: [
          { registry: 'MCP/istiod', value: 'a' },
          { registry: 'MCP/istiod', value: 'b' },
        ],
      },
    ]);
  });
});
