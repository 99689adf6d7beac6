import { Sha256Node } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentialIdentity } from '@smithy/types';

/** Everything that a token of an EKS cluster is made of. */
export type EksTokenRequest = {
  /** Name of the cluster; signed with the request, so that the token opens no other. */
  readonly cluster: string;
  readonly region: string;
  readonly credentials: AwsCredentialIdentity;
  readonly nowMs: number;
};

const TOKEN_PREFIX = 'k8s-aws-v1.';
const CLUSTER_HEADER = 'x-k8s-aws-id';

/** `X-Amz-Expires` that the cluster's authenticator expects; the token itself lives longer. */
const URL_EXPIRES_SECONDS = 60;

/** How long a cluster takes a token (aws-iam-authenticator README, "API Authorization from Outside a Cluster": 15 minutes). */
export const EKS_TOKEN_LIFE_MS = 15 * 60_000;

/**
 * A bearer token of an EKS cluster: `k8s-aws-v1.` and, in base64url without padding, the URL of a presigned
 * `sts:GetCallerIdentity` request of the region, which the cluster sends to learn who the caller is
 * (aws-iam-authenticator README, "What exactly is the token?").
 */
export async function eksToken({ cluster, region, credentials, nowMs }: EksTokenRequest): Promise<string> {
  const hostname = `sts.${region}.${dnsSuffix(region)}`;
  const signer = new SignatureV4({ service: 'sts', region, credentials, sha256: Sha256Node });
  const { query = {} } = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: hostname, [CLUSTER_HEADER]: cluster },
    },
    { expiresIn: URL_EXPIRES_SECONDS, signingDate: new Date(nowMs) },
  );
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return TOKEN_PREFIX + Buffer.from(`https://${hostname}/?${parameters.join('&')}`).toString('base64url');
}

/** AWS "Regional endpoints of STS": the partitions whose names end otherwise. */
function dnsSuffix(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}
