import { convertSlices, type PodLookup } from '../../../lib/registries/kubernetes/convert-slices';
import {
  keptPod,
  keptService,
  keptSlice,
  podManifest,
  serviceManifest,
  sliceManifest,
  type ListedEndpoint,
  type Manifest,
} from '../../support/kube-manifests';

const notReady = { ready: false, serving: false, terminating: false };
const terminating = { ready: false, serving: true, terminating: true };
const conversion = { trustDomain: 'cluster.local', network: 'net-1', publishUnhealthy: false };

function lookup(pods: readonly Manifest[], readable = true): PodLookup {
  const kept = pods.map(keptPod);
  return {
    named: (namespace, name) => kept.find((pod) => pod.namespace === namespace && pod.name === name),
    readyAt: (namespace, ip) => kept.find((pod) => pod.namespace === namespace && pod.ready && pod.ips.includes(ip)),
    localityOfNode: (node) => `locality-of-${node}`,
    readable,
  };
}

function convert(
  slices: readonly Manifest[],
  pods: readonly Manifest[] = [],
  options: { readonly service?: Manifest; readonly publishUnhealthy?: boolean; readonly readable?: boolean } = {},
) {
  return convertSlices(
    keptService(options.service ?? serviceManifest()),
    slices.map(keptSlice),
    lookup(pods, options.readable),
    { ...conversion, publishUnhealthy: options.publishUnhealthy ?? false },
  );
}

/** `workload address:port/name health` of each endpoint. */
function short({ endpoints }: ReturnType<typeof convert>): readonly string[] {
  return endpoints.map(
    ({ workload, addresses, port, servicePort, health }) =>
      `${workload.name} ${addresses.join('+')}:${port}/${servicePort} ${health}`,
  );
}

test('an endpoint has what its Pod tells of it', () => {
  const pod = podManifest('cart-0', '10.1.0.1', {
    metadata: { labels: { app: 'cart', 'security.istio.io/tlsMode': 'istio', 'topology.istio.io/network': 'net-2' } },
    spec: { subdomain: 'carts' },
  });
  expect(convert([sliceManifest([{ addresses: ['10.1.0.1'], pod: 'cart-0' }])], [pod])).toEqual({
    endpoints: [
      {
        addresses: ['10.1.0.1'],
        port: 8080,
        servicePort: 'http',
        labels: { app: 'cart', 'security.istio.io/tlsMode': 'istio', 'topology.istio.io/network': 'net-2' },
        locality: 'locality-of-node-a',
        network: 'net-2',
        weight: 0,
        tlsMode: 'istio',
        serviceAccount: 'spiffe://cluster.local/ns/shop/sa/cart',
        health: 'Healthy',
        workload: { name: 'cart-0', namespace: 'shop' },
        hostname: 'cart-0',
        subdomain: 'carts',
        node: 'node-a',
      },
    ],
    withheld: [],
  });
});

describe('addresses and ports', () => {
  const ports = [
    { name: 'http', port: 8080 },
    { name: 'grpc', port: 9090 },
  ];

  test.each([
    { rule: 'each port', slice: { ports }, is: [' 10.1.0.1:8080/http Healthy', ' 10.1.0.1:9090/grpc Healthy'] },
    { rule: 'no ports, no endpoints', slice: { ports: [] }, is: [] },
    { rule: 'ports never written', slice: { ports: null }, is: [] },
    { rule: 'no number is 0', slice: { ports: [{ name: 'http' }] }, is: [' 10.1.0.1:0/http Healthy'] },
    { rule: 'no name is empty', slice: { ports: [{ port: 80 }] }, is: [' 10.1.0.1:80/ Healthy'] },
  ])('$rule', ({ slice, is }) => {
    expect(short(convert([sliceManifest([{ addresses: ['10.1.0.1'] }], slice)]))).toEqual(is);
  });

  test('each address, in its canonical spelling', () => {
    const slice = sliceManifest([{ addresses: ['FD00::0001', 'fd00::2'] }], { addressType: 'IPv6' });
    expect(short(convert([slice]))).toEqual([' fd00::1:8080/http Healthy', ' fd00::2:8080/http Healthy']);
  });

  test('slices of one service are united', () => {
    const slices = [
      sliceManifest([{ addresses: ['10.1.0.1'] }]),
      sliceManifest([{ addresses: ['10.1.0.2'] }], {
        metadata: { name: 'cart-2', labels: { 'kubernetes.io/service-name': 'cart' } },
      }),
    ];
    expect(short(convert(slices))).toHaveLength(2);
  });
});

