import { convertManifests } from '../../../lib/registries/external/convert-manifests';
import type { Manifest } from '../../../lib/registries/external/parse-manifest';
import { HTTP_PORT, serviceEntry, workloadEntry } from '../../support/external-entries';

const manifest = (contents: Partial<Manifest>): Manifest => ({
  serviceEntries: [],
  workloadEntries: [],
  notes: [],
  problems: [],
  ...contents,
});

const CART = serviceEntry('cart', {
  hosts: ['cart.example.com'],
  ports: [HTTP_PORT],
  resolution: 'STATIC',
  workloadSelector: { labels: { app: 'cart' } },
});
const vm = (name: string, address: string, more = {}) =>
  workloadEntry(name, { address, labels: { app: 'cart' } }, more);

test('a selector reaches over manifests', () => {
  const manifests = [
    manifest({ workloadEntries: [vm('vm-1', '10.0.0.1')] }),
    manifest({ serviceEntries: [CART] }),
    manifest({ workloadEntries: [vm('vm-2', '10.0.0.2')] }),
  ];
  const { snapshots, notes } = convertManifests(manifests, 'External/shared', 'cluster.local');
  expect(notes).toEqual([]);
  expect(snapshots).toMatchObject([
    {
      key: 'shop/cart.example.com',
      registry: 'External/shared',
      endpoints: [{ addresses: ['10.0.0.1'] }, { addresses: ['10.0.0.2'] }],
      sources: ['cart.yaml', 'vm-1.yaml', 'vm-2.yaml'],
    },
  ]);
});

test('a WorkloadEntry whose health nobody has confirmed is no endpoint, and its manifest no source', () => {
  const metadata = { annotations: { 'proxy.istio.io/health-checks-enabled': 'true' } };
  const manifests = [manifest({ serviceEntries: [CART], workloadEntries: [vm('vm-1', '10.0.0.1', { metadata })] })];
  expect(convertManifests(manifests, 'External/shared', 'cluster.local').snapshots).toMatchObject([
    { endpoints: [], sources: ['cart.yaml'] },
  ]);
});

test('objects of one name all count, with a note that names their manifests', () => {
  const manifests = [
    manifest({ serviceEntries: [CART], workloadEntries: [vm('vm', '10.0.0.1', { source: 'b.yaml' })] }),
    manifest({
      serviceEntries: [serviceEntry('cart', CART.spec, { source: 'copy.yaml' })],
      workloadEntries: [vm('vm', '10.0.0.2', { source: 'a.yaml' }), vm('vm', '10.0.0.3', { source: 'b.yaml' })],
    }),
  ];
  const { snapshots, notes } = convertManifests(manifests, 'External/shared', 'cluster.local');
  expect(snapshots[0]?.endpoints.map(({ addresses }) => addresses[0])).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  expect(notes).toEqual([
    {
      code: 'DuplicateObject',
      message: 'ServiceEntry shop/cart stands 2 times, in cart.yaml, copy.yaml: all of them count',
    },
    { code: 'DuplicateObject', message: 'WorkloadEntry shop/vm stands 3 times, in a.yaml, b.yaml: all of them count' },
  ]);
});

test('of no manifests there are no services', () => {
  expect(convertManifests([], 'External/shared', 'cluster.local')).toEqual({ snapshots: [], notes: [] });
});
