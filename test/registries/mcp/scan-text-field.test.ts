import { scanTextField } from '../../../lib/registries/mcp/scan-text-field';
import { serviceEntryResource } from '../../support/mcp-messages';

const NAME = [1, 1];

const resource = serviceEntryResource({
  name: 'shop/cart',
  labels: { app: 'cart' },
  created: 1_796_004_621,
  spec: { hosts: ['cart.example.com'], ports: [{ number: 80, name: 'http', protocol: 'HTTP' }] },
}).value;

test('finds a text in a whole message', () => {
  expect(scanTextField(resource, NAME)).toBe('shop/cart');
});

test('finds a text in front of the damage', () => {
  const upToName = 2 + 2 + 'shop/cart'.length;
  expect(scanTextField(resource.subarray(0, upToName), NAME)).toBe('shop/cart');
});

test.each([
  ['variable-length numbers', [0x10, 0x96, 0x01]],
  ['numbers of 64 bits', [0x11, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['numbers of 32 bits', [0x15, 1, 2, 3, 4]],
  ['other texts', [0x12, 2, 0x78, 0x79]],
  ['lengths of two bytes', [0x12, 0x80, 0x01, ...Array<number>(128).fill(0x78)]],
])('passes over %s', (_case, before) => {
  expect(scanTextField(Uint8Array.from([...before, 0x0a, 2, 0x61, 0x62]), [1])).toBe('ab');
});

test.each([
  ['nothing', []],
  ['another field only', [0x12, 1, 0x61]],
  ['an empty text', [0x0a, 0]],
  ['a number in the place of the text', [0x08, 1]],
  ['a group, which nobody uses any more', [0x0b, 0x0a, 1, 0x61]],
  ['a tag that does not end', [0xff]],
  ['a length that does not end', [0x0a, 0xff]],
  ['a length of more than five bytes', [0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x61]],
  ['a field that goes beyond the end', [0x12, 9, 0x0a, 1, 0x61]],
])('finds no text in %s', (_case, bytes) => {
  expect(scanTextField(Uint8Array.from(bytes), [1])).toBeUndefined();
});
