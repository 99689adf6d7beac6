import { spiffeId } from '../../lib/model/spiffe';

test.each([
  ['cluster.local', 'spiffe://cluster.local/ns/shop/sa/cart'],
  ['a@b@c', 'spiffe://a.b.c/ns/shop/sa/cart'],
])('in the trust domain %s: %s', (trustDomain, id) => {
  expect(spiffeId(trustDomain, 'shop', 'cart')).toBe(id);
});
