import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { canonicalJson, contentHash } from '../../lib/model/canonical-json';

describe('canonicalJson', () => {
  test.each([
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ B: 1, a: 2, '10': 3, '9': 4 }, '{"10":3,"9":4,"B":1,"a":2}'],
    [{ a: undefined, b: { d: undefined, c: null } }, '{"b":{"c":null}}'],
    [[3, 1, undefined, null], '[3,1,null,null]'],
    [[], '[]'],
    [{}, '{}'],
    [[[], {}], '[[],{}]'],
    ['"\n', '"\\"\\n"'],
    [undefined, 'null'],
    [null, 'null'],
    [true, 'true'],
    [{ '"': [{ b: 'x', a: [1, 2] }] }, '{"\\"":[{"a":[1,2],"b":"x"}]}'],
  ])('%p is written as %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test('reads back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('contentHash', () => {
  test('is the first 32 hex digits of the SHA-256 of the canonical text', () => {
    const expected = createHash('sha256').update('{"a":1,"b":2}').digest('hex').slice(0, 32);
    expect(contentHash({ b: 2, a: 1 })).toBe(expected);
    expect(expected).toHaveLength(32);
  });
});
