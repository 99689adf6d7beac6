import { mergeService } from '../../lib/aggregation/merge-service';
import type { Conflict } from '../../lib/model/conflict';
import { endpoint, HTTP, port, storedSnapshot } from '../support/stored-snapshots';

const kubernetes = storedSnapshot('Kubernetes/a', {
  service: { address: '10.0.0.1', clusterVips: { a: ['10.0.0.1'] } },
  endpoints: [endpoint('10.1.0.1', { serviceAccount: 'spiffe://cart' })],
  observedAt: '2026-11-30T12:00:00.000Z',
});

const consul = storedSnapshot('Consul/dc1', {
  precedence: 5,
  service: { ports: [port('web', 80)], labels: { team: 'b' } },
  endpoints: [endpoint('10.1.0.2', { servicePort: 'web' }), endpoint('10.1.0.3', { servicePort: 'nope' })],
  observedAt: '2026-11-30T12:00:05.000Z',
});

function merged(...snapshots: Parameters<typeof mergeService>[0]) {
  const result = mergeService(snapshots);
  if (result === undefined) throw new Error('nothing merged');
  return result;
}

describe('mergeService', () => {
  test('of no snapshots is no entry', () => {
    expect(mergeService([])).toBeUndefined();
  });

  test('makes one entry of what all registries say', () => {
    const { service, notes } = merged(consul, kubernetes);
    const { hash, ...content } = service;
    expect(content).toEqual({
      key: 'shop/cart.shop.svc.cluster.local',
      hostname: 'cart.shop.svc.cluster.local',
      namespace: 'shop',
      name: 'cart',
      address: '10.0.0.1',
      addresses: [],
      autoAddresses: [],
      ports: [HTTP],
      resolution: 'ClientSideLB',
      meshExternal: false,
      serviceAccounts: ['spiffe://cart'],
      exportTo: [],
      labels: {},
      clusterVips: { a: ['10.0.0.1'] },
      externalAddresses: {},
      attributes: {},
      endpoints: [
        { ...endpoint('10.1.0.2'), registry: 'Consul/dc1' },
        { ...endpoint('10.1.0.1', { serviceAccount: 'spiffe://cart' }), registry: 'Kubernetes/a' },
      ],
      registries: [
        { registry: 'Kubernetes/a', hash: kubernetes.hash, endpoints: 1, observedAt: '2026-11-30T12:00:00.000Z' },
        { registry: 'Consul/dc1', hash: consul.hash, endpoints: 2, observedAt: '2026-11-30T12:00:05.000Z' },
      ],
      conflicts: [
        {
          type: 'LabelsConflict',
          field: 'labels',
          winner: { registry: 'Kubernetes/a', value: {} },
          losers: [{ registry: 'Consul/dc1', value: { team: 'b' } }],
        },
        {
          type: 'PortConflict',
          field: 'ports/TCP/80',
          winner: { registry: 'Kubernetes/a', value: 'http' },
          losers: [{ registry: 'Consul/dc1', value: 'web' }],
        },
      ],
    });
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
    expect(notes.map(({ code }) => code)).toEqual(['EndpointPortUnknown']);
  });

  test('conflicts between the sources of one registry pass through, all sorted', () => {
    const own: Conflict = {
      type: 'ResolutionConflict',
      field: 'resolution',
      winner: { registry: 'External/x', source: 'a.yaml', value: 'DNSLB' },
      losers: [{ registry: 'External/x', source: 'b.yaml', value: 'ClientSideLB' }],
    };
    const external = storedSnapshot('External/x', { precedence: 9, conflicts: [own], service: { labels: { a: '1' } } });
    expect(merged(external).service.conflicts).toEqual([own]);
    expect(merged(kubernetes, external).service.conflicts).toEqual([
      expect.objectContaining({ type: 'LabelsConflict' }),
      own,
    ]);
  });

  test('keeps the entry of a service without endpoints', () => {
    expect(merged(storedSnapshot('Kubernetes/a')).service.endpoints).toEqual([]);
  });

  test('pitfall 15: a cluster whose snapshot is gone leaves no virtual IP and no endpoint behind', () => {
    const other = storedSnapshot('Kubernetes/b', {
      precedence: 1,
      service: { address: '10.9.0.1', clusterVips: { b: ['10.9.0.1'] } },
      endpoints: [endpoint('10.9.1.1')],
    });
    expect(merged(kubernetes, other).service.clusterVips).toEqual({ a: ['10.0.0.1'], b: ['10.9.0.1'] });
    expect(merged(other).service).toMatchObject({
      address: '10.9.0.1',
      clusterVips: { b: ['10.9.0.1'] },
      endpoints: [{ registry: 'Kubernetes/b' }],
      registries: [{ registry: 'Kubernetes/b' }],
    });
  });

  test('pitfall 17: deleting one of two sources of a host removes just that one', () => {
    expect(merged(consul).service).toMatchObject({
      ports: [port('web', 80)],
      endpoints: [{ registry: 'Consul/dc1', servicePort: 'web' }],
      conflicts: [],
    });
  });

  test('pitfall 18: two registries of one provider do not overwrite each other', () => {
    const dc2 = {
      ...consul,
      registry: 'Consul/dc2' as const,
      endpoints: [endpoint('10.2.0.1', { servicePort: 'web' })],
    };
    const { endpoints, registries } = merged(consul, dc2).service;
    expect(endpoints.map(({ registry }) => registry)).toEqual(['Consul/dc1', 'Consul/dc2']);
    expect(registries.map(({ registry }) => registry)).toEqual(['Consul/dc1', 'Consul/dc2']);
  });

  describe('the hash', () => {
    const { hash } = merged(kubernetes, consul).service;

    test('does not depend on when, by which run and in which poll a snapshot was read', () => {
      const later = { ...kubernetes, observedAt: '2026-12-01T00:00:00.000Z', pollId: 'poll-2', generation: 9 };
      expect(merged(consul, later).service.hash).toBe(hash);
    });

    test.each([
      ['an endpoint', { endpoints: [endpoint('10.1.0.1', { weight: 2, serviceAccount: 'spiffe://cart' })] }],
      ['a label', { service: { labels: { a: 'b' } } }],
      ['an account', { endpointAccounts: ['spiffe://cart', 'spiffe://other'] }],
    ])('changes with %s', (_what, difference) => {
      const changed = storedSnapshot('Kubernetes/a', {
        service: {
          address: '10.0.0.1',
          clusterVips: { a: ['10.0.0.1'] },
          ...('service' in difference ? difference.service : {}),
        },
        endpoints: 'endpoints' in difference ? difference.endpoints : kubernetes.endpoints,
        ...('endpointAccounts' in difference ? { endpointAccounts: difference.endpointAccounts } : {}),
      });
      expect(merged(changed, consul).service.hash).not.toBe(hash);
    });

    test('changes with who wins', () => {
      const [a, b] = [storedSnapshot('Consul/dc1'), storedSnapshot('Consul/dc2')];
      const before = merged(a, b).service;
      const after = merged({ ...a, precedence: 7 }, b).service;
      expect(after.registries.map(({ registry }) => registry)).toEqual(['Consul/dc2', 'Consul/dc1']);
      expect(after.hash).not.toBe(before.hash);
    });
  });
});
