import { itemBytes, type AttributeValue } from '../../lib/storage/item-size';

/** Size of the value alone: the attribute name `a` is one byte. */
function valueBytes(value: AttributeValue): number {
  return itemBytes({ a: value }) - 1;
}

describe('itemBytes', () => {
  test.each<[string, AttributeValue, number]>([
    ['a string by its UTF-8 bytes', 'aé€😀', 1 + 2 + 3 + 4],
    ['an empty string as nothing', '', 0],
    ['one digit as two bytes', 7, 2],
    ['two digits as two bytes', 42, 2],
    ['three digits as three bytes', 123, 3],
    ['zeros at the end as nothing', 1_200_000, 2],
    ['zeros at the start as nothing', 0.0012, 2],
    ['a version in milliseconds', 1_796_004_621_758, 8],
    ['the sign as one byte', -42, 3],
    ['zero', 0, 2],
    ['a boolean as one byte', false, 1],
    ['binary by its raw bytes', new Uint8Array(100), 100],
    ['an empty list as its overhead', [], 3],
    ['an empty map as its overhead', {}, 3],
    ['each element of a list with one byte more', ['ab', 'c'], 3 + (2 + 1) + (1 + 1)],
    ['each member of a map with its name and one byte more', { ab: 'c', d: true }, 3 + (2 + 1 + 1) + (1 + 1 + 1)],
    ['nested values with the overhead of each level', { l: [{ x: 1 }] }, 3 + 1 + 1 + (3 + (3 + 1 + 2 + 1) + 1)],
    ['absent members as nothing', { ab: 'c', d: undefined }, 3 + (2 + 1 + 1)],
  ])('counts %s', (_rule, value, bytes) => {
    expect(valueBytes(value)).toBe(bytes);
  });

  test('counts the names of attributes by their UTF-8 bytes and skips absent attributes', () => {
    expect(itemBytes({ größe: 'x', nothing: undefined, b: 'yz' })).toBe(7 + 1 + 1 + 2);
  });

  test('counts an empty item as nothing', () => {
    expect(itemBytes({})).toBe(0);
  });
});
