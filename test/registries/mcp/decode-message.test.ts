import { decodeMessage } from '../../../lib/registries/mcp/decode-message';
import { MessageShapes } from '../../../lib/registries/mcp/message-shapes';

const shapes = new MessageShapes({
  messages: {
    Shelf: {
      name: { number: 1, type: 'string' },
      books: { number: 2, type: 'Book', rule: 'list' },
      places: { number: 3, type: 'uint32', rule: 'map' },
      size: { number: 4, type: 'int32' },
      cover: { number: 5, type: 'bytes' },
      above: { number: 6, type: 'Shelf' },
      ratio: { number: 7, type: 'double' },
      age: { number: 8, type: 'int64' },
      kind: { number: 9, type: 'Kind' },
      titles: { number: 10, type: 'Book', rule: 'map' },
      glass: { number: 11, type: 'bool', rule: 'choice' },
      wood: { number: 12, type: 'string', rule: 'choice' },
      tags: { number: 13, type: 'string', rule: 'list' },
      locked: { number: 14, type: 'bool' },
    },
    Book: { title: { number: 1, type: 'string' } },
  },
  enums: { Kind: { OPEN: 0, CLOSED: 1 } },
});

function decode(...bytes: readonly number[]) {
  return decodeMessage(shapes.of('Shelf'), Uint8Array.from(bytes));
}

/** What a message says that has nothing in it. */
const EMPTY = {
  name: '',
  books: [],
  places: {},
  size: 0,
  cover: new Uint8Array(),
  ratio: 0,
  age: 0,
  kind: 'OPEN',
  titles: {},
  tags: [],
  locked: false,
};

test('only messages have shapes', () => {
  expect(() => shapes.of('Kind')).toThrow('there is no message Kind');
  expect(shapes.of('Book').get(1)).toMatchObject({ name: 'title', value: { type: 'string' } });
});

test.each<[string, number[], object]>([
  ['nothing', [], {}],
  ['text', [0x0a, 3, 0x61, 0xc3, 0xa8], { name: 'aè' }],
  ['text with a mark of byte order', [0x0a, 3, 0xef, 0xbb, 0xbf], { name: '\uFEFF' }],
  ['of several texts the last', [0x0a, 1, 0x61, 0x0a, 1, 0x62], { name: 'b' }],
  ['a list of texts in their order', [0x6a, 1, 0x62, 0x6a, 1, 0x61], { tags: ['b', 'a'] }],
  ['messages', [0x12, 3, 0x0a, 1, 0x61, 0x12, 0], { books: [{ title: 'a' }, { title: '' }] }],
  ['a map', [0x1a, 5, 0x0a, 1, 0x61, 0x10, 1, 0x1a, 2, 0x10, 2], { places: { a: 1, '': 2 } }],
  ['a map without values', [0x1a, 3, 0x0a, 1, 0x61], { places: { a: 0 } }],
  ['a map of messages', [0x52, 8, 0x0a, 1, 0x61, 0x12, 3, 0x0a, 1, 0x62], { titles: { a: { title: 'b' } } }],
  ['a number', [0x20, 0x96, 0x01], { size: 150 }],
  ['a negative number, which takes ten bytes', [0x20, ...Array<number>(9).fill(0xff), 0x01], { size: -1 }],
  [
    'a large negative number',
    [0x40, 0x80, 0x92, 0xb8, 0xc3, 0x98, 0xfe, 0xff, 0xff, 0xff, 0x01],
    { age: -62_135_596_800 },
  ],
  ['bytes that are no text', [0x2a, 2, 0xc3, 0x28], { cover: Uint8Array.from([0xc3, 0x28]) }],
  ['a message in itself', [0x32, 2, 0x32, 0], { above: { ...EMPTY, above: EMPTY } }],
  ['a fraction', [0x39, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f], { ratio: 1 }],
  ['a value of an enum by its name', [0x48, 1], { kind: 'CLOSED' }],
  ['a value of an enum that nobody knows by its number', [0x48, 7], { kind: 7 }],
  ['a choice, also when it is the default', [0x58, 0], { glass: false }],
  ['a choice that is true', [0x58, 1], { glass: true }],
  [
    'a field that nobody knows, of any type',
    [0x7a, 2, 0xc3, 0x28, 0x78, 1, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0x7d, 0, 0, 0, 0],
    {},
  ],
])('%s is decoded', (_case, bytes, members) => {
  expect(decode(...bytes)).toEqual({ ...EMPTY, ...members });
});

test.each([
  ['text that is cut off', [0x0a, 3, 0x61], 'the message: field 1 is cut off'],
  ['text that is not UTF-8', [0x0a, 2, 0xc3, 0x28], 'name: not UTF-8'],
  ['text that reaches beyond its message', [0x12, 2, 0x0a, 3, 0x20, 1], 'books: field 1 is cut off'],
  ['text in a message that is not UTF-8', [0x12, 3, 0x0a, 1, 0xff], 'books.title: not UTF-8'],
  ['a number in the place of a text', [0x08, 1], 'name: wire type 0 in place of 2'],
  ['a text in the place of a number', [0x4a, 1, 0x61], 'kind: wire type 2 in place of 0'],
  ['a short fraction in the place of a long one', [0x3d, 0, 0, 0, 0], 'ratio: wire type 5 in place of 1'],
  ['a fixed number in the place of another', [0x41, 0, 0, 0, 0, 0, 0, 0, 0], 'age: wire type 1 in place of 0'],
  ['a key that is not UTF-8', [0x1a, 3, 0x0a, 1, 0xff], 'places.key: not UTF-8'],
  ['a key of another type', [0x52, 2, 0x08, 1], 'titles.key: wire type 0 in place of 2'],
  ['a value of another type', [0x1a, 3, 0x12, 1, 0x61], 'places.value: wire type 2 in place of 0'],
  ['damage in a value', [0x52, 5, 0x12, 3, 0x0a, 1, 0xff], 'titles.value.title: not UTF-8'],
  ['a fixed number that is cut off', [0x39, 0, 0], 'the message: field 7 is cut off'],
  ['a number that does not end', [0x20, 0xff], 'the message: a number that does not end, at byte 1'],
  ['a number that is too long', [0x20, ...Array<number>(10).fill(0xff), 0x01], 'a number that does not end'],
  ['a tag that does not end', [0xff], 'the message: a number that does not end, at byte 0'],
  ['a length that is too long', [0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 'a number that does not end, at byte 1'],
  ['a group', [0x0b], 'the message: wire type 3 at byte 1'],
])('%s is refused', (_case, bytes, message) => {
  expect(() => decode(...bytes)).toThrow(message);
});
