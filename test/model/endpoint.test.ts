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