describe('health', () => {
  const slice = sliceManifest([
    { addresses: ['10.1.0.1'] },
    { addresses: ['10.1.0.2'], conditions: notReady },
    { addresses: ['10.1.0.3'], conditions: terminating },
  ]);

  test('what is not ready is not published', () => {
    expect(short(convert([slice]))).toEqual([' 10.1.0.1:8080/http Healthy']);
  });

  test('unless that is wished', () => {
    expect(short(convert([slice], [], { publishUnhealthy: true }))).toEqual([
      ' 10.1.0.1:8080/http Healthy',
      ' 10.1.0.2:8080/http UnHealthy',
      ' 10.1.0.3:8080/http Terminating',
    ]);
  });

  test('terminating endpoints of headless services are published', () => {
    const service = serviceManifest({ spec: { clusterIP: 'None' } });
    expect(short(convert([slice], [], { service }))).toEqual([
      ' 10.1.0.1:8080/http Healthy',
      ' 10.1.0.3:8080/http Terminating',
    ]);
  });
});

describe('Pods', () => {
  const slice = sliceManifest([
    { addresses: ['10.1.0.1'], pod: 'cart-0' },
    { addresses: ['10.1.0.2'], pod: 'cart-1' },
  ]);

  test('pitfall 36: an endpoint whose Pod has not been seen is withheld', () => {
    const converted = convert([slice], [podManifest('cart-0', '10.1.0.1')]);
    expect(short(converted)).toEqual(['cart-0 10.1.0.1:8080/http Healthy']);
    expect(converted.withheld).toEqual(['shop/cart-1']);
  });

  test('where Pods may not be read, endpoints are published as they stand, apart by the name of the Pod', () => {
    const converted = convert([slice], [], { readable: false });
    expect(converted.withheld).toEqual([]);
    expect(
      converted.endpoints.map(({ workload, tlsMode, serviceAccount, labels, network }) => ({
        workload,
        tlsMode,
        serviceAccount,
        labels,
        network,
      })),
    ).toEqual(
      ['cart-0', 'cart-1'].map((name) => ({
        workload: { name, namespace: 'shop' },
        tlsMode: 'disabled',
        serviceAccount: '',
        labels: {},
        network: 'net-1',
      })),
    );
  });

  test('a Pod without a node has no locality', () => {
    const pod = podManifest('cart-0', '10.1.0.1', { spec: { nodeName: '' } });
    const { endpoints } = convert([sliceManifest([{ addresses: ['10.1.0.1'], pod: 'cart-0' }])], [pod]);
    expect(endpoints.map(({ locality, node }) => [locality, node])).toEqual([['', undefined]]);
  });

  test('without a name in the slice, a ready Pod at the address supplies the metadata', () => {
    expect(short(convert([sliceManifest([{ addresses: ['10.1.0.1'] }])], [podManifest('cart-0', '10.1.0.1')]))).toEqual(
      ['cart-0 10.1.0.1:8080/http Healthy'],
    );
  });

  test('something else in the slice is no Pod', () => {
    const endpoints = [{ addresses: ['10.1.0.1'], targetRef: { kind: 'VirtualMachine', name: 'vm' } }];
    expect(short(convert([sliceManifest([], { endpoints })]))).toEqual([' 10.1.0.1:8080/http Healthy']);
  });

  test('two Pods on one address are two endpoints', () => {
    const shared = sliceManifest([
      { addresses: ['10.1.0.1'], pod: 'cart-0' },
      { addresses: ['10.1.0.1'], pod: 'cart-1' },
    ]);
    expect(short(convert([shared], [podManifest('cart-0', '10.1.0.1'), podManifest('cart-1', '10.1.0.1')]))).toEqual([
      'cart-0 10.1.0.1:8080/http Healthy',
      'cart-1 10.1.0.1:8080/http Healthy',
    ]);
  });
});

