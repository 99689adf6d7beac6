import { diffEndpoints } from '../../lib/changes/diff-endpoints';
import { catalogEndpoint } from '../support/catalog-entries';

const one = catalogEndpoint('10.0.0.1');
const two = catalogEndpoint('10.0.0.2');
const three = catalogEndpoint('10.0.0.3');
const none = { added: [], removed: [], changed: [] };

describe('diffEndpoints', () => {
  test.each([
    ['the same lists', [one, two], [one, two]],
    ['copies of the same lists', [one, two], structuredClone([one, two])],
    ['the same endpoints in another order', [two, one], [one, two]],
    ['doubles in another order', [one, two, one], [one, one, two]],
    ['nothing and nothing', [], []],
  ])('finds no difference between %s', (_what, before, after) => {
    expect(diffEndpoints(before, after)).toEqual(none);
  });

  test.each([
    ['all that is new', [], [one, two], { ...none, added: [one, two] }],
    ['all that is gone', [one, two], [], { ...none, removed: [one, two] }],
    ['what is new', [one], [one, two, three], { ...none, added: [two, three] }],
    ['what is gone', [one, two, three], [two], { ...none, removed: [one, three] }],
    ['one double less', [one, one], [one], { ...none, removed: [one] }],
    ['one double more', [one, two], [one, one, two], { ...none, added: [one] }],
  ])('finds %s', (_what, before, after, difference) => {
    expect(diffEndpoints(before, after)).toEqual(difference);
  });

  test.each([
    ['port', { port: 9090 }],
    ['weight', { weight: 7 }],
    ['labels', { labels: { version: 'v2' } }],
    ['health', { health: 'Draining' as const }],
    ['second address', { addresses: ['10.0.0.1', 'fd00::1'] }],
  ])('an endpoint with another %s is changed', (_what, difference) => {
    const after = { ...one, ...difference };
    expect(diffEndpoints([one, two], [after, two])).toEqual({ ...none, changed: [{ before: one, after }] });
  });

  test.each([
    ['registry', { registry: 'Kubernetes/b' as const }],
    ['first address', { addresses: ['10.0.0.9'] }],
    ['service port', { servicePort: 'admin' }],
    ['namespace of the workload', { workload: { namespace: 'other', name: one.workload.name } }],
  ])('an endpoint with another %s is another one', (_what, difference) => {
    const after = { ...one, ...difference };
    expect(diffEndpoints([one], [after])).toEqual({ ...none, added: [after], removed: [one] });
  });

  test('pitfall 20: an address that was given to another workload is a removal and an addition', () => {
    const after = { ...one, workload: { namespace: 'shop', name: 'new-pod' } };
    expect(diffEndpoints([one, two], [after, two])).toEqual({ ...none, added: [after], removed: [one] });
  });

  describe('of endpoints with one identity', () => {
    const at = (port: number, weight = 1) => catalogEndpoint('10.0.0.1', { port, weight });

    test('equal ones stay, whatever their place', () => {
      expect(diffEndpoints([at(1), at(2), at(3)], [at(2), at(4)])).toEqual({
        added: [],
        removed: [at(3)],
        changed: [{ before: at(1), after: at(4) }],
      });
    });

    test('the rest is changed in the order of ports, and what is left over is added', () => {
      expect(diffEndpoints([at(20), at(10)], [at(12), at(11), at(13)])).toEqual({
        added: [at(13)],
        removed: [],
        changed: [
          { before: at(10), after: at(11) },
          { before: at(20), after: at(12) },
        ],
      });
    });
  });

  test('lists the differences in canonical order', () => {
    const of = (address: string, registry: 'Kubernetes/a' | 'Consul/dc1', weight = 1) =>
      catalogEndpoint(address, { registry, weight });
    const before = [
      of('10.0.0.2', 'Kubernetes/a'),
      of('10.0.0.1', 'Kubernetes/a'),
      of('10.0.0.9', 'Consul/dc1'),
      of('10.0.0.5', 'Kubernetes/a'),
      of('10.0.0.4', 'Consul/dc1'),
    ];
    const after = [
      of('10.0.0.8', 'Kubernetes/a'),
      of('10.0.0.7', 'Kubernetes/a'),
      of('10.0.0.6', 'Consul/dc1'),
      of('10.0.0.5', 'Kubernetes/a', 2),
      of('10.0.0.4', 'Consul/dc1', 2),
    ];
    const places = (list: readonly { readonly registry: string; readonly addresses: readonly string[] }[]) =>
      list.map(({ registry, addresses }) => `${registry} ${addresses.join()}`);
    const { added, removed, changed } = diffEndpoints(before, after);
    expect(places(added)).toEqual(['Consul/dc1 10.0.0.6', 'Kubernetes/a 10.0.0.7', 'Kubernetes/a 10.0.0.8']);
    expect(places(removed)).toEqual(['Consul/dc1 10.0.0.9', 'Kubernetes/a 10.0.0.1', 'Kubernetes/a 10.0.0.2']);
    expect(places(changed.map((pair) => pair.after))).toEqual(['Consul/dc1 10.0.0.4', 'Kubernetes/a 10.0.0.5']);
  });
});
