import { mergeConfiguration } from '../../lib/aggregation/merge-configuration';
import type { OrderedSnapshots } from '../../lib/aggregation/order-snapshots';
import type { ConflictType, ConflictValue } from '../../lib/model/conflict';
import type { Service } from '../../lib/model/service';
import { storedSnapshot, type SnapshotInput } from '../support/stored-snapshots';

type Difference = {
  readonly type: ConflictType;
  readonly field: string;
  readonly winner: ConflictValue;
  readonly loser: ConflictValue;
};

function kubernetes(cluster: string, service: Partial<Service> = {}, more: SnapshotInput = {}) {
  return storedSnapshot(`Kubernetes/${cluster}`, { service, ...more });
}

function consul(service: Partial<Service> = {}) {
  return storedSnapshot('Consul/dc1', { service });
}

function conflictsOf(...ordered: OrderedSnapshots) {
  return mergeConfiguration(ordered).conflicts;
}

describe('mergeConfiguration', () => {
  test('takes what the first snapshot says', () => {
    const service: Partial<Service> = {
      name: 'cart-service',
      address: '10.0.0.1',
      addresses: ['10.0.0.1', '10.0.0.2'],
      autoAddresses: ['240.240.0.1'],
      resolution: 'DNSLB',
      meshExternal: true,
      exportTo: ['shop'],
      labels: { team: 'a' },
      attributes: { type: 'ClusterIP' },
    };
    const other: Partial<Service> = {
      name: 'basket',
      address: '10.9.9.9',
      addresses: ['10.9.9.9'],
      autoAddresses: ['240.240.0.9'],
      resolution: 'Passthrough',
      meshExternal: false,
      exportTo: ['*'],
      labels: { team: 'b', tier: 'web' },
      attributes: { externalName: 'basket.example.com' },
    };
    const created = { creationTime: '2026-01-01T00:00:00.000Z' };
    expect(mergeConfiguration([consul({ ...service, ...created }), consul(other)]).configuration).toEqual({
      ...service,
      namespace: 'shop',
      hostname: 'cart.shop.svc.cluster.local',
      serviceAccounts: [],
      clusterVips: {},
      externalAddresses: {},
    });
  });

  describe('what others say differently is a conflict', () => {
    test.each<[string, Partial<Service>, Partial<Service>, Difference]>([
      [
        'resolution',
        { resolution: 'ClientSideLB' },
        { resolution: 'DNSLB' },
        { type: 'ResolutionConflict', field: 'resolution', winner: 'ClientSideLB', loser: 'DNSLB' },
      ],
      [
        'location',
        { meshExternal: false },
        { meshExternal: true },
        { type: 'LocationConflict', field: 'meshExternal', winner: 'false', loser: 'true' },
      ],
      [
        'visibility',
        { exportTo: ['*'] },
        { exportTo: ['.', 'shop'] },
        { type: 'ExportToConflict', field: 'exportTo', winner: ['*'], loser: ['.', 'shop'] },
      ],
      [
        'visibility, where one keeps the default of the mesh',
        { exportTo: ['*'] },
        { exportTo: [] },
        { type: 'ExportToConflict', field: 'exportTo', winner: ['*'], loser: [] },
      ],
      [
        'labels',
        { labels: { a: '1' } },
        { labels: { a: '2' } },
        { type: 'LabelsConflict', field: 'labels', winner: { a: '1' }, loser: { a: '2' } },
      ],
      [
        'labels that the winner does not have',
        { labels: {} },
        { labels: { a: '2' } },
        { type: 'LabelsConflict', field: 'labels', winner: {}, loser: { a: '2' } },
      ],
      [
        'address',
        { address: '10.0.0.1' },
        { address: '10.0.0.2' },
        { type: 'AddressConflict', field: 'address', winner: ['10.0.0.1'], loser: ['10.0.0.2'] },
      ],
      [
        'one of several addresses',
        { address: '10.0.0.1', addresses: ['10.0.0.1', '10.0.0.2'] },
        { address: '10.0.0.1', addresses: ['10.0.0.1', '10.0.0.3'] },
        {
          type: 'AddressConflict',
          field: 'address',
          winner: ['10.0.0.1', '10.0.0.2'],
          loser: ['10.0.0.1', '10.0.0.3'],
        },
      ],
      [
        'an address that the winner does not have',
        {},
        { address: '10.0.0.2' },
        { type: 'AddressConflict', field: 'address', winner: [], loser: ['10.0.0.2'] },
      ],
      [
        'automatic addresses',
        { autoAddresses: ['240.240.0.1'] },
        { autoAddresses: ['240.240.0.2'] },
        { type: 'AddressConflict', field: 'autoAddresses', winner: ['240.240.0.1'], loser: ['240.240.0.2'] },
      ],
    ])('%s', (_what, first, second, { type, field, winner, loser }) => {
      expect(conflictsOf(kubernetes('a', first), consul(second))).toEqual([
        {
          type,
          field,
          winner: { registry: 'Kubernetes/a', value: winner },
          losers: [{ registry: 'Consul/dc1', value: loser }],
        },
      ]);
    });

    test.each<[string, Partial<Service>]>([
      ['no address', { address: '10.0.0.1', addresses: ['10.0.0.1'] }],
      ['no automatic address', { autoAddresses: ['240.240.0.1'] }],
      ['no labels', { labels: { a: '1' } }],
    ])('but who says nothing (%s) loses nothing', (_what, first) => {
      expect(conflictsOf(kubernetes('a', first), consul())).toEqual([]);
    });

    test.each<[string, Partial<Service>, Partial<Service>]>([
      ['name', { name: 'cart' }, { name: 'basket' }],
      ['attributes', { attributes: { type: 'ClusterIP' } }, { attributes: { type: 'NodePort' } }],
      ['creation time', { creationTime: '2026-01-01T00:00:00.000Z' }, {}],
      [
        'an address given alone and in a list of one',
        { address: '10.0.0.1' },
        { address: '10.0.0.1', addresses: ['10.0.0.1'] },
      ],
    ])('nobody argues about %s', (_what, first, second) => {
      expect(conflictsOf(kubernetes('a', first), consul(second))).toEqual([]);
    });

    test('pitfall 14: every loser is recorded, in the order of precedence, and none who agrees', () => {
      const says = (registry: Parameters<typeof storedSnapshot>[0], resolution: Service['resolution']) =>
        storedSnapshot(registry, { service: { resolution } });
      expect(
        conflictsOf(
          says('Kubernetes/a', 'ClientSideLB'),
          says('MCP/istiod', 'DNSLB'),
          says('Consul/dc1', 'ClientSideLB'),
          says('External/b', 'Passthrough'),
        ),
      ).toEqual([
        {
          type: 'ResolutionConflict',
          field: 'resolution',
          winner: { registry: 'Kubernetes/a', value: 'ClientSideLB' },
          losers: [
            { registry: 'MCP/istiod', value: 'DNSLB' },
            { registry: 'External/b', value: 'Passthrough' },
          ],
        },
      ]);
    });
  });

  describe('clusters of Kubernetes', () => {
    test('have a virtual IP each, which is no conflict, and keep it by cluster', () => {
      const merged = mergeConfiguration([
        kubernetes('b', { address: '10.0.0.1', clusterVips: { b: ['10.0.0.1', 'fd00::1'] } }),
        kubernetes('a', { address: '10.9.0.1', clusterVips: { a: ['10.9.0.1'] } }),
      ]);
      expect(merged.configuration.address).toBe('10.0.0.1');
      expect(Object.entries(merged.configuration.clusterVips)).toEqual([
        ['a', ['10.9.0.1']],
        ['b', ['10.0.0.1', 'fd00::1']],
      ]);
      expect(merged.conflicts).toEqual([]);
    });

    test('can disagree on everything else', () => {
      const merged = mergeConfiguration([
        kubernetes('a', { labels: { team: 'shop' }, meshExternal: false }),
        kubernetes('b', { labels: { team: 'search' }, meshExternal: true }),
      ]);
      expect(merged.conflicts.map(({ type, winner, losers }) => [type, winner.registry, losers[0]?.registry])).toEqual([
        ['LocationConflict', 'Kubernetes/a', 'Kubernetes/b'],
        ['LabelsConflict', 'Kubernetes/a', 'Kubernetes/b'],
      ]);
    });

    test('have external addresses each', () => {
      const merged = mergeConfiguration([
        kubernetes('a', { externalAddresses: { a: ['203.0.113.1'] } }),
        kubernetes('b', { externalAddresses: { b: ['203.0.113.2'] } }),
      ]);
      expect(merged.configuration.externalAddresses).toEqual({ a: ['203.0.113.1'], b: ['203.0.113.2'] });
    });

    test('of two lists for one cluster the first counts', () => {
      const merged = mergeConfiguration([
        kubernetes('a', { clusterVips: { a: ['10.0.0.1'] } }),
        kubernetes('b', { clusterVips: { a: ['10.9.9.9'], b: ['10.0.0.2'] } }),
      ]);
      expect(merged.configuration.clusterVips).toEqual({ a: ['10.0.0.1'], b: ['10.0.0.2'] });
    });

    test('only they have lists by cluster', () => {
      const lists = { clusterVips: { dc1: ['10.0.0.1'] }, externalAddresses: { dc1: ['10.0.0.1'] } };
      const { configuration } = mergeConfiguration([kubernetes('a'), consul(lists)]);
      expect(configuration.clusterVips).toEqual({});
      expect(configuration.externalAddresses).toEqual({});
    });

    test.each([
      ['headless wins over a virtual IP', '0.0.0.0', '10.0.0.2'],
      ['a virtual IP wins over headless', '10.0.0.1', '0.0.0.0'],
    ])('%s: a conflict that names the cluster whose virtual IP is not the address', (_what, first, second) => {
      const conflicts = conflictsOf(
        kubernetes('a', { address: first }),
        kubernetes('same', { address: first }),
        kubernetes('other.eu', { address: second }),
      );
      expect(conflicts).toEqual([
        {
          type: 'ResolutionConflict',
          field: 'clusterVips/other.eu',
          winner: { registry: 'Kubernetes/a', value: first },
          losers: [{ registry: 'Kubernetes/other.eu', value: second }],
        },
      ]);
    });

    test('a registry without virtual IPs is not headless', () => {
      expect(conflictsOf(kubernetes('a', { address: '10.0.0.1' }), consul())).toEqual([]);
      const [conflict, ...others] = conflictsOf(consul(), kubernetes('a', { address: '10.0.0.1' }));
      expect(conflict).toMatchObject({ type: 'AddressConflict', field: 'address' });
      expect(others).toEqual([]);
    });
  });

  test('pitfall 19: accounts are the union of what services and endpoints of all registries say, sorted', () => {
    const merged = mergeConfiguration([
      kubernetes('a', { serviceAccounts: ['spiffe://z', 'spiffe://b'] }, { endpointAccounts: ['spiffe://c'] }),
      storedSnapshot('Consul/dc1', { service: { serviceAccounts: ['spiffe://b'] }, endpointAccounts: ['spiffe://a'] }),
    ]);
    expect(merged.configuration.serviceAccounts).toEqual(['spiffe://a', 'spiffe://b', 'spiffe://c', 'spiffe://z']);
  });
});
