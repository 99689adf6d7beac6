import { workloadOfEntry, workloadOfSpec } from '../../../lib/registries/external/selectable-workload';
import { workloadEntry, type EntryFields } from '../../support/external-entries';

const workloadOf = (spec: Readonly<Record<string, unknown>>, more: EntryFields = {}) =>
  workloadOfEntry(workloadEntry('vm-1', { address: '10.0.0.1', ...spec }, more), 'cluster.local');

test('a WorkloadEntry is a workload with all that it says', () => {
  expect(
    workloadOf({
      ports: { http: 8080 },
      labels: { app: 'cart' },
      network: 'vpc-1',
      locality: 'r/z/s',
      weight: 3,
      serviceAccount: 'cart',
    }),
  ).toEqual({
    namespace: 'shop',
    labels: { app: 'cart' },
    addresses: ['10.0.0.1'],
    ports: { http: 8080 },
    workload: { name: 'vm-1', namespace: 'shop' },
    locality: 'r/z/s',
    network: 'vpc-1',
    weight: 3,
    tlsMode: 'istio',
    serviceAccount: 'spiffe://cluster.local/ns/shop/sa/cart',
    sources: ['vm-1.yaml'],
  });
});

test('a WorkloadEntry that says nothing but its address has defaults', () => {
  expect(workloadOf({})).toEqual({
    namespace: 'shop',
    labels: {},
    addresses: ['10.0.0.1'],
    ports: {},
    workload: { name: 'vm-1', namespace: 'shop' },
    locality: '',
    network: '',
    weight: 0,
    tlsMode: 'disabled',
    serviceAccount: '',
    sources: ['vm-1.yaml'],
  });
});

test('labels of the metadata lie over those of the spec', () => {
  const labels = { app: 'cart', version: 'v1' };
  expect(workloadOf({ labels }, { metadata: { labels: { version: 'v2', team: 'a' } } })?.labels).toEqual({
    app: 'cart',
    team: 'a',
    version: 'v2',
  });
});

test.each([
  ['unix:///var/run/a.sock', '/var/run/a.sock'],
  ['unix://@a', '@a'],
  ['vm.example.com', 'vm.example.com'],
  ['', ''],
])('address %p leads to %p', (address, expected) => {
  expect(workloadOf({ address, network: 'n' })?.addresses).toEqual([expected]);
});

describe('TLS mode', () => {
  test.each([
    ['is disabled without label and account', {}, {}, 'disabled'],
    ['is istio with an account', { serviceAccount: 'a' }, {}, 'istio'],
    ['is what the label says', { labels: { 'security.istio.io/tlsMode': 'istio' } }, {}, 'istio'],
    [
      'is what the label says even with an account',
      { serviceAccount: 'a', labels: { 'security.istio.io/tlsMode': 'disabled' } },
      {},
      'disabled',
    ],
    ['is what the label of the metadata says', {}, { labels: { 'security.istio.io/tlsMode': 'custom' } }, 'custom'],
  ])('%s', (_rule, spec, metadata, expected) => {
    expect(workloadOf(spec, { metadata })?.tlsMode).toBe(expected);
  });
});

describe('locality', () => {
  test.each([
    ['is the field', { locality: 'a.b', labels: { 'topology.istio.io/locality': 'c' } }, 'a.b'],
    ['is the label, with dots for slashes', { labels: { 'topology.istio.io/locality': 'r.z.s' } }, 'r/z/s'],
    ['is the label as it stands when it has a slash', { labels: { 'topology.istio.io/locality': 'r.1/z' } }, 'r.1/z'],
    ['is the old label', { labels: { 'istio-locality': 'r.z' } }, 'r/z'],
    ['is the new label of both', { labels: { 'istio-locality': 'o', 'topology.istio.io/locality': 'n' } }, 'n'],
    ['is empty when the new label is', { labels: { 'istio-locality': 'o', 'topology.istio.io/locality': '' } }, ''],
  ])('%s', (_rule, spec, expected) => {
    expect(workloadOf(spec)?.locality).toBe(expected);
  });
});

test('the network is the field only, not the label', () => {
  expect(workloadOf({ labels: { 'topology.istio.io/network': 'n' } })?.network).toBe('');
});

describe('the name', () => {
  const annotations = { 'istio.io/autoRegistrationGroup': 'group' };
  const labels = { 'service.istio.io/workload-name': 'name' };
  test.each([
    ['is the group that registered it', { annotations, labels }, {}, 'group'],
    ['is the label', { labels }, {}, 'name'],
    ['is not a label of the spec', {}, { labels }, 'vm-1'],
    ["is the entry's else", {}, {}, 'vm-1'],
  ])('%s', (_rule, metadata, spec, name) => {
    expect(workloadOf(spec, { metadata })?.workload).toEqual({ name, namespace: 'shop' });
  });
});

describe('with health checks', () => {
  const healthy = {
    conditions: [
      { type: 'Ready', status: 'False' },
      { type: 'Healthy', status: 'True' },
    ],
  };
  const unhealthy = { conditions: [{ type: 'Healthy', status: 'False' }] };
  const unknown = { conditions: [{ type: 'Healthy', status: 'Unknown' }] };
  test.each([
    ['true', healthy, true],
    ['true', unhealthy, false],
    ['true', unknown, false],
    ['true', { conditions: [] }, false],
    ['1', unhealthy, false],
    ['t', unhealthy, false],
    ['T', unhealthy, false],
    ['TRUE', unhealthy, false],
    ['True', unhealthy, false],
    ['tRUE', unhealthy, true],
    ['yes', unhealthy, true],
    ['false', unhealthy, true],
    ['', unhealthy, true],
  ])('%p and status %j, it counts: %p', (enabled, status, counts) => {
    const metadata = { annotations: { 'proxy.istio.io/health-checks-enabled': enabled } };
    expect(workloadOf({}, { metadata, status }) !== undefined).toBe(counts);
  });

  test('not asked for, an unhealthy one counts', () => {
    expect(workloadOf({}, { status: unhealthy })).toBeDefined();
  });
});

test('an endpoint within a ServiceEntry is a workload of that entry', () => {
  const { spec } = workloadEntry('x', { address: '10.0.0.1', serviceAccount: 'cart' });
  expect(workloadOfSpec(spec, { name: 'cart', namespace: 'shop', source: 'cart.yaml' }, 'a@b')).toMatchObject({
    workload: { name: 'cart', namespace: 'shop' },
    serviceAccount: 'spiffe://a.b/ns/shop/sa/cart',
    sources: ['cart.yaml'],
  });
});
