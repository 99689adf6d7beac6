import {
  compareCatalogEndpoints,
  compareEndpoints,
  makeEndpoint,
  type CatalogEndpoint,
} from '../../lib/model/endpoint';

const first = makeEndpoint({
  addresses: ['10.0.0.1'],
  port: 80,
  servicePort: 'http',
  workload: { name: 'b', namespace: 'shop' },
});

describe('makeEndpoint', () => {
  test('fills in what is not said', () => {
    expect(first).toEqual({
      addresses: ['10.0.0.1'],
      port: 80,
      servicePort: 'http',
      labels: {},
      locality: '',
      network: '',
      weight: 0,
      tlsMode: 'disabled',
      serviceAccount: '',
      health: 'Healthy',
      workload: { name: 'b', namespace: 'shop' },
    });
  });

  test('keeps what is said, spelt canonically', () => {
    const said = {
      port: 80,
      servicePort: 'http',
      locality: 'region/zone',
      network: 'vpc',
      weight: 7,
      tlsMode: 'istio',
      serviceAccount: 'spiffe://x',
      health: 'Draining',
      workload: { name: 'b', namespace: 'shop' },
      hostname: 'db-0',
      subdomain: 'db',
      node: 'n1',
    } as const;
    const made = makeEndpoint({ ...said, addresses: ['10.0.0.1', 'FD00::0:1'], labels: { b: '1', a: '2' } });
    expect(made).toEqual({ ...said, addresses: ['10.0.0.1', 'fd00::1'], labels: { a: '2', b: '1' } });
    expect(Object.keys(made.labels)).toEqual(['a', 'b']);
  });

  test('leaves out names that are empty', () => {
    expect(makeEndpoint({ ...first, hostname: '', subdomain: '', node: '' })).toEqual(first);
  });
});

describe('compareEndpoints', () => {
  test.each([
    ['by namespace of the workload', { workload: { name: 'a', namespace: 'zoo' } }],
    ['by name of the workload', { workload: { name: 'c', namespace: 'shop' } }],
    ['by address', { addresses: ['10.0.0.2'] }],
    ['by service port', { servicePort: 'https' }],
    ['by port number, not its text', { port: 100 }],
    ['by content when all of that is equal', { weight: 1 }],
  ])('sorts %s', (_rule, difference) => {
    const second = { ...first, ...difference };
    expect([second, first].sort(compareEndpoints)).toEqual([first, second]);
    expect([first, second].sort(compareEndpoints)).toEqual([first, second]);
  });

  test('finds an endpoint equal to its copy', () => {
    expect(compareEndpoints(first, structuredClone(first))).toBe(0);
  });
});

describe('compareCatalogEndpoints', () => {
  test('sorts by registry, then as within a snapshot', () => {
    const of = (registry: CatalogEndpoint['registry'], port: number): CatalogEndpoint => ({ ...first, registry, port });
    const sorted = [of('Consul/dc1', 80), of('Consul/dc1', 81), of('Kubernetes/a', 1), of('Kubernetes/b', 1)];
    expect([...sorted].reverse().sort(compareCatalogEndpoints)).toEqual(sorted);
  });
});
