import { labelsMatch, makeLabels } from '../../lib/model/labels';

test('labels are sorted, and none when there are none', () => {
  expect(Object.keys(makeLabels({ b: '1', a: '2' }))).toEqual(['a', 'b']);
  expect(makeLabels(undefined)).toEqual({});
});

test.each([
  [true, {}, {}],
  [true, {}, { app: 'cart' }],
  [true, { app: 'cart' }, { app: 'cart', version: 'v1' }],
  [false, { app: 'cart' }, { app: 'search' }],
  [false, { app: 'cart' }, {}],
  [false, { app: 'cart', version: 'v1' }, { app: 'cart' }],
  [false, { toString: 'x' }, {}],
])('matches %p: selector %j on %j', (matches, selector, labels) => {
  expect(labelsMatch(selector, labels)).toBe(matches);
});
