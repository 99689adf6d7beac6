import * as fc from 'fast-check';
import { canonicalJson } from '../../lib/model/canonical-json';
import { sameValue } from '../../lib/model/same-value';

describe('sameValue', () => {
  test.each([
    ['numbers', 1, 1],
    ['texts', 'a', 'a'],
    ['absent values', undefined, undefined],
    ['lists', [1, 'a', { b: [] }], [1, 'a', { b: [] }]],
    ['objects, whatever the order of their members', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['a member that is undefined and one that is absent', { a: 1, b: undefined }, { a: 1 }],
    ['a member that is absent and one that is undefined', { a: 1 }, { a: 1, b: undefined }],
    ['objects without members', {}, {}],
  ])('is true of equal %s', (_what, a, b) => {
    expect(sameValue(a, b)).toBe(true);
  });

  test.each([
    ['numbers', 1, 2],
    ['a number and its text', 1, '1'],
    ['a list and its beginning', [1, 2], [1]],
    ['a list and a longer one', [1], [1, 2]],
    ['lists in another order', [1, 2], [2, 1]],
    ['a list and an object with the same members', ['a'], { 0: 'a' }],
    ['an object and a list with the same members', { 0: 'a' }, ['a']],
    ['an empty list and an empty object', [], {}],
    ['an empty object and an empty list', {}, []],
    ['an object and nothing', {}, undefined],
    ['nothing and an object', undefined, {}],
    ['an object with one member less', { a: 1, b: 2 }, { a: 1 }],
    ['an object with one member more', { a: 1 }, { a: 1, b: 2 }],
    ['other names', { a: 1 }, { b: 1 }],
    ['a member and a method of every object', { constructor: Object }, {}],
    ['no member and a member named like a method of every object', {}, { constructor: Object }],
    ['what differs deep inside', { a: [{ b: { c: 1 } }] }, { a: [{ b: { c: 2 } }] }],
  ])('is false of %s', (_what, a, b) => {
    expect(sameValue(a, b)).toBe(false);
  });

  test('says what the canonical texts say', () => {
    const value = fc.object({
      key: fc.constantFrom('a', 'b', 'constructor', '1'),
      maxDepth: 2,
      maxKeys: 3,
      values: [fc.constantFrom(1, 'x', true)],
    });
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(sameValue(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(sameValue(a, structuredClone(a))).toBe(true);
      }),
    );
  });
});
