import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { AwsCredentialIdentity } from '@smithy/types';
import * as z from 'zod';
import type { Clock } from '../../runtime/clock';
import { AccessError, type ApiConnection, type ClusterAccess } from './cluster-access';
import { EKS_TOKEN_LIFE_MS, eksToken } from './eks-token';
import { KubernetesAgents } from './kubernetes-agents';

export type EksCluster = { readonly name: string; readonly region: string; readonly roleArn?: string };

/** What EksAccess asks of AWS. */
export interface EksApi {
  /** Credentials to enter the cluster with: the process's own, or those of the role. */
  credentials(cluster: EksCluster): Promise<AwsCredentialIdentity>;
  describe(cluster: EksCluster, credentials: AwsCredentialIdentity): Promise<{ endpoint: string; ca: string }>;
}

/** A token is replaced this long before the cluster refuses it. */
const TOKEN_MARGIN_MS = 60_000;
/** Credentials of a role are replaced this long before they end; a token signed with them ends with them. */
const CREDENTIALS_MARGIN_MS = 5 * 60_000;
/** AWS ends calls by itself much sooner; this is for a path that leads nowhere. */
const AWS_TIMEOUT_MS = 20_000;

type Place = { readonly endpoint: string; readonly ca: string };
type Pass = { readonly token: string; readonly until: number };

/**
 * Access to a cluster of Amazon EKS by AWS credentials: endpoint and authority from DescribeCluster, a presigned token that
 * is made anew before it ends. When the cluster refuses it, everything is asked anew.
 */
export class EksAccess implements ClusterAccess {
  readonly #cluster: EksCluster;
  readonly #api: EksApi;
  readonly #clock: Clock;
  readonly #agents = new KubernetesAgents();
  #credentials: AwsCredentialIdentity | undefined;
  #place: Place | undefined;
  #pass: Pass | undefined;
  #entering: Promise<ApiConnection> | undefined;

  constructor(cluster: EksCluster, api: EksApi, clock: Clock) {
    this.#cluster = cluster;
    this.#api = api;
    this.#clock = clock;
  }

  /** Connections that are opened at the same time ask AWS once. */
  connect(): Promise<ApiConnection> {
    this.#entering ??= this.#enter().finally(() => {
      this.#entering = undefined;
    });
    return this.#entering;
  }

  async #enter(): Promise<ApiConnection> {
    try {
      const { token } = await this.#validPass();
      const { endpoint, ca } = (this.#place ??= await this.#api.describe(
        this.#cluster,
        await this.#validCredentials(),
      ));
      return { baseUrl: endpoint, headers: { authorization: `Bearer ${token}` }, agent: this.#agents.agentFor({ ca }) };
    } catch (cause) {
      const { name, region } = this.#cluster;
      throw new AccessError(`EKS cluster ${name} in ${region} cannot be entered: ${String(cause)}`, {
        cause,
        transient: true,
      });
    }
  }

  refused(): void {
    this.#credentials = undefined;
    this.#place = undefined;
    this.#pass = undefined;
  }

  close(): void {
    this.#agents.close();
  }

  async #validPass(): Promise<Pass> {
    const nowMs = this.#clock.now();
    if (this.#pass !== undefined && nowMs < this.#pass.until) return this.#pass;
    const credentials = await this.#validCredentials();
    const { name, region } = this.#cluster;
    const token = await eksToken({ cluster: name, region, credentials, nowMs });
    const until = Math.min(nowMs + EKS_TOKEN_LIFE_MS - TOKEN_MARGIN_MS, endOf(credentials));
    this.#pass = { token, until };
    return this.#pass;
  }

  async #validCredentials(): Promise<AwsCredentialIdentity> {
    if (this.#credentials === undefined || this.#clock.now() >= endOf(this.#credentials)) {
      this.#credentials = await this.#api.credentials(this.#cluster);
    }
    return this.#credentials;
  }
}

function endOf({ expiration }: AwsCredentialIdentity): number {
  return expiration === undefined ? Infinity : expiration.getTime() - CREDENTIALS_MARGIN_MS;
}

const assumedSchema = z.object({
  Credentials: z.object({
    AccessKeyId: z.string(),
    SecretAccessKey: z.string(),
    SessionToken: z.string(),
    Expiration: z.date(),
  }),
});

const describedSchema = z.object({
  cluster: z.object({ endpoint: z.string(), certificateAuthority: z.object({ data: z.string() }) }),
});

/** The real AWS, with the credentials that the process finds (its role on Lambda, a profile elsewhere). */
export const awsEksApi: EksApi = {
  async credentials({ region, roleArn }) {
    const sts = new STSClient({ region });
    try {
      if (roleArn === undefined) return await sts.config.credentials();
      const command = new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: 'pilotless' });
      const { Credentials: given } = assumedSchema.parse(await sts.send(command, { abortSignal: timeout() }));
      return {
        accessKeyId: given.AccessKeyId,
        secretAccessKey: given.SecretAccessKey,
        sessionToken: given.SessionToken,
        expiration: given.Expiration,
      };
    } finally {
      sts.destroy();
    }
  },

  async describe({ name, region }, credentials) {
    const eks = new EKSClient({ region, credentials });
    try {
      const described = await eks.send(new DescribeClusterCommand({ name }), { abortSignal: timeout() });
      const { cluster } = describedSchema.parse(described);
      return {
        endpoint: cluster.endpoint,
        ca: Buffer.from(cluster.certificateAuthority.data, 'base64').toString('utf8'),
      };
    } finally {
      eks.destroy();
    }
  },
};

function timeout(): AbortSignal {
  return AbortSignal.timeout(AWS_TIMEOUT_MS);
}
