import * as fc from 'fast-check';
import { labelsMatch } from '../../../lib/model/labels';
import { workloadOfEntry, type SelectableWorkload } from '../../../lib/registries/external/selectable-workload';
import { compareWorkloads, indexWorkloads } from '../../../lib/registries/external/workload-index';
import { workloadEntry } from '../../support/external-entries';

function workload(name: string, labels: Readonly<Record<string, string>>, more: Partial<SelectableWorkload> = {}) {
  return { ...workloadOfEntry(workloadEntry(name, { address: '10.0.0.1', labels }), 'cluster.local')!, ...more };
}

const A = workload('a', { app: 'cart', version: 'v1' });
const B = workload('b', { app: 'cart', version: 'v2' });
const C = workload('c', { app: 'pay' });
const OTHER = workload('d', { app: 'cart', version: 'v1' }, { namespace: 'default' });
const INDEX = indexWorkloads([C, OTHER, B, A]);

test.each([
  ['one label', 'shop', { app: 'cart' }, [A, B]],
  ['all labels', 'shop', { app: 'cart', version: 'v2' }, [B]],
  ['labels that no one workload has together', 'shop', { app: 'pay', version: 'v1' }, []],
  ['an unknown value', 'shop', { app: 'x' }, []],
  ['an unknown label', 'shop', { app: 'cart', tier: 'x' }, []],
  ['no labels: the whole namespace', 'shop', {}, [A, B, C]],
  ['another namespace', 'default', { app: 'cart' }, [OTHER]],
  ['a namespace without workloads', 'empty', {}, []],
])('selects by %s', (_rule, namespace, selector, expected) => {
  expect(INDEX.select(namespace, selector)).toEqual(expected);
});

test('does not take one namespace and label for another that is spelled alike', () => {
  const index = indexWorkloads([workload('a', { 'x,y': 'z' }), workload('b', { x: 'y,z' })]);
  expect(index.select('shop', { x: 'y,z' }).map(({ workload: { name } }) => name)).toEqual(['b']);
});

test('orders by name, then address, then content', () => {
  const [first, second, third, fourth] = [
    workload('a', {}, { addresses: ['10.0.0.1'] }),
    workload('a', {}, { addresses: ['10.0.0.2'], weight: 1 }),
    workload('a', {}, { addresses: ['10.0.0.2'], weight: 2 }),
    workload('b', {}, { addresses: ['10.0.0.0'] }),
  ];
  expect([fourth, third, second, first].sort(compareWorkloads)).toEqual([first, second, third, fourth]);
});

test('finds just what a look at every workload would find, in the same order whatever the order of the workloads', () => {
  const labels = fc.dictionary(fc.constantFrom('app', 'version', 'tier'), fc.constantFrom('a', 'b'), {
    noNullPrototype: true,
  });
  const workloads = fc.array(
    fc.record({ name: fc.constantFrom('v', 'w'), labels, namespace: fc.constantFrom('shop', 'default') }),
  );
  fc.assert(
    fc.property(workloads, labels, (made, selector) => {
      const all = made.map(({ name, labels: own, namespace }) => workload(name, own, { namespace }));
      const expected = all
        .filter((one) => one.namespace === 'shop' && labelsMatch(selector, one.labels))
        .sort(compareWorkloads);
      expect(indexWorkloads(all).select('shop', selector)).toEqual(expected);
      expect(indexWorkloads(all.toReversed()).select('shop', selector)).toEqual(expected);
    }),
  );
});
