import type { PortKey } from '../../../lib/model/port';
import { endpointOf, endpointsOfEntry } from '../../../lib/registries/external/endpoints-of-entry';
import { workloadOfEntry } from '../../../lib/registries/external/selectable-workload';
import { indexWorkloads } from '../../../lib/registries/external/workload-index';
import { HTTP_PORT, serviceEntry, workloadEntry } from '../../support/external-entries';

const TCP_PORT = { name: 'tcp', number: 9000, protocol: 'TCP', targetPort: 9001 };
const BOTH = { hosts: ['cart.example.com'], ports: [HTTP_PORT, TCP_PORT] };

const VMS = [
  workloadEntry('vm-1', { address: '10.0.0.1', labels: { app: 'cart' } }),
  workloadEntry('vm-2', { address: 'VM-2.example.com', labels: { app: 'cart' } }),
  workloadEntry('vm-3', { address: 'unix:///run/cart.sock', labels: { app: 'cart' } }),
  workloadEntry('vm-4', { network: 'vpc-1', labels: { app: 'cart' } }),
  workloadEntry('vm-5', { address: '10.0.0.5', labels: { app: 'pay' } }),
];
const WORKLOADS = indexWorkloads(VMS.flatMap((entry) => workloadOfEntry(entry, 'cluster.local') ?? []));
const NAMES = new Map<PortKey, string>([['TCP/80', 'http']]);

function endpointsOf(spec: Readonly<Record<string, unknown>>, host = 'cart.example.com') {
  const { endpoints, sources, notes } = endpointsOfEntry(
    serviceEntry('cart', spec),
    host,
    NAMES,
    WORKLOADS,
    'cluster.local',
  );
  return {
    endpoints: endpoints.map(
      ({ port, endpoint }) =>
        `${port} ${endpoint.servicePort} ${endpoint.workload.name} ${endpoint.addresses.join()}:${endpoint.port}`,
    ),
    sources,
    notes,
  };
}

describe('the port of an endpoint', () => {
  const workload = (spec: Readonly<Record<string, unknown>>) =>
    workloadOfEntry(workloadEntry('vm', spec), 'cluster.local')!;
  const IP = { address: '10.0.0.1' };
  test.each([
    ["is the workload's own of that name", { ...IP, ports: { http: 8080 } }, 8081, 8080],
    ['is the target port without one', { ...IP, ports: { tcp: 1 } }, 8081, 8081],
    ['is the number of the port without a target', IP, 0, 80],
    ['0 of the workload is none given', { ...IP, ports: { http: 0 } }, 8081, 8081],
    ['is 0 for a unix socket', { address: 'unix:///a', ports: {} }, 8081, 0],
    ['is 0 for an abstract socket', { address: 'unix://@a' }, 0, 0],
  ])('%s', (_rule, spec, targetPort, expected) => {
    expect(endpointOf(workload(spec), { name: 'http', number: 80, targetPort }, 'web')).toMatchObject({
      port: expected,
      servicePort: 'web',
    });
  });

  test('is not taken from what every object has', () => {
    expect(endpointOf(workload(IP), { name: 'constructor', number: 80, targetPort: 0 }, 'x').port).toBe(80);
  });
});

test('an endpoint has all that its workload has', () => {
  const vm = workloadEntry('vm', {
    address: '2001:DB8::1',
    labels: { app: 'cart' },
    network: 'vpc-1',
    locality: 'r/z',
    weight: 2,
    serviceAccount: 'cart',
  });
  const workload = {
    ...workloadOfEntry(vm, 'cluster.local')!,
    health: 'Draining' as const,
    hostname: 'h',
    subdomain: 's',
    node: 'n',
  };
  expect(endpointOf(workload, { name: 'http', number: 80, targetPort: 0 }, 'http')).toEqual({
    addresses: ['2001:db8::1'],
    port: 80,
    servicePort: 'http',
    labels: { app: 'cart' },
    locality: 'r/z',
    network: 'vpc-1',
    weight: 2,
    tlsMode: 'istio',
    serviceAccount: 'spiffe://cluster.local/ns/shop/sa/cart',
    health: 'Draining',
    workload: { name: 'vm', namespace: 'shop' },
    hostname: 'h',
    subdomain: 's',
    node: 'n',
  });
});

