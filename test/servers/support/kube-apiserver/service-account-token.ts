import * as z from 'zod';

import { ISSUER } from './api-server-flags';
import type { KubeApiServer } from './start-kube-apiserver';

const ALREADY_EXISTS = 409;
const TOKEN_REQUEST = z.object({ status: z.object({ token: z.string() }) });

export type ServiceAccountToken = {
  readonly namespace: string;
  /** The service account; it is made if it does not exist. */
  readonly name: string;
  /** @default the API server itself */
  readonly audiences?: readonly string[];
  /** The API server takes no less than 600. @default 3600 */
  readonly expirationSeconds?: number;
};

/** Mints a token with the TokenRequest API. */
export async function mintServiceAccountToken(
  send: KubeApiServer['send'],
  { namespace, name, audiences = [ISSUER], expirationSeconds = 3600 }: ServiceAccountToken,
): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const made = await send('POST', accounts, { metadata: { name } });
  if (made.status !== 201 && made.status !== ALREADY_EXISTS) {
    throw new Error(`service account ${namespace}/${name} could not be made: ${made.status} ${made.body}`);
  }
  const minted = await send('POST', `${accounts}/${name}/token`, { spec: { audiences, expirationSeconds } });
  if (minted.status !== 201) throw new Error(`no token for ${namespace}/${name}: ${minted.status} ${minted.body}`);
  return TOKEN_REQUEST.parse(JSON.parse(minted.body)).status.token;
}
