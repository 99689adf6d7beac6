import { tokenExpiryMs } from '../../../lib/registries/mcp/token-expiry';

function token(claims: string): string {
  return ['{}', claims, 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.');
}

test('a token says when it expires, in seconds', () => {
  expect(tokenExpiryMs(token('{"exp":1796004621,"aud":["istio-ca"]}'))).toBe(1_796_004_621_000);
});

test.each([
  ['has no such claim', token('{"aud":["istio-ca"]}')],
  ['has a claim that is no number', token('{"exp":"soon"}')],
  ['holds no JSON', token('expires soon')],
  ['has no signature', 'e30.e30'],
  ['is no JSON Web Token', 'secret'],
])('a token that %s says nothing', (_case, text) => {
  expect(tokenExpiryMs(text)).toBeUndefined();
});
