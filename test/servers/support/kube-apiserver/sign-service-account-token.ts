import { createSign } from 'node:crypto';

import { ISSUER } from './api-server-flags';

export type SignedToken = {
  /** PEM of an RSA key that the API server trusts (`--service-account-key-file`). */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** The API server compares it with that of the service account. */
  readonly uid: string;
  readonly audience: string;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
};

/** A service account token as the API server signs it, also one that it would not sign: one that has expired. */
export function signServiceAccountToken(token: SignedToken): string {
  const { namespace, name, uid, audience, issuedAt, expiresAt } = token;
  const claims = {
    iss: ISSUER,
    aud: [audience],
    sub: `system:serviceaccount:${namespace}:${name}`,
    iat: issuedAt,
    nbf: issuedAt,
    exp: expiresAt,
    'kubernetes.io': { namespace, serviceaccount: { name, uid } },
  };
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(token.key, 'base64url')}`;
}
