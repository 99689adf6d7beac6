import * as fc from 'fast-check';
import { cutText, EventRoom, TEXT_LIMIT_BYTES } from '../../lib/changes/event-room';

const LIMIT = 1024;

describe('cutText', () => {
  test.each([
    ['a text of just the limit', 'x'.repeat(LIMIT), LIMIT],
    ['one character more', 'x'.repeat(LIMIT + 1), LIMIT],
    ['characters of two bytes', 'ü'.repeat(LIMIT), LIMIT / 2],
    ['characters of three bytes, none cut in half', '€'.repeat(LIMIT), Math.floor(LIMIT / 3)],
    ['characters of two code units, none cut in half', '😀'.repeat(LIMIT), (LIMIT / 4) * 2],
    ['quotes, which JSON writes as two characters', '"'.repeat(LIMIT), LIMIT / 2],
    ['control characters, which JSON writes as six', '\u0001'.repeat(LIMIT), Math.floor(LIMIT / 6)],
    ['a short text of the widest characters', '\u0001'.repeat(170), 170],
    ['one more of those', '\u0001'.repeat(171), 170],
  ])('%s', (_what, text, length) => {
    expect(cutText(text)).toBe(text.slice(0, length));
  });

  test('keeps a beginning that fits, and a longer one would not', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', '"', '\u0000', 'ü', '€', '😀', '\ud800'), maxLength: 700 });
    const bytes = (value: string) => Buffer.byteLength(JSON.stringify(value)) - 2;
    fc.assert(
      fc.property(anyText, (text) => {
        const cut = cutText(text);
        expect(text.startsWith(cut)).toBe(true);
        expect(bytes(cut)).toBeLessThanOrEqual(LIMIT);
        const [next] = text.slice(cut.length);
        expect(next === undefined || bytes(cut + next) > LIMIT).toBe(true);
      }),
    );
  });

  test('the limit is 1 KB', () => {
    expect(TEXT_LIMIT_BYTES).toBe(LIMIT);
  });
});

describe('EventRoom', () => {
  test('a list keeps the first items that fit, each with its comma', () => {
    const room = new EventRoom(8);
    expect(room.list(['a', 'b', 'c'])).toEqual(['a', 'b']);
    expect(room.isCut).toBe(true);
    expect(room.bytes).toBe(0);
  });

  test('a list that fits to the byte is whole', () => {
    const room = new EventRoom(8);
    const items = ['a', 'b'];
    expect(room.list(items)).toBe(items);
    expect(room.isCut).toBe(false);
  });

  test('nothing is taken out of its turn: what comes after an item that does not fit is left out too', () => {
    expect(new EventRoom(10).list(['aa', 'bbbbbbbb', 'c'])).toEqual(['aa']);
  });

  test('what is reserved is gone, even if there is not as much', () => {
    const room = new EventRoom(10);
    room.reserve(7);
    expect(room.bytes).toBe(3);
    expect(room.takes('a')).toBe(false);
    expect(room.takes('')).toBe(true);
    room.reserve(7);
    expect(room.bytes).toBe(-7);
    expect(room.takes('')).toBe(false);
  });

  test('texts are cut, and that is remembered', () => {
    const room = new EventRoom(10_000);
    expect(room.texts(['a', 'b'])).toEqual(['a', 'b']);
    expect(room.isCut).toBe(false);
    expect(room.texts(['x'.repeat(2000)])).toEqual(['x'.repeat(LIMIT)]);
    expect(room.isCut).toBe(true);
  });

  test('a record keeps the first members that fit, with their names cut', () => {
    const room = new EventRoom(10_000);
    expect(room.record({ a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
    expect(room.isCut).toBe(false);
    expect(room.record({ ['x'.repeat(2000)]: 1 })).toEqual({ ['x'.repeat(LIMIT)]: 1 });
    expect(room.isCut).toBe(true);

    const small = new EventRoom(8);
    expect(small.record({ a: 1, b: 2 })).toEqual({ a: 1 });
    expect(small.isCut).toBe(true);
  });
});
