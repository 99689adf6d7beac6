import { deepFreeze } from '../../lib/storage/deep-freeze';

describe('deepFreeze', () => {
  test('freezes maps and lists at every level and returns the value', () => {
    const value = { a: [{ b: { c: 1 } }], d: undefined };
    expect(deepFreeze(value)).toBe(value);
    expect([value, value.a, value.a[0], value.a[0]?.b].every((part) => Object.isFrozen(part))).toBe(true);
  });

  test('passes plain values', () => {
    expect(['a', 1, undefined].map((value) => deepFreeze(value))).toEqual(['a', 1, undefined]);
  });
});
