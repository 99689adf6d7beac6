import { convertService, resolutionOf } from '../../../lib/registries/kubernetes/convert-service';
import {
  keptNamespace,
  keptService,
  namespaceManifest,
  serviceManifest,
  type Manifest,
} from '../../support/kube-manifests';

const conversion = { cluster: 'prod', domainSuffix: 'cluster.local', trustDomain: 'td@x' };

function convert(parts: Parameters<typeof serviceManifest>[0] = {}, namespace?: Manifest) {
  return convertService(
    keptService(serviceManifest(parts)),
    namespace === undefined ? undefined : keptNamespace(namespace),
    conversion,
  );
}

test('one service an object, with everything that the object says', () => {
  const service = convert({
    metadata: { labels: { team: 'a' }, creationTimestamp: '2026-01-02T03:04:05Z' },
    spec: { sessionAffinity: 'ClientIP', internalTrafficPolicy: 'Local', publishNotReadyAddresses: true },
  });
  expect(service).toEqual({
    hostname: 'cart.shop.svc.cluster.local',
    namespace: 'shop',
    name: 'cart',
    address: '10.0.0.10',
    addresses: [],
    autoAddresses: [],
    ports: [{ name: 'http', number: 80, protocol: 'HTTP', transport: 'TCP' }],
    resolution: 'ClientSideLB',
    meshExternal: false,
    serviceAccounts: [],
    exportTo: [],
    labels: { team: 'a' },
    creationTime: '2026-01-02T03:04:05Z',
    clusterVips: { prod: ['10.0.0.10'] },
    externalAddresses: {},
    attributes: {
      internalTrafficPolicy: 'Local',
      publishNotReadyAddresses: true,
      selector: { app: 'cart' },
      sessionAffinity: 'ClientIP',
      type: 'ClusterIP',
    },
  });
});

describe('addresses', () => {
  test.each([
    {
      rule: 'one',
      spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] },
      address: '10.0.0.1',
      addresses: [],
      vips: ['10.0.0.1'],
    },
    {
      rule: 'dual stack',
      spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'FD00::0001'] },
      address: '10.0.0.1',
      addresses: ['10.0.0.1', 'fd00::1'],
      vips: ['10.0.0.1', 'fd00::1'],
    },
    {
      rule: 'headless',
      spec: { clusterIP: 'None', clusterIPs: ['None'] },
      address: '0.0.0.0',
      addresses: [],
      vips: ['0.0.0.0'],
    },
    {
      rule: 'ExternalName',
      spec: { type: 'ExternalName', externalName: 'example.com', clusterIP: '', clusterIPs: undefined },
      address: '0.0.0.0',
      addresses: [],
      vips: ['0.0.0.0'],
    },
  ])('$rule', ({ spec, address, addresses, vips }) => {
    const service = convert({ spec });
    expect([service.address, service.addresses, service.clusterVips]).toEqual([address, addresses, { prod: vips }]);
  });
});

describe('resolution', () => {
  test.each([
    { rule: 'cluster IP', spec: {}, resolution: 'ClientSideLB', meshExternal: false },
    { rule: 'headless', spec: { clusterIP: 'None' }, resolution: 'Passthrough', meshExternal: false },
    {
      rule: 'an alias',
      spec: { type: 'ExternalName', externalName: 'a.b', clusterIP: '' },
      resolution: 'Alias',
      meshExternal: true,
    },
    {
      rule: 'headless wins',
      spec: { type: 'ExternalName', externalName: 'a.b', clusterIP: 'None' },
      resolution: 'Passthrough',
      meshExternal: true,
    },
    {
      rule: 'no external name',
      spec: { type: 'ExternalName', clusterIP: '' },
      resolution: 'ClientSideLB',
      meshExternal: false,
    },
  ])('$rule', ({ spec, resolution, meshExternal }) => {
    const manifest = serviceManifest({ spec });
    expect(resolutionOf(keptService(manifest))).toBe(resolution);
    expect(convert({ spec })).toMatchObject({ resolution, meshExternal });
  });

  test('an alias names what it stands for', () => {
    const { attributes } = convert({ spec: { type: 'ExternalName', externalName: 'Example.com', clusterIP: '' } });
    expect(attributes.externalName).toBe('Example.com');
  });
});

