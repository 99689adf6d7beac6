import { clusterName, clusterSource, decodeClusterEndpoints } from '../../../lib/registries/mcp/cluster-endpoints';
import { anyMessage } from '../../support/mcp-messages';

const CLUSTER = 'outbound|80||cart.shop.svc.cluster.local';

function decode(clusterName: string, endpoints: readonly object[]) {
  const { typeUrl, value } = anyMessage('envoy.config.endpoint.v3.ClusterLoadAssignment', { clusterName, endpoints });
  return decodeClusterEndpoints({ typeUrl, value });
}

function socket(address: string, portValue: number) {
  return { socketAddress: { address, portValue } };
}

function struct(fields: Readonly<Record<string, string>>) {
  return { fields: Object.fromEntries(Object.entries(fields).map(([name, stringValue]) => [name, { stringValue }])) };
}

test('clusters and their sources are named as istiod names them', () => {
  expect(clusterName('cart.shop.svc.cluster.local', 80)).toBe(CLUSTER);
  expect(clusterSource(CLUSTER)).toBe(`ClusterLoadAssignment/${CLUSTER}`);
});

test('an endpoint has all that an Envoy is told of it', () => {
  const endpoint = {
    endpoint: {
      address: socket('10.1.0.1', 8080),
      additionalAddresses: [{ address: socket('fd00::1', 8080) }],
    },
    healthStatus: 'HEALTHY',
    loadBalancingWeight: { value: 3 },
    metadata: {
      filterMetadata: {
        'envoy.transport_socket_match': struct({ tlsMode: 'istio' }),
        istio: struct({ workload: 'cart-6f;shop;cart;v1;Kubernetes' }),
      },
    },
  };
  expect(decode(CLUSTER, [{ locality: { region: 'eu', zone: 'a', subZone: '' }, lbEndpoints: [endpoint] }])).toEqual({
    cluster: CLUSTER,
    endpoints: [
      {
        addresses: ['10.1.0.1', 'fd00::1'],
        port: 8080,
        locality: 'eu/a/',
        weight: 3,
        tlsMode: 'istio',
        health: 'Healthy',
        workload: { name: 'cart-6f', namespace: 'shop' },
      },
    ],
  });
});

test('an endpoint of which little is said has the defaults', () => {
  const bare = { endpoint: { address: socket('10.1.0.1', 8080) } };
  expect(decode(CLUSTER, [{ lbEndpoints: [bare] }]).endpoints).toEqual([
    { addresses: ['10.1.0.1'], port: 8080, locality: '', weight: 0, tlsMode: 'disabled', health: 'Healthy' },
  ]);
});

test('an empty locality is none', () => {
  const bare = { endpoint: { address: socket('10.1.0.1', 8080) } };
  expect(decode(CLUSTER, [{ locality: {}, lbEndpoints: [bare] }]).endpoints).toMatchObject([{ locality: '' }]);
});

test('a workload without a name is not known', () => {
  const metadata = { filterMetadata: { istio: struct({ workload: ';;cart;v1;Kubernetes' }) } };
  const endpoint = { endpoint: { address: socket('10.1.0.1', 8080) }, metadata };
  expect(decode(CLUSTER, [{ lbEndpoints: [endpoint] }]).endpoints[0]).not.toHaveProperty('workload');
});

test('a unix socket has no port', () => {
  const endpoint = { endpoint: { address: { pipe: { path: '/run/cart.sock' } } } };
  expect(decode(CLUSTER, [{ lbEndpoints: [endpoint] }]).endpoints).toMatchObject([
    { addresses: ['/run/cart.sock'], port: 0 },
  ]);
});

test.each([
  ['UNKNOWN', 'Healthy'],
  ['HEALTHY', 'Healthy'],
  ['UNHEALTHY', 'UnHealthy'],
  ['DRAINING', 'Draining'],
  ['TIMEOUT', 'UnHealthy'],
  ['DEGRADED', 'Healthy'],
])('%s is %s', (healthStatus, health) => {
  const endpoint = { endpoint: { address: socket('10.1.0.1', 8080) }, healthStatus };
  expect(decode(CLUSTER, [{ lbEndpoints: [endpoint] }]).endpoints).toMatchObject([{ health }]);
});

test('a cluster may have no endpoints', () => {
  expect(decode(CLUSTER, [])).toEqual({ cluster: CLUSTER, endpoints: [] });
});

test.each([
  ['an address that is none', CLUSTER, [{ lbEndpoints: [{ endpoint: { address: {} } }] }]],
  ['no address', CLUSTER, [{ lbEndpoints: [{ endpoint: {} }] }]],
  ['no name', '', []],
])('a cluster with %s is refused', (_case, name, endpoints) => {
  expect(() => decode(name, endpoints)).toThrow();
});
