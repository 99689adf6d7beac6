import {
  convertWorkloadEntries,
  selectsWorkloadEntry,
} from '../../../lib/registries/kubernetes/convert-workload-entries';
import {
  keptService,
  keptWorkloadEntry,
  serviceManifest,
  workloadEntryManifest,
  type Manifest,
} from '../../support/kube-manifests';

function convert(entry: Manifest, service = serviceManifest()) {
  return convertWorkloadEntries(keptService(service), [keptWorkloadEntry(entry)], 'cluster.local');
}

test('an endpoint has what the entry tells of it', () => {
  const entry = workloadEntryManifest('vm-1', {
    metadata: { labels: { tier: 'vm' } },
    spec: { serviceAccount: 'cart', network: 'net-9', weight: 7, locality: 'r/z', ports: { http: 9080 } },
  });
  expect(convert(entry)).toEqual([
    {
      addresses: ['172.16.0.1'],
      port: 9080,
      servicePort: 'http',
      labels: { app: 'cart', tier: 'vm' },
      locality: 'r/z',
      network: 'net-9',
      weight: 7,
      tlsMode: 'istio',
      serviceAccount: 'spiffe://cluster.local/ns/shop/sa/cart',
      health: 'Healthy',
      workload: { name: 'vm-1', namespace: 'shop' },
    },
  ]);
});

describe('selected by a service', () => {
  test.each([
    { rule: 'of its namespace, by labels', service: {}, entry: {}, is: true },
    { rule: 'not of another namespace', service: { metadata: { namespace: 'other' } }, entry: {}, is: false },
    { rule: 'not with other labels', service: {}, entry: { spec: { labels: { app: 'other' } } }, is: false },
    {
      rule: 'labels of the metadata count, over those of the spec',
      service: {},
      entry: { metadata: { labels: { app: 'x' } } },
      is: false,
    },
    { rule: 'not by an empty selector', service: { spec: { selector: {} } }, entry: {}, is: false },
    { rule: 'not without a selector', service: { spec: { selector: null } }, entry: {}, is: false },
    { rule: 'not by a headless service', service: { spec: { clusterIP: 'None' } }, entry: {}, is: false },
    {
      rule: 'not by an alias',
      service: { spec: { type: 'ExternalName', externalName: 'x.y', clusterIP: '' } },
      entry: {},
      is: false,
    },
  ])('$rule: $is', ({ service, entry, is }) => {
    const keptEntry = keptWorkloadEntry(workloadEntryManifest('vm-1', entry));
    expect(selectsWorkloadEntry(keptService(serviceManifest(service)), keptEntry)).toBe(is);
  });
});

describe('no endpoint', () => {
  const checked = { annotations: { 'proxy.istio.io/health-checks-enabled': 'true' } };

  test.each([
    { rule: 'a host name', entry: { spec: { address: 'vm.example.com' } }, endpoints: 0 },
    { rule: 'a socket', entry: { spec: { address: 'unix:///x' } }, endpoints: 0 },
    { rule: 'no address', entry: { spec: { address: undefined, network: 'n' } }, endpoints: 0 },
    { rule: 'a health check that has not said anything', entry: { metadata: checked }, endpoints: 0 },
    {
      rule: 'an unhealthy entry',
      entry: { metadata: checked, status: { conditions: [{ type: 'Healthy', status: 'False' }] } },
      endpoints: 0,
    },
    {
      rule: 'but a healthy one',
      entry: { metadata: checked, status: { conditions: [{ type: 'Healthy', status: 'True' }] } },
      endpoints: 1,
    },
    {
      rule: 'nor does a check that is not enabled matter',
      entry: { metadata: { annotations: { 'proxy.istio.io/health-checks-enabled': 'no' } } },
      endpoints: 1,
    },
    { rule: 'an IPv6 address is one', entry: { spec: { address: 'FD00::1' } }, endpoints: 1 },
  ])('$rule: $endpoints', ({ entry, endpoints }) => {
    expect(convert(workloadEntryManifest('vm-1', entry))).toHaveLength(endpoints);
  });
});

describe('ports', () => {
  test.each([
    { rule: 'a number leads to it', targetPort: 8080, ports: {}, is: [8080] },
    {
      rule: "a number gives way to the entry's port of the service port's name",
      targetPort: 8080,
      ports: { http: 1 },
      is: [1],
    },
    { rule: 'a name leads to the port of that name', targetPort: 'web', ports: { web: 2, http: 1 }, is: [2] },
    { rule: 'a name that the entry does not have leads nowhere', targetPort: 'web', ports: { http: 1 }, is: [] },
    { rule: 'no target port is the number of the service', targetPort: undefined, ports: {}, is: [80] },
    { rule: 'a port 0 counts as absent', targetPort: 'web', ports: { web: 0 }, is: [] },
  ])('$rule', ({ targetPort, ports, is }) => {
    const service = serviceManifest({ spec: { ports: [{ name: 'http', port: 80, targetPort }] } });
    const entry = workloadEntryManifest('vm-1', { spec: { ports } });
    expect(convert(entry, service).map(({ port }) => port)).toEqual(is);
  });

  test('each service port', () => {
    const ports = [
      { name: 'a', port: 1, targetPort: 11 },
      { name: 'b', port: 2, targetPort: 22 },
    ];
    expect(convert(workloadEntryManifest(), serviceManifest({ spec: { ports } })).map(({ port }) => port)).toEqual([
      11, 22,
    ]);
  });
});

describe('TLS mode', () => {
  test.each([
    { rule: 'disabled without an account', spec: {}, is: 'disabled' },
    { rule: 'istio with one', spec: { serviceAccount: 'x' }, is: 'istio' },
    {
      rule: 'as labelled',
      spec: { serviceAccount: 'x', labels: { app: 'cart', 'security.istio.io/tlsMode': 'none' } },
      is: 'none',
    },
  ])('$rule', ({ spec, is }) => {
    expect(convert(workloadEntryManifest('vm-1', { spec })).map(({ tlsMode }) => tlsMode)).toEqual([is]);
  });
});

test('locality: its own field, else the labels', () => {
  const labels = { app: 'cart', 'istio-locality': 'r.z' };
  expect(convert(workloadEntryManifest('vm-1', { spec: { labels } }))[0]?.locality).toBe('r/z');
  expect(convert(workloadEntryManifest('vm-1', { spec: { labels, locality: 'a/b' } }))[0]?.locality).toBe('a/b');
});