test('pitfall 37: UDP and TCP on one number are two ports', () => {
  const { ports } = convert({
    spec: {
      ports: [
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ],
    },
  });
  expect(ports).toEqual([
    { name: 'dns-tcp', number: 53, protocol: 'TCP', transport: 'TCP' },
    { name: 'dns', number: 53, protocol: 'UDP', transport: 'UDP' },
  ]);
});

describe('annotations', () => {
  test('accounts: canonical ones verbatim, Kubernetes ones as SPIFFE identities', () => {
    const annotations = {
      'alpha.istio.io/canonical-serviceaccounts': 'b@x,a',
      'alpha.istio.io/kubernetes-serviceaccounts': 'one,two',
    };
    expect(convert({ metadata: { annotations } }).serviceAccounts).toEqual([
      'a',
      'b@x',
      'spiffe://td.x/ns/shop/sa/one',
      'spiffe://td.x/ns/shop/sa/two',
    ]);
  });

  test.each([
    { text: undefined, is: [] },
    { text: '', is: [] },
    { text: '.', is: ['.'] },
    { text: ' b , a,,b', is: ['a', 'b'] },
  ])('exportTo $text', ({ text, is }) => {
    const annotations = text === undefined ? {} : { 'networking.istio.io/exportTo': text };
    expect(convert({ metadata: { annotations } }).exportTo).toEqual(is);
  });

  test('others are not kept: kubectl apply stores the whole manifest in one', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    expect(keptService(serviceManifest({ metadata: { annotations } })).annotations).toEqual({});
  });

  test("traffic distribution of the namespace's annotation", () => {
    const namespace = namespaceManifest('shop', {
      annotations: { 'networking.istio.io/traffic-distribution': 'PreferClose' },
    });
    expect(convert({}, namespace).attributes.trafficDistribution).toBe('PreferSameZone');
  });
});

describe('external addresses', () => {
  const ingress = { loadBalancer: { ingress: [{ ip: '1.2.3.4', hostname: 'x' }, { hostname: 'LB.example.com' }, {}] } };

  test.each([
    { rule: 'of a load balancer: IP, else name', type: 'LoadBalancer', spec: {}, is: ['1.2.3.4', 'lb.example.com'] },
    {
      rule: 'external IPs are added',
      type: 'LoadBalancer',
      spec: { externalIPs: ['9.9.9.9'] },
      is: ['1.2.3.4', 'lb.example.com', '9.9.9.9'],
    },
    { rule: 'external IPs of any type', type: 'ClusterIP', spec: { externalIPs: ['9.9.9.9'] }, is: ['9.9.9.9'] },
  ])('$rule', ({ type, spec, is }) => {
    expect(convert({ spec: { ...spec, type }, status: ingress }).externalAddresses).toEqual({ prod: is });
  });

  test('none', () => {
    expect(convert({ status: { loadBalancer: {} } }).externalAddresses).toEqual({});
  });
});

describe('node ports', () => {
  const ports = [{ name: 'http', port: 80, protocol: 'TCP', nodePort: 30080 }];
  const annotations = { 'traffic.istio.io/nodeSelector': '{}' };

  test.each([
    { rule: 'where the nodes are named', type: 'NodePort', annotations, is: { 'TCP/80': 30080 } },
    { rule: 'not otherwise', type: 'NodePort', annotations: {}, is: undefined },
    { rule: 'not of other types', type: 'LoadBalancer', annotations, is: undefined },
  ])('$rule', ({ type, is, ...metadata }) => {
    expect(convert({ metadata, spec: { type, ports } }).attributes.nodePorts).toEqual(is);
  });
});
