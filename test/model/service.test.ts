import { carriesEndpoints, makeService, RESOLUTIONS, serviceKeyOf } from '../../lib/model/service';
import { port } from '../support/stored-snapshots';

const [HTTP, ADMIN] = [port('http', 80), port('admin', 9090)];

describe('makeService', () => {
  test('fills in what is not said', () => {
    expect(
      makeService({ namespace: 'shop', hostname: 'Cart.Shop.', ports: [HTTP], resolution: 'ClientSideLB' }),
    ).toEqual({
      hostname: 'cart.shop',
      namespace: 'shop',
      name: 'cart.shop',
      address: '0.0.0.0',
      addresses: [],
      autoAddresses: [],
      ports: [HTTP],
      resolution: 'ClientSideLB',
      meshExternal: false,
      serviceAccounts: [],
      exportTo: [],
      labels: {},
      clusterVips: {},
      externalAddresses: {},
      attributes: {},
    });
  });

  test('spells and sorts what is said; the order of addresses is the registry’s', () => {
    const service = makeService({
      namespace: 'shop',
      hostname: 'cart.shop',
      name: 'cart',
      ports: [ADMIN, HTTP],
      resolution: 'DNSLB',
      address: 'FD00::0:1',
      addresses: ['FD00::0:2', '10.0.0.1'],
      autoAddresses: ['FD00::0:4', '240.240.0.1', '240.240.0.1'],
      meshExternal: true,
      serviceAccounts: ['b', 'a', 'b'],
      exportTo: ['shop', '.', 'shop'],
      labels: { b: '1', a: '2' },
      creationTime: '2026-01-01T00:00:00.000Z',
      clusterVips: { b: ['FD00::0:3'], a: [] },
      externalAddresses: { b: [], a: ['LB.example.com'] },
      attributes: { type: 'ClusterIP', externalName: 'x' },
    });
    expect(service).toEqual({
      hostname: 'cart.shop',
      namespace: 'shop',
      name: 'cart',
      address: 'fd00::1',
      addresses: ['fd00::2', '10.0.0.1'],
      autoAddresses: ['240.240.0.1', 'fd00::4'],
      ports: [HTTP, ADMIN],
      resolution: 'DNSLB',
      meshExternal: true,
      serviceAccounts: ['a', 'b'],
      exportTo: ['.', 'shop'],
      labels: { a: '2', b: '1' },
      creationTime: '2026-01-01T00:00:00.000Z',
      clusterVips: { a: [], b: ['fd00::3'] },
      externalAddresses: { a: ['lb.example.com'], b: [] },
      attributes: { externalName: 'x', type: 'ClusterIP' },
    });
    const { labels, clusterVips, externalAddresses, attributes } = service;
    expect([labels, clusterVips, externalAddresses, attributes].map(Object.keys)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
      ['externalName', 'type'],
    ]);
  });

  test('leaves the lists that it was given as they were', () => {
    const ports = Object.freeze([ADMIN, HTTP]);
    expect(makeService({ namespace: 'shop', hostname: 'cart.shop', ports, resolution: 'ClientSideLB' }).ports).not.toBe(
      ports,
    );
  });
});

test('the key of a service is its namespace and host name', () => {
  expect(serviceKeyOf({ namespace: 'shop', hostname: 'cart.shop' })).toBe('shop/cart.shop');
});

test('an alias and a dynamic DNS name carry no endpoints', () => {
  expect(RESOLUTIONS.filter((resolution) => !carriesEndpoints(resolution))).toEqual(['DynamicDNS', 'Alias']);
});
