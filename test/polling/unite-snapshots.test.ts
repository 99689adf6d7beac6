import * as fc from 'fast-check';
import { endpointKey } from '../../lib/model/endpoint';
import { uniteSnapshots } from '../../lib/polling/unite-snapshots';
import { arbitraryEndpoints, arbitraryServiceOf } from '../support/arbitraries';
import { endpoints, REGISTRY, seen } from '../support/readings';
import { endpoint, port } from '../support/stored-snapshots';
import { makeServiceSnapshot } from '../../lib/model/service-snapshot';

const addresses = (snapshot: ReturnType<typeof seen>): readonly string[] =>
  snapshot.endpoints.map(
    ({ addresses: [first], port: number, servicePort }) => `${first ?? ''}:${number}/${servicePort}`,
  );

test('endpoints that the registry does not tell of any more stay', () => {
  const union = uniteSnapshots(seen('web', 3), seen('web', endpoints(1, 5)));
  expect(addresses(union)).toEqual([
    '10.0.0.0:8080/http',
    '10.0.0.1:8080/http',
    '10.0.0.2:8080/http',
    '10.0.0.5:8080/http',
  ]);
});

test('one that it still tells of is as it tells it', () => {
  const before = seen('web', [endpoint('10.0.0.1'), endpoint('10.0.0.2')]);
  const now = seen('web', [endpoint('10.0.0.1', { health: 'Draining', port: 9090 })]);
  const union = uniteSnapshots(before, now);
  expect(union.endpoints).toEqual([now.endpoints[0], before.endpoints[1]]);
});

test('the service is as the registry tells it now', () => {
  const now = seen('web', 1, { service: { labels: { v: '2' }, exportTo: ['.'] } });
  expect(uniteSnapshots(seen('web', 2, { service: { labels: { v: '1' } } }), now).service).toEqual(now.service);
});

test('uniting again changes nothing', () => {
  const now = seen('web', endpoints(1, 1));
  const union = uniteSnapshots(seen('web', 3), now);
  expect(uniteSnapshots(union, now)).toEqual(union);
});

test('the sources are those of both', () => {
  const union = uniteSnapshots(seen('web', 2, { sources: ['b', 'c'] }), seen('web', 1, { sources: ['a', 'b'] }));
  expect(union.sources).toEqual(['a', 'b', 'c']);
});

test('of endpoints with one identity those that are left over stay', () => {
  const twice = [
    endpoint('10.0.0.1', { port: 1 }),
    endpoint('10.0.0.1', { port: 2 }),
    endpoint('10.0.0.1', { port: 3 }),
  ];
  const union = uniteSnapshots(seen('web', twice), seen('web', [endpoint('10.0.0.1', { port: 2, weight: 5 })]));
  expect(union.endpoints.map(({ port: number, weight }) => [number, weight])).toEqual([
    [1, 0],
    [2, 5],
    [3, 0],
  ]);
});

describe('service ports', () => {
  const http = port('http', 80);
  const admin = port('admin', 9000);
  const adminEndpoint = endpoint('10.0.0.1', { servicePort: 'admin', port: 9000 });

  test('a renamed one takes its endpoints along', () => {
    const before = seen('web', [endpoint('10.0.0.1'), endpoint('10.0.0.2')], { service: { ports: [http] } });
    const renamed = { service: { ports: [port('web', 80)] } };
    const union = uniteSnapshots(before, seen('web', [endpoint('10.0.0.1', { servicePort: 'web' })], renamed));
    expect(union.service.ports).toEqual([port('web', 80)]);
    expect(addresses(union)).toEqual(['10.0.0.1:8080/web', '10.0.0.2:8080/web']);
  });

  test('one that was taken away stays with its endpoints', () => {
    const told = [endpoint('10.0.0.1'), adminEndpoint, endpoint('10.0.0.2')];
    const before = seen('web', told, { service: { ports: [http, admin] } });
    const union = uniteSnapshots(before, seen('web', [endpoint('10.0.0.1')], { service: { ports: [http] } }));
    expect(union.service.ports).toEqual([http, admin]);
    expect(addresses(union)).toEqual(['10.0.0.1:9000/admin', '10.0.0.1:8080/http', '10.0.0.2:8080/http']);
  });

  test('one that was taken away without endpoints goes', () => {
    const before = seen('web', 2, { service: { ports: [http, admin] } });
    expect(uniteSnapshots(before, seen('web', 1, { service: { ports: [http] } })).service.ports).toEqual([http]);
  });

  test('one whose number changed keeps its endpoints by its name', () => {
    const before = seen('web', 2, { service: { ports: [http] } });
    const union = uniteSnapshots(before, seen('web', 1, { service: { ports: [port('http', 8888)] } }));
    expect(union.service.ports).toEqual([port('http', 8888)]);
    expect(union.endpoints).toHaveLength(2);
  });
});

test.each(['Alias', 'DynamicDNS'] as const)('a service that turned %s stays whole', (resolution) => {
  const before = seen('web', 2);
  expect(uniteSnapshots(before, seen('web', 0, { service: { resolution } }))).toBe(before);
});

test('law: no endpoint leaves the merged service by a union, and none that the registry tells of is missing', () => {
  const snapshot = fc
    .record({
      service: arbitraryServiceOf({ namespace: fc.constant('shop'), hostname: fc.constant('cart.shop') }),
      endpoints: arbitraryEndpoints,
    })
    .map((parts) => makeServiceSnapshot({ registry: REGISTRY, sources: ['x'], ...parts }));
  fc.assert(
    fc.property(snapshot, snapshot, (before, now) => {
      fc.pre(now.service.resolution !== 'Alias' && now.service.resolution !== 'DynamicDNS');
      const union = uniteSnapshots(before, now);
      const keys = new Set(union.endpoints.map(endpointKey));
      expect(union.endpoints.length).toBeGreaterThanOrEqual(Math.max(before.endpoints.length, now.endpoints.length));
      for (const told of now.endpoints) expect(union.endpoints).toContainEqual(told);
      for (const key of now.endpoints.map(endpointKey)) expect(keys).toContain(key);
    }),
  );
});
