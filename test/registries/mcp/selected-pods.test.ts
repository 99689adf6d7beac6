import { makeEndpoint } from '../../../lib/model/endpoint';
import { makePort } from '../../../lib/model/port';
import { makeService } from '../../../lib/model/service';
import { makeServiceSnapshot } from '../../../lib/model/service-snapshot';
import type { ClusterEndpoint } from '../../../lib/registries/mcp/cluster-endpoints';
import { clustersOfSelectors, withSelectedPods } from '../../../lib/registries/mcp/selected-pods';
import { decodedServiceEntry } from '../../support/decoded-entries';

const ports = [
  { number: 80, name: 'http', protocol: 'HTTP' },
  { number: 53, name: 'dns', protocol: 'UDP' },
];

function clustersOf(spec: object): readonly string[] {
  const entry = decodedServiceEntry({
    metadata: { name: 'cart', namespace: 'shop' },
    spec: {
      hosts: ['cart.example.com'],
      ports,
      resolution: 'STATIC',
      workloadSelector: { labels: { app: 'a' } },
      ...spec,
    },
  });
  return clustersOfSelectors([entry]).map(({ cluster }) => cluster);
}

describe('the clusters of an entry with a selector', () => {
  test.each(['STATIC', 'NONE'])('are one for each host and port that is not UDP, with resolution %s', (resolution) => {
    expect(clustersOf({ resolution, hosts: ['cart.example.com', 'Trolley.example.com'] })).toEqual([
      'outbound|80||cart.example.com',
      'outbound|80||Trolley.example.com',
    ]);
  });

  test.each(['DNS', 'DNS_ROUND_ROBIN', 'DYNAMIC_DNS'])('are none with resolution %s', (resolution) => {
    expect(clustersOf({ resolution })).toEqual([]);
  });

  test('are none without a selector, or without a host', () => {
    expect(clustersOf({ workloadSelector: null })).toEqual([]);
    expect(clustersOf({ hosts: ['', '.'] })).toEqual([]);
  });
});

describe('a service', () => {
  const cluster = { namespace: 'shop', host: 'cart.example.com', port: 80, cluster: 'c' };
  const machine = makeEndpoint({
    addresses: ['10.0.0.1'],
    port: 8080,
    servicePort: 'http',
    labels: { app: 'a' },
    workload: { name: 'vm-1', namespace: 'shop' },
  });
  const snapshot = makeServiceSnapshot({
    registry: 'MCP/test',
    service: makeService({
      hostname: 'cart.example.com',
      namespace: 'shop',
      resolution: 'ClientSideLB',
      ports: [
        makePort({ name: 'udp', number: 80, protocol: 'UDP' }),
        makePort({ name: 'http', number: 80, protocol: 'HTTP' }),
      ],
    }),
    endpoints: [machine],
    sources: ['ServiceEntry/shop/cart'],
  });

  function pod(address: string, differing: Partial<ClusterEndpoint> = {}): ClusterEndpoint {
    return {
      addresses: [address],
      port: 8080,
      locality: '',
      weight: 1,
      tlsMode: 'istio',
      health: 'Healthy',
      workload: { name: 'cart-6f', namespace: 'shop' },
      ...differing,
    };
  }

  const { workload: _, ...anonymous } = pod('10.1.0.1');

  test('without such clusters stays as it is', () => {
    expect(withSelectedPods(snapshot, [], () => [pod('10.1.0.1')])).toBe(snapshot);
  });

  test('has its Pods beside its machines, and both as sources', () => {
    const extended = withSelectedPods(snapshot, [cluster], () => [pod('10.1.0.1'), pod('10.0.0.1')]);

    expect(extended.endpoints).toMatchObject([
      {
        addresses: ['10.1.0.1'],
        servicePort: 'http',
        tlsMode: 'istio',
        workload: { name: 'cart-6f', namespace: 'shop' },
      },
      { addresses: ['10.0.0.1'], labels: { app: 'a' }, workload: { name: 'vm-1', namespace: 'shop' } },
    ]);
    expect(extended.sources).toEqual(['ClusterLoadAssignment/c', 'ServiceEntry/shop/cart']);
    expect(extended.hash).not.toBe(snapshot.hash);
  });

  test.each([
    [
      'of another namespace, whose service has the same host',
      pod('10.1.0.1', { workload: { name: 'x', namespace: 'other' } }),
    ],
    ['that does not say whose it is', anonymous],
    ['that is not healthy', pod('10.1.0.1', { health: 'UnHealthy' })],
  ])('has no endpoint %s', (_case, endpoint) => {
    expect(withSelectedPods(snapshot, [cluster], () => [endpoint]).endpoints).toEqual([machine]);
  });

  test('has no endpoint of a port that it does not have', () => {
    expect(withSelectedPods(snapshot, [{ ...cluster, port: 81 }], () => [pod('10.1.0.1')]).endpoints).toEqual([
      machine,
    ]);
  });
});
