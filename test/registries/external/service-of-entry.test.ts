import { portOf, resolutionOf, serviceOfEntry } from '../../../lib/registries/external/service-of-entry';
import { HTTP_PORT, serviceEntry, type EntryFields } from '../../support/external-entries';

const serviceOf = (spec: Readonly<Record<string, unknown>>, more: EntryFields = {}, host = 'cart.example.com') =>
  serviceOfEntry(serviceEntry('cart-entry', { hosts: [host], ...spec }, more), host);

test('an entry that says no more than a host is a service with defaults', () => {
  expect(serviceOf({})).toEqual({
    hostname: 'cart.example.com',
    namespace: 'shop',
    name: 'cart.example.com',
    address: '0.0.0.0',
    addresses: [],
    autoAddresses: [],
    ports: [],
    resolution: 'Passthrough',
    meshExternal: true,
    serviceAccounts: [],
    exportTo: [],
    labels: {},
    clusterVips: {},
    externalAddresses: {},
    attributes: {},
  });
});

test('an entry that says everything is a service with all of it', () => {
  const spec = {
    addresses: ['10.0.0.2', '10.0.0.1'],
    ports: [{ number: 9000, name: 'tcp', protocol: 'tcp', targetPort: 9001 }, HTTP_PORT],
    location: 'MESH_INTERNAL',
    resolution: 'STATIC',
    workloadSelector: { labels: { app: 'cart' } },
    exportTo: ['default', '.'],
    subjectAltNames: ['spiffe://b', 'spiffe://a'],
  };
  const metadata = { labels: { team: 'a' }, creationTimestamp: '2026-01-31T10:00:00Z' };
  expect(serviceOf(spec, { metadata })).toMatchObject({
    address: '10.0.0.2',
    addresses: ['10.0.0.2', '10.0.0.1'],
    ports: [
      { number: 80, name: 'http', protocol: 'HTTP', transport: 'TCP' },
      { number: 9000, name: 'tcp', protocol: 'TCP', transport: 'TCP' },
    ],
    resolution: 'ClientSideLB',
    meshExternal: false,
    serviceAccounts: ['spiffe://a', 'spiffe://b'],
    exportTo: ['.', 'default'],
    labels: { team: 'a' },
    creationTime: '2026-01-31T10:00:00.000Z',
    attributes: { selector: { app: 'cart' } },
  });
});

test('name and key of the service are the host in lower case without its dot', () => {
  expect(serviceOf({}, {}, 'Cart.Example.com.')).toMatchObject({
    hostname: 'cart.example.com',
    name: 'cart.example.com',
  });
});

test.each([
  ['NONE', 'Passthrough'],
  ['STATIC', 'ClientSideLB'],
  ['DNS', 'DNSLB'],
  ['DNS_ROUND_ROBIN', 'DNSRoundRobinLB'],
  ['DYNAMIC_DNS', 'DynamicDNS'],
])('resolution %s becomes %s', (given, expected) => {
  expect(serviceOf({ resolution: given }).resolution).toBe(expected);
  expect(resolutionOf(serviceEntry('a', { resolution: given }))).toBe(expected);
});

test.each([
  ['http', 'HTTP', 'TCP'],
  ['gRPC-WEB', 'GRPC-Web', 'TCP'],
  ['UDP', 'UDP', 'UDP'],
  ['', 'Unsupported', 'TCP'],
  ['UnsupportedProtocol', 'Unsupported', 'TCP'],
])('protocol %p becomes %s over %s', (protocol, expected, transport) => {
  expect(portOf({ name: 'a', number: 1, protocol, targetPort: 0 })).toEqual({
    name: 'a',
    number: 1,
    protocol: expected,
    transport,
  });
});

describe('addresses', () => {
  test.each([
    ['one address', ['10.0.0.1'], '10.0.0.1', []],
    ['a CIDR block of one address is that address', ['10.0.0.1/32'], '10.0.0.1', []],
    ['an IPv6 block of one address too', ['2001:DB8::1/128'], '2001:db8::1', []],
    ['another CIDR block stays, host bits included', ['10.0.0.7/8'], '10.0.0.7/8', []],
    ['several stay in order', ['10.0.0.2', '10.0.0.0/24'], '10.0.0.2', ['10.0.0.2', '10.0.0.0/24']],
    ['the same in two spellings is one', ['2001:db8::1', '2001:DB8:0::1', '2001:db8::1/128'], '2001:db8::1', []],
    ['the unspecified one is none', ['0.0.0.0'], '0.0.0.0', []],
    ['what is no address is passed over', ['cart', '10.0.0.1/33', '10.0.0.1'], '10.0.0.1', []],
  ])('%s', (_rule, addresses, address, all) => {
    expect(serviceOf({ addresses })).toMatchObject({ address, addresses: all });
  });
});

describe('allocated addresses', () => {
  const status = {
    addresses: [
      { value: '240.240.0.2', host: 'cart.example.com' },
      { value: '2001:2::0002', host: 'Cart.example.com.' },
      { value: '240.240.0.1', host: 'cart.example.com' },
      { value: '240.240.0.9', host: 'other.example.com' },
      { value: 'strange', host: 'cart.example.com' },
    ],
  };
  const OPTED_OUT = { labels: { 'networking.istio.io/enable-autoallocate-ip': 'false' } };
  test.each([
    [
      'are those of the host, sorted and canonical',
      { resolution: 'STATIC' },
      {},
      ['2001:2::2', '240.240.0.1', '240.240.0.2'],
    ],
    ['do not count beside own addresses', { resolution: 'STATIC', addresses: ['10.0.0.1'] }, {}, []],
    ['do not count with NONE', { resolution: 'NONE' }, {}, []],
    ['do not count when the entry opts out', { resolution: 'STATIC' }, OPTED_OUT, []],
  ])('%s', (_rule, spec, metadata, expected) => {
    expect(serviceOf(spec, { metadata, status }).autoAddresses).toEqual(expected);
  });
});

describe('target ports', () => {
  const ports = [
    HTTP_PORT,
    { name: 'b', number: 53, protocol: 'UDP', targetPort: 5353 },
    { name: 'a', number: 81, targetPort: 8081 },
  ];
  test('are kept by a service without endpoints of its own', () => {
    expect(serviceOf({ resolution: 'NONE', ports }).attributes).toEqual({
      passthroughTargetPorts: { 'UDP/53': 5353, 'TCP/81': 8081 },
    });
  });

  test('are left to the endpoints otherwise', () => {
    expect(serviceOf({ resolution: 'STATIC', ports }).attributes).toEqual({});
  });
});

test.each([
  ['PreferClose', { trafficDistribution: 'PreferSameZone' }],
  ['prefersamezone', { trafficDistribution: 'PreferSameZone' }],
  ['PreferSameNode', { trafficDistribution: 'PreferSameNode' }],
  ['whatever', {}],
])('annotation traffic-distribution %p becomes %j', (value, expected) => {
  const annotations = { 'networking.istio.io/traffic-distribution': value };
  expect(serviceOf({}, { metadata: { annotations } }).attributes).toEqual(expected);
});

test('an empty selector is kept: it selects the whole namespace', () => {
  expect(serviceOf({ workloadSelector: {} }).attributes).toEqual({ selector: {} });
});
