import { isKubernetes, orderSnapshots } from '../../lib/aggregation/order-snapshots';
import { storedSnapshot } from '../support/stored-snapshots';

describe('orderSnapshots', () => {
  test('sorts by precedence, then registry id', () => {
    const sorted = [
      storedSnapshot('Kubernetes/z', { precedence: 2 }),
      storedSnapshot('Consul/dc1', { precedence: 10 }),
      storedSnapshot('External/a', { precedence: 10 }),
      storedSnapshot('External/b', { precedence: 10 }),
      storedSnapshot('Consul/dc2', { precedence: 11 }),
    ];
    expect(orderSnapshots(sorted)).toEqual(sorted);
    expect(orderSnapshots([...sorted].reverse())).toEqual(sorted);
  });

  test('leaves its input as it is', () => {
    const input = [storedSnapshot('Kubernetes/b'), storedSnapshot('Kubernetes/a')];
    orderSnapshots(input);
    expect(input.map(({ registry }) => registry)).toEqual(['Kubernetes/b', 'Kubernetes/a']);
  });

  test('of nothing is nothing', () => {
    expect(orderSnapshots([])).toBeUndefined();
  });
});

test.each([
  ['Kubernetes/a', true],
  ['Consul/Kubernetes', false],
  ['MCP/istiod', false],
] as const)('isKubernetes(%s) is %s', (registry, expected) => {
  expect(isKubernetes(registry)).toBe(expected);
});