describe('dual stack', () => {
  const bothIps = { status: { podIPs: [{ ip: 'fd00::1' }, { ip: '10.1.0.1' }] } };
  const pod = podManifest('cart-0', 'fd00::1', bothIps);
  const v4 = sliceManifest([{ addresses: ['10.1.0.1'], pod: 'cart-0' }]);
  const v6 = sliceManifest([{ addresses: ['fd00::1'], pod: 'cart-0' }], {
    addressType: 'IPv6',
    metadata: { name: 'cart-v6', labels: { 'kubernetes.io/service-name': 'cart' } },
  });
  const dual = serviceManifest({ spec: { clusterIPs: ['10.0.0.10', 'fd00:1::10'] } });

  test('one endpoint with the addresses in the order of the Pod', () => {
    expect(short(convert([v6, v4], [pod], { service: dual }))).toEqual(['cart-0 fd00::1+10.1.0.1:8080/http Healthy']);
  });

  test('a service of one family takes each address as it comes', () => {
    expect(short(convert([v4, v6], [pod]))).toEqual([
      'cart-0 10.1.0.1:8080/http Healthy',
      'cart-0 fd00::1:8080/http Healthy',
    ]);
  });

  test('so does a Pod of one family', () => {
    expect(short(convert([v4], [podManifest('cart-0', '10.1.0.1')], { service: dual }))).toEqual([
      'cart-0 10.1.0.1:8080/http Healthy',
    ]);
  });

  test('a slice that names no Pod is taken as it stands', () => {
    const bare = sliceManifest([{ addresses: ['fd00::1'] }], { addressType: 'IPv6' });
    expect(short(convert([bare], [pod], { service: dual }))).toEqual(['cart-0 fd00::1:8080/http Healthy']);
  });
});

describe('doubles: a Pod that moves between slices', () => {
  const listed = (conditions?: Manifest): ListedEndpoint => ({
    addresses: ['10.1.0.1'],
    pod: 'cart-0',
    ...(conditions === undefined ? {} : { conditions }),
  });
  const slice = (name: string, conditions?: Manifest, port = 8080) =>
    sliceManifest([listed(conditions)], {
      metadata: { name, labels: { 'kubernetes.io/service-name': 'cart' } },
      ports: [{ name: 'http', port }],
    });
  const ready = podManifest('cart-0', '10.1.0.1');
  const unready = podManifest('cart-0', '10.1.0.1', { status: { conditions: [{ type: 'Ready', status: 'False' }] } });

  test.each([
    {
      rule: 'agrees with a ready Pod',
      slices: [slice('a', notReady, 1), slice('b', undefined, 2)],
      pod: ready,
      is: ['cart-0 10.1.0.1:2/http Healthy'],
    },
    {
      rule: 'agrees with a Pod that is not',
      slices: [slice('a', undefined, 1), slice('b', notReady, 2)],
      pod: unready,
      is: ['cart-0 10.1.0.1:2/http UnHealthy'],
    },
    {
      rule: 'else not ready before terminating',
      slices: [slice('a', terminating, 1), slice('b', notReady, 2)],
      pod: unready,
      is: ['cart-0 10.1.0.1:2/http UnHealthy'],
    },
    {
      rule: 'else the first by name',
      slices: [slice('b', undefined, 2), slice('a', undefined, 1)],
      pod: ready,
      is: ['cart-0 10.1.0.1:1/http Healthy'],
    },
  ])('$rule', ({ slices, pod, is }) => {
    expect(short(convert(slices, [pod], { publishUnhealthy: true }))).toEqual(is);
    expect(short(convert([...slices].reverse(), [pod], { publishUnhealthy: true }))).toEqual(is);
  });

  test('moving is no change', () => {
    const before = convert([slice('a')], [ready]);
    expect(convert([slice('a'), slice('b')], [ready])).toEqual(before);
    expect(convert([slice('b')], [ready])).toEqual(before);
  });

  test('a stale slice does not publish what the Pod denies', () => {
    expect(short(convert([slice('a'), slice('b', notReady)], [unready]))).toEqual([]);
  });
});
