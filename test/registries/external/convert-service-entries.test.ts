import type { ServiceEntry } from '../../../lib/registries/external/entries';
import {
  convertService,
  convertServiceEntries,
  entriesByService,
} from '../../../lib/registries/external/convert-service-entries';
import { workloadOfEntry, type SelectableWorkload } from '../../../lib/registries/external/selectable-workload';
import { indexWorkloads } from '../../../lib/registries/external/workload-index';
import { HTTP_PORT, serviceEntry, workloadEntry } from '../../support/external-entries';

const HOST = { hosts: ['cart.example.com'], ports: [HTTP_PORT], resolution: 'STATIC' };
const OLD = { creationTimestamp: '2026-01-01T00:00:00Z' };
const YOUNG = { creationTimestamp: '2026-02-01T00:00:00Z' };

function contextOf(...workloads: readonly SelectableWorkload[]) {
  return { registry: 'External/shared' as const, trustDomain: 'cluster.local', workloads: indexWorkloads(workloads) };
}

const convert = (...entries: readonly ServiceEntry[]) => convertServiceEntries(entries, contextOf()).snapshots;

const endpointsOf = (...entries: readonly ServiceEntry[]) =>
  convert(...entries).flatMap(({ endpoints }) =>
    endpoints.map((one) => `${one.servicePort} ${one.addresses.join()}:${one.port}`),
  );

describe('services', () => {
  test('are one for each host, by key', () => {
    const entry = serviceEntry('a', { hosts: ['b.com', 'a.com'], ports: [HTTP_PORT] });
    expect(convert(entry).map(({ key, registry, sources }) => ({ key, registry, sources }))).toEqual([
      { key: 'shop/a.com', registry: 'External/shared', sources: ['a.yaml'] },
      { key: 'shop/b.com', registry: 'External/shared', sources: ['a.yaml'] },
    ]);
  });

  test('are one for several spellings of a host', () => {
    const entries = [
      serviceEntry('a', { hosts: ['A.com', 'a.com.', 'a.com'] }),
      serviceEntry('b', { hosts: ['a.COM'] }),
    ];
    expect(convert(...entries).map(({ key, sources }) => [key, sources])).toEqual([
      ['shop/a.com', ['a.yaml', 'b.yaml']],
    ]);
  });

  test('of different namespaces are different services', () => {
    const entries = [serviceEntry('a', HOST), serviceEntry('b', HOST, { metadata: { namespace: 'default' } })];
    expect(convert(...entries).map(({ key }) => key)).toEqual(['default/cart.example.com', 'shop/cart.example.com']);
  });

  test('are none for an empty host, which nobody validated', () => {
    expect(convert(serviceEntry('a', { hosts: ['', '.'] }))).toEqual([]);
  });

  test('are none of no entries', () => {
    expect(convert()).toEqual([]);
    expect(convertService([], contextOf())).toEqual({ snapshots: [], notes: [] });
  });
});