describe('endpoints that the entry lists', () => {
  test('are one for each port, named as the service names it', () => {
    const endpoints = [{ address: '10.0.0.1' }, { address: '10.0.0.2', ports: { tcp: 7 } }];
    expect(endpointsOf({ ...BOTH, resolution: 'STATIC', endpoints })).toEqual({
      endpoints: [
        'TCP/80 http cart 10.0.0.1:80',
        'TCP/80 http cart 10.0.0.2:80',
        'TCP/9000 tcp cart 10.0.0.1:9001',
        'TCP/9000 tcp cart 10.0.0.2:7',
      ],
      sources: ['cart.yaml', 'cart.yaml'],
      notes: [],
    });
  });

  test('may lack an address: the gateway of their network has one', () => {
    expect(
      endpointsOf({ ...BOTH, ports: [HTTP_PORT], resolution: 'STATIC', endpoints: [{ network: 'n' }] }).endpoints,
    ).toEqual(['TCP/80 http cart :80']);
  });

  test('have no labels, no account and no TLS that they do not mention', () => {
    const { endpoints } = endpointsOfEntry(
      serviceEntry('cart', { ...BOTH, resolution: 'DNS' }),
      'cart.example.com',
      NAMES,
      WORKLOADS,
      'cluster.local',
    );
    expect(endpoints[0]?.endpoint).toEqual({
      addresses: ['cart.example.com'],
      port: 80,
      servicePort: 'http',
      labels: {},
      locality: '',
      network: '',
      weight: 0,
      tlsMode: 'disabled',
      serviceAccount: '',
      health: 'Healthy',
      workload: { name: 'cart', namespace: 'shop' },
    });
  });
});

describe('without endpoints and selector', () => {
  test.each(['DNS', 'DNS_ROUND_ROBIN'])('%s resolves the host itself, once a port', (resolution) => {
    expect(endpointsOf({ ...BOTH, resolution })).toEqual({
      endpoints: ['TCP/80 http cart cart.example.com:80', 'TCP/9000 tcp cart cart.example.com:9001'],
      sources: ['cart.yaml'],
      notes: [],
    });
  });

  test.each(['NONE', 'STATIC', 'DYNAMIC_DNS'])('%s has no endpoints', (resolution) => {
    expect(endpointsOf({ ...BOTH, resolution })).toEqual({ endpoints: [], sources: [], notes: [] });
  });

  test('a wildcard, which is a mistake, has no endpoints but a note', () => {
    expect(endpointsOf({ ...BOTH, resolution: 'DNS' }, '*.example.com')).toEqual({
      endpoints: [],
      sources: [],
      notes: [
        {
          code: 'WildcardUnresolvable',
          message:
            'Service *.example.com of ServiceEntry shop/cart has no endpoints: a wildcard cannot be resolved by DNS',
        },
      ],
    });
  });
});

describe('with a selector', () => {
  const SELECTING = { ...BOTH, ports: [HTTP_PORT], workloadSelector: { labels: { app: 'cart' } } };
  const unusable = (name: string, address: string, resolution: string) => ({
    code: 'WorkloadAddressUnusable',
    message: `Workload shop/${name} has address ${address}: service cart.example.com has resolution ${resolution} and takes IP addresses only, so it is left out`,
  });

  test.each(['STATIC', 'NONE'])('%s takes the workloads that have an IP, or only a network', (resolution) => {
    expect(endpointsOf({ ...SELECTING, resolution })).toEqual({
      endpoints: ['TCP/80 http vm-1 10.0.0.1:80', 'TCP/80 http vm-4 :80'],
      sources: ['vm-1.yaml', 'vm-4.yaml'],
      notes: [unusable('vm-2', 'VM-2.example.com', resolution), unusable('vm-3', '/run/cart.sock', resolution)],
    });
  });

  test.each(['DNS', 'DNS_ROUND_ROBIN'])('%s takes all of them', (resolution) => {
    expect(endpointsOf({ ...SELECTING, resolution })).toEqual({
      endpoints: [
        'TCP/80 http vm-1 10.0.0.1:80',
        'TCP/80 http vm-2 vm-2.example.com:80',
        'TCP/80 http vm-3 /run/cart.sock:0',
        'TCP/80 http vm-4 :80',
      ],
      sources: ['vm-1.yaml', 'vm-2.yaml', 'vm-3.yaml', 'vm-4.yaml'],
      notes: [],
    });
  });

  test('DYNAMIC_DNS takes none', () => {
    expect(endpointsOf({ ...SELECTING, resolution: 'DYNAMIC_DNS' })).toEqual({ endpoints: [], sources: [], notes: [] });
  });

  test('endpoints beside it, which are a mistake, do not count', () => {
    const selected = endpointsOf({ ...SELECTING, resolution: 'STATIC', endpoints: [{ address: '10.0.0.9' }] });
    expect(selected.endpoints).toEqual(['TCP/80 http vm-1 10.0.0.1:80', 'TCP/80 http vm-4 :80']);
  });

  test('that finds nobody DNS does not fall back to the host', () => {
    expect(
      endpointsOf({ ...SELECTING, resolution: 'DNS', workloadSelector: { labels: { app: 'x' } } }).endpoints,
    ).toEqual([]);
  });

  test('only the own namespace is searched', () => {
    const entry = serviceEntry('cart', { ...SELECTING, resolution: 'STATIC' }, { metadata: { namespace: 'default' } });
    expect(endpointsOfEntry(entry, 'cart.example.com', NAMES, WORKLOADS, 'cluster.local').endpoints).toEqual([]);
  });
});
