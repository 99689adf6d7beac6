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

  test('a text is written as JSON.stringify writes it', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
    fc.assert(
      fc.property(texts, (text) => {
        expect(canonicalJson(text)).toBe(JSON.stringify(text));
        expect(canonicalJson({ [text]: text })).toBe(`{${JSON.stringify(text)}:${JSON.stringify(text)}}`);
      }),
    );
  });

  test.each(['', ' ', '"', '\\', '~', '\u007f', '\u0080', '\u001f', '\u2028', '\ud800', 'é', '__proto__'])(
    'so is %j',
    (text) => {
      expect(canonicalJson([text])).toBe(JSON.stringify([text]));
    },
  );

  test('any number of names is written, again and again', () => {
    const names = Array.from({ length: 3000 }, (_, index) => `name-${index}`);
    const record = Object.fromEntries(names.map((name) => [name, name]));
    const text = `{${[...names]
      .sort()
      .map((name) => `"${name}":"${name}"`)
      .join(',')}}`;
    expect(canonicalJson(record)).toBe(text);
    expect(canonicalJson(record)).toBe(text);
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