describe('several entries for one host', () => {
  const resolution = (...entries: readonly ServiceEntry[]) =>
    convert(...entries).map(({ service }) => service.resolution);

  test.each([
    ['the oldest decides', { metadata: YOUNG }, { metadata: OLD }, 'DNSLB'],
    ['whatever its name', { metadata: OLD }, { metadata: YOUNG }, 'ClientSideLB'],
    ['one without a time of creation counts as oldest', { metadata: OLD }, {}, 'DNSLB'],
    [
      'times are compared as times, whatever their zone',
      { metadata: { creationTimestamp: '2026-01-01T02:00:00+01:00' } },
      { metadata: { creationTimestamp: '2026-01-01T01:30:00Z' } },
      'ClientSideLB',
    ],
    ['of equal age the first name decides', { metadata: OLD }, { metadata: OLD }, 'ClientSideLB'],
  ])('pitfall 14: %s', (_rule, a, b, expected) => {
    const entries = [serviceEntry('a', HOST, a), serviceEntry('b', { ...HOST, resolution: 'DNS' }, b)];
    expect(resolution(...entries)).toEqual([expected]);
    expect(resolution(...entries.toReversed())).toEqual([expected]);
  });

  test('of equal name the first source decides, then the content', () => {
    const one = serviceEntry('a', HOST, { source: 'x.yaml' });
    const two = serviceEntry('a', { ...HOST, resolution: 'DNS' }, { source: 'y.yaml' });
    const three = serviceEntry('a', { ...HOST, resolution: 'DNS_ROUND_ROBIN' }, { source: 'y.yaml' });
    expect(resolution(two, one)).toEqual(['ClientSideLB']);
    expect(resolution(three, two)).toEqual(['DNSLB']);
    expect(resolution(two, three)).toEqual(['DNSLB']);
  });

  test('have all their endpoints, sources and conflicts in one snapshot', () => {
    const a = serviceEntry('a', { ...HOST, endpoints: [{ address: '10.0.0.2' }] });
    const b = serviceEntry('b', { ...HOST, location: 'MESH_INTERNAL', endpoints: [{ address: '10.0.0.1' }] });
    expect(endpointsOf(b, a)).toEqual(['http 10.0.0.2:80', 'http 10.0.0.1:80']);
    expect(convert(b, a)).toMatchObject([
      {
        sources: ['a.yaml', 'b.yaml'],
        conflicts: [
          {
            type: 'LocationConflict',
            field: 'meshExternal',
            winner: { registry: 'External/shared', source: 'a.yaml#a', value: 'true' },
            losers: [{ registry: 'External/shared', source: 'b.yaml#b', value: 'false' }],
          },
        ],
      },
    ]);
  });

  test('pitfall 13: endpoints follow the number of their port, not its name', () => {
    const a = serviceEntry('a', { ...HOST, endpoints: [{ address: '10.0.0.1' }] });
    const b = serviceEntry('b', {
      ...HOST,
      ports: [{ ...HTTP_PORT, number: 81 }],
      endpoints: [{ address: '10.0.0.2' }],
    });
    const c = serviceEntry('c', {
      ...HOST,
      ports: [{ ...HTTP_PORT, name: 'web' }],
      endpoints: [{ address: '10.0.0.3', ports: { web: 8080 } }],
    });
    expect(endpointsOf(a, b, c)).toEqual(['http 10.0.0.1:80', 'http-81 10.0.0.2:81', 'http 10.0.0.3:8080']);
  });

  test('pitfall 17: without one of them the other stays, and the other way round', () => {
    const a = serviceEntry('a', { ...HOST, endpoints: [{ address: '10.0.0.1' }] });
    const b = serviceEntry('b', { ...HOST, endpoints: [{ address: '10.0.0.2' }] });
    expect(endpointsOf(a)).toEqual(['http 10.0.0.1:80']);
    expect(endpointsOf(b)).toEqual(['http 10.0.0.2:80']);
    expect(endpointsOf(a, b)).toHaveLength(2);
  });

  test('a round robin keeps the endpoint of the oldest', () => {
    const spec = { ...HOST, resolution: 'DNS_ROUND_ROBIN' };
    const a = serviceEntry('a', { ...spec, endpoints: [{ address: 'a.com' }] }, { metadata: YOUNG });
    const b = serviceEntry('b', { ...spec, endpoints: [{ address: 'b.com' }] }, { metadata: OLD });
    expect(endpointsOf(a, b)).toEqual(['http b.com:80']);
    expect(convert(a, b)[0]?.conflicts.map(({ type, field }) => [type, field])).toEqual([
      ['EndpointResolutionConflict', 'endpoints/TCP/80'],
    ]);
  });

  test('an address is an endpoint of each entry, each a workload of its own', () => {
    const a = serviceEntry('a', { ...HOST, endpoints: [{ address: '10.0.0.1' }] });
    const b = serviceEntry('b', { ...HOST, endpoints: [{ address: '10.0.0.1' }] });
    expect(convert(a, b)[0]?.endpoints.map(({ workload }) => workload.name)).toEqual(['a', 'b']);
  });
});

