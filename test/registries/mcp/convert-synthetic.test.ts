import { clustersOf, convertSynthetic } from '../../../lib/registries/mcp/convert-synthetic';
import type { ClusterEndpoint } from '../../../lib/registries/mcp/cluster-endpoints';
import { decodedServiceEntry } from '../../support/decoded-entries';

const HOST = 'cart.shop.svc.cluster.local';

function synthetic(spec: object) {
  const entry = decodedServiceEntry({
    metadata: { name: 'synthetic-cart', namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { hosts: [HOST], location: 'MESH_INTERNAL', resolution: 'STATIC', ...spec },
    source: 'ServiceEntry/shop/synthetic-cart',
  });
  return { entry, service: 'cart' };
}

const http = { number: 80, name: 'http', protocol: 'HTTP' };

function endpoint(address: string, differing: Partial<ClusterEndpoint> = {}): ClusterEndpoint {
  return {
    addresses: [address],
    port: 8080,
    locality: '',
    weight: 1,
    tlsMode: 'disabled',
    health: 'Healthy',
    ...differing,
  };
}

function convert(spec: object, endpoints: readonly ClusterEndpoint[] = []) {
  return convertSynthetic(synthetic(spec), 'MCP/test', () => endpoints);
}

test('a Kubernetes service has its own name, addresses, selector and accounts', () => {
  const spec = {
    addresses: ['10.0.0.9', '10.0.0.1'],
    ports: [http],
    workloadSelector: { labels: { app: 'cart' } },
    subjectAltNames: ['spiffe://cluster.local/ns/shop/sa/cart'],
    exportTo: ['b', 'a'],
  };
  expect(convert(spec).service).toMatchObject({
    name: 'cart',
    hostname: HOST,
    namespace: 'shop',
    address: '10.0.0.1',
    addresses: ['10.0.0.1', '10.0.0.9'],
    resolution: 'ClientSideLB',
    meshExternal: false,
    serviceAccounts: ['spiffe://cluster.local/ns/shop/sa/cart'],
    exportTo: ['a', 'b'],
    creationTime: '2026-01-01T00:00:00.000Z',
    attributes: { selector: { app: 'cart' } },
  });
});

test('0.0.0.0 is no address, and UnsupportedProtocol is to be sniffed', () => {
  const spec = {
    addresses: ['0.0.0.0'],
    ports: [{ number: 80, name: 'web', protocol: 'UnsupportedProtocol' }],
    resolution: 'NONE',
  };
  expect(convert(spec).service).toMatchObject({
    address: '0.0.0.0',
    addresses: [],
    resolution: 'Passthrough',
    ports: [{ protocol: 'Unsupported' }],
  });
});

test('pitfall 37: a number stands twice, over TCP and UDP', () => {
  const ports = [
    { number: 53, name: 'dns', protocol: 'UDP' },
    { number: 53, name: 'dns-tcp', protocol: 'TCP' },
  ];
  const snapshot = convert({ ports }, [endpoint('10.1.0.1', { port: 5353 })]);

  expect(clustersOf(synthetic({ ports }))).toEqual([`outbound|53||${HOST}`]);
  expect(snapshot.service.ports).toMatchObject([{ name: 'dns-tcp' }, { name: 'dns' }]);
  expect(snapshot.endpoints).toMatchObject([{ servicePort: 'dns-tcp', port: 5353 }]);
});

test('of two ports of one number over TCP the first counts', () => {
  const ports = [http, { ...http, name: 'again' }];
  const snapshot = convert({ ports }, [endpoint('10.1.0.1')]);

  expect(snapshot.service.ports).toMatchObject([{ name: 'http' }]);
  expect(snapshot.endpoints).toMatchObject([{ servicePort: 'http' }]);
});

test('endpoints are those of the cluster of each port, with the workload that is said', () => {
  const metrics = { number: 9090, name: 'metrics', protocol: 'TCP' };
  const workload = { name: 'cart-6f', namespace: 'shop' };
  const snapshot = convertSynthetic(synthetic({ ports: [http, metrics] }), 'MCP/test', (cluster) =>
    cluster === `outbound|80||${HOST}`
      ? [endpoint('10.1.0.1', { workload, locality: 'eu/a/', tlsMode: 'istio' })]
      : [endpoint('10.1.0.2')],
  );

  expect(snapshot.endpoints).toMatchObject([
    { addresses: ['10.1.0.1'], servicePort: 'http', workload, locality: 'eu/a/', tlsMode: 'istio', weight: 1 },
    { addresses: ['10.1.0.2'], servicePort: 'metrics', workload: { name: 'cart', namespace: 'shop' } },
  ]);
  expect(snapshot.sources).toEqual([
    `ClusterLoadAssignment/outbound|80||${HOST}`,
    `ClusterLoadAssignment/outbound|9090||${HOST}`,
    'ServiceEntry/shop/synthetic-cart',
  ]);
});

test.each([
  ['Healthy', 1],
  ['Draining', 1],
  ['UnHealthy', 0],
  ['Terminating', 0],
] as const)('of %s endpoints %d is published, as of Kubernetes registries', (health, count) => {
  expect(convert({ ports: [http] }, [endpoint('10.1.0.1', { health })]).endpoints).toHaveLength(count);
});

test.each(['DNS', 'DNS_ROUND_ROBIN', 'DYNAMIC_DNS'])('nothing is asked for of resolution %s', (resolution) => {
  expect(clustersOf(synthetic({ ports: [http], resolution }))).toEqual([]);
});

test('headless services have endpoints too', () => {
  expect(clustersOf(synthetic({ ports: [http], resolution: 'NONE' }))).toEqual([`outbound|80||${HOST}`]);
});
