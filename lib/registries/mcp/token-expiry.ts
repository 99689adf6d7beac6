import * as z from 'zod';

const payloadSchema = z.object({ exp: z.number() });

/**
 * When a JSON Web Token says that it expires, in ms; `undefined` when it does not say, or is none. The signature is not
 * looked at: this explains a refusal, it decides nothing (RFC 7519, 4.1.4).
 */
export function tokenExpiryMs(token: string): number | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const { exp } = payloadSchema.parse(claims);
    return exp * 1000;
  } catch {
    return undefined;
  }
}