describe('selected workloads', () => {
  const SELECTING = { ...HOST, workloadSelector: { labels: { app: 'cart' } } };
  const vm = (spec: Readonly<Record<string, unknown>>) => workloadOfEntry(workloadEntry('vm', spec), 'cluster.local')!;
  const endpointsWith = (workload: SelectableWorkload) =>
    convertServiceEntries([serviceEntry('a', SELECTING)], contextOf(workload)).snapshots.map(
      ({ endpoints, sources }) => ({
        endpoints: endpoints.map(({ addresses }) => addresses.join()),
        sources,
      }),
    );

  test('are endpoints, and their manifests sources', () => {
    expect(endpointsWith(vm({ address: '10.0.0.1', labels: { app: 'cart' } }))).toEqual([
      { endpoints: ['10.0.0.1'], sources: ['a.yaml', 'vm.yaml'] },
    ]);
  });

  test('pitfall 20: move with their address, and leave with their label', () => {
    expect(endpointsWith(vm({ address: '10.0.0.2', labels: { app: 'cart' } }))).toEqual([
      { endpoints: ['10.0.0.2'], sources: ['a.yaml', 'vm.yaml'] },
    ]);
    expect(endpointsWith(vm({ address: '10.0.0.2', labels: { app: 'pay' } }))).toEqual([
      { endpoints: [], sources: ['a.yaml'] },
    ]);
  });

  test('that two entries of a host select count once', () => {
    const workloads = contextOf(vm({ address: '10.0.0.1', labels: { app: 'cart' } }));
    const { snapshots } = convertServiceEntries(
      [serviceEntry('a', SELECTING), serviceEntry('b', SELECTING)],
      workloads,
    );
    expect(snapshots[0]?.endpoints).toHaveLength(1);
  });

  test('may be Pods, given as workloads with several addresses and sources', () => {
    const pod: SelectableWorkload = {
      ...vm({ address: '10.0.0.1', labels: { app: 'cart' }, ports: { http: 8080 } }),
      addresses: ['10.0.0.1', '2001:db8::1'],
      workload: { name: 'cart-6f', namespace: 'shop' },
      node: 'node-1',
      sources: ['pods/shop', 'nodes'],
    };
    const [snapshot] = convertServiceEntries([serviceEntry('a', SELECTING)], contextOf(pod)).snapshots;
    expect(snapshot).toMatchObject({
      endpoints: [{ addresses: ['10.0.0.1', '2001:db8::1'], port: 8080, node: 'node-1' }],
      sources: ['a.yaml', 'nodes', 'pods/shop'],
    });
  });

  test('that cannot be used are noted', () => {
    const { notes } = convertServiceEntries(
      [serviceEntry('a', SELECTING)],
      contextOf(vm({ address: 'vm.example.com', labels: { app: 'cart' } })),
    );
    expect(notes.map(({ code }) => code)).toEqual(['WorkloadAddressUnusable']);
  });
});

test('a surplus endpoint of a round robin is noted', () => {
  const spec = { ...HOST, resolution: 'DNS_ROUND_ROBIN', endpoints: [{ address: 'a.com' }, { address: 'b.com' }] };
  const { notes } = convertServiceEntries([serviceEntry('a', spec)], contextOf());
  expect(notes.map(({ code }) => code)).toEqual(['RoundRobinSurplus']);
});

test('who contributes to which service can be asked, to convert just what changed', () => {
  const a = serviceEntry('a', { hosts: ['a.com', 'b.com'] });
  const b = serviceEntry('b', { hosts: ['B.com'] });
  const services = entriesByService([a, b]);
  expect(Object.fromEntries(services)).toEqual({
    'shop/a.com': [{ hostname: 'a.com', entry: a }],
    'shop/b.com': [
      { hostname: 'b.com', entry: a },
      { hostname: 'b.com', entry: b },
    ],
  });
  expect(convertService(services.get('shop/b.com') ?? [], contextOf()).snapshots).toEqual([convert(a, b)[1]]);
});
