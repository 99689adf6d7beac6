import { compareText, sortedRecord, sortedUnique } from '../../lib/model/compare';

test.each([
  ['a', 'b', -1],
  ['b', 'a', 1],
  ['a', 'a', 0],
  ['B', 'a', -1],
  ['ä', 'z', 1],
  ['a', 'aa', -1],
])('%s against %s by code unit: %i', (a, b, order) => {
  expect(compareText(a, b)).toBe(order);
});

test('values are sorted by code unit, each once', () => {
  expect(sortedUnique(['b', 'a', 'B', 'b'])).toEqual(['B', 'a', 'b']);
});

test('the keys of a record are in order, their values as they were', () => {
  expect(Object.entries(sortedRecord({ b: 1, a: 2, B: 3 }))).toEqual([
    ['B', 3],
    ['a', 2],
    ['b', 1],
  ]);
});
