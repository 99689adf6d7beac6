import { canonicalHostname, makeServiceKey, parseServiceKey } from '../../lib/model/service-key';

test.each([
  ['Cart.Shop', 'cart.shop'],
  ['cart.shop.', 'cart.shop'],
  ['cart.shop..', 'cart.shop.'],
  ['*.Example.com', '*.example.com'],
  ['', ''],
])('the host name %j is spelt %j', (given, spelt) => {
  expect(canonicalHostname(given)).toBe(spelt);
});

test('a key is the namespace and the host name as it is spelt', () => {
  expect(makeServiceKey('shop', 'Cart.Shop.')).toBe('shop/cart.shop');
});

test.each([
  ['', 'cart.shop'],
  ['a/b', 'cart.shop'],
  ['shop', ''],
  ['shop', '.'],
])('there is no key of namespace %j and host name %j', (namespace, hostname) => {
  expect(() => makeServiceKey(namespace, hostname)).toThrow(
    `No service key of namespace ${JSON.stringify(namespace)} and host name ${JSON.stringify(hostname)}: both must be set, the namespace without "/"`,
  );
});

test.each([
  ['shop/Cart.shop', { key: 'shop/cart.shop', namespace: 'shop', hostname: 'cart.shop' }],
  ['shop/a/b', { key: 'shop/a/b', namespace: 'shop', hostname: 'a/b' }],
])('%s is split at the first slash', (text, parts) => {
  expect(parseServiceKey(text)).toEqual(parts);
});

test.each(['cart.shop', '/cart.shop', 'shop/', ''])('%j is no key', (text) => {
  expect(() => parseServiceKey(text)).toThrow('No service key of namespace');
});
