import { checkMessage } from '../../../lib/registries/mcp/check-message';
import { messageShapes } from '../../../lib/registries/mcp/message-shapes';

const shapes = messageShapes({
  nested: {
    test: {
      nested: {
        Shelf: {
          fields: {
            name: { type: 'string', id: 1 },
            books: { type: 'Book', id: 2, rule: 'repeated' },
            places: { type: 'uint32', id: 3, keyType: 'string' },
            sizes: { type: 'int32', id: 4, rule: 'repeated' },
            cover: { type: 'bytes', id: 5 },
            above: { type: 'test.Shelf', id: 6 },
            ratio: { type: 'double', id: 7 },
            share: { type: 'float', id: 8 },
            kind: { type: 'Kind', id: 9 },
            titles: { type: 'Book', id: 10, keyType: 'int64' },
          },
          nested: {
            Book: { fields: { title: { type: 'string', id: 1 } } },
            Kind: { values: { OPEN: 0 } },
          },
        },
      },
    },
  },
});

function check(...bytes: readonly number[]): void {
  checkMessage(shapes.get('test.Shelf')!, Uint8Array.from(bytes));
}

test('only messages have shapes', () => {
  expect([...shapes.keys()]).toEqual(['test.Shelf', 'test.Shelf.Book']);
});

test.each([
  ['nothing', []],
  ['text', [0x0a, 3, 0x61, 0xc3, 0xa8]],
  ['messages', [0x12, 3, 0x0a, 1, 0x61, 0x12, 0]],
  ['a map', [0x1a, 5, 0x0a, 1, 0x61, 0x10, 1]],
  ['numbers one by one', [0x20, 1, 0x20, 2]],
  ['numbers packed', [0x22, 2, 1, 2]],
  ['a negative number, which takes ten bytes', [0x20, ...Array<number>(9).fill(0xff), 0x01]],
  ['bytes that are no text', [0x2a, 2, 0xc3, 0x28]],
  ['a message in itself', [0x32, 2, 0x32, 0]],
  ['numbers of fixed length', [0x39, 0, 0, 0, 0, 0, 0, 0, 0, 0x45, 0, 0, 0, 0]],
  ['an enum', [0x48, 7]],
  [
    'a field that nobody knows, of any type',
    [0x7a, 2, 0xc3, 0x28, 0x78, 1, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0x7d, 0, 0, 0, 0],
  ],
])('%s is accepted', (_case, bytes) => {
  expect(() => check(...bytes)).not.toThrow();
});

test.each([
  ['text that is cut off', [0x0a, 3, 0x61], 'the message: field 1 is cut off'],
  ['text that is not UTF-8', [0x0a, 2, 0xc3, 0x28], 'name: not UTF-8'],
  ['text that reaches beyond its message', [0x12, 2, 0x0a, 3, 0x61, 0x61, 0x61], 'books: field 1 is cut off'],
  ['text in a message that is not UTF-8', [0x12, 3, 0x0a, 1, 0xff], 'books.title: not UTF-8'],
  ['a number in the place of a text', [0x08, 1], 'name: wire type 0 in place of 2'],
  ['a text in the place of a number', [0x4a, 1, 0x61], 'kind: wire type 2 in place of 0'],
  ['a short number in the place of a long one', [0x3d, 0, 0, 0, 0], 'ratio: wire type 5 in place of 1'],
  ['a long number in the place of a short one', [0x41, 0, 0, 0, 0, 0, 0, 0, 0], 'share: wire type 1 in place of 5'],
  ['a key that is not UTF-8', [0x1a, 3, 0x0a, 1, 0xff], 'places.key: not UTF-8'],
  ['a key of another type', [0x52, 3, 0x0a, 1, 0x61], 'titles.key: wire type 2 in place of 0'],
  ['a value of another type', [0x1a, 3, 0x12, 1, 0x61], 'places.value: wire type 2 in place of 0'],
  ['damage in a value', [0x52, 5, 0x12, 3, 0x0a, 1, 0xff], 'titles.value.title: not UTF-8'],
  ['a fixed number that is cut off', [0x39, 0, 0], 'the message: field 7 is cut off'],
  ['a number that does not end', [0x20, 0xff], 'the message: a value that does not end, at byte 1'],
  ['a number that is too long', [0x20, ...Array<number>(10).fill(0xff), 0x01], 'a value that does not end'],
  ['a tag that does not end', [0xff], 'the message: a number that does not end, at byte 0'],
  ['a length that is too long', [0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 'a number that does not end, at byte 1'],
  ['a group', [0x0b], 'the message: wire type 3 at byte 1'],
])('%s is refused', (_case, bytes, message) => {
  expect(() => check(...bytes)).toThrow(message);
});
