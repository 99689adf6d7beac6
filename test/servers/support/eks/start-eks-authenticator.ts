import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import { DescribeAccessEntryCommand, EKSClient } from '@aws-sdk/client-eks';
import * as z from 'zod';

import { HttpServer } from '../../../support/http-server';
import type { Ministack } from '../ministack/start-ministack';
import { sendRequest } from '../processes/send-request';
import { questionOf } from './sts-token';

const API_VERSION = 'authentication.k8s.io/v1';
const REVIEW = z.object({ spec: z.object({ token: z.string() }) });

export type Review =
  | { readonly token: string; readonly user: string; readonly groups: readonly string[] }
  /** Why the token was refused. */
  | { readonly token: string; readonly refused: string };

export interface EksAuthenticator extends AsyncDisposable {
  /** A kubeconfig for `--authentication-token-webhook-config-file`. */
  readonly webhookConfiguration: string;
  /** What it was asked for and how it answered, oldest first. */
  readonly reviews: readonly Review[];
}

/**
 * Does for an API server what the authenticator of EKS does (aws-iam-authenticator `pkg/token/token.go`): sends the
 * presigned question of a token to STS, with the cluster's name as the header that was signed, and takes the role in the
 * answer for the groups of its access entry. STS, access entries and the credentials that signed are the emulator's, which
 * checks signatures with `AUTH`. The real one asks STS for JSON; the emulator answers presigned questions with XML.
 */
export async function startEksAuthenticator(aws: Ministack, cluster: string): Promise<EksAuthenticator> {
  const reviews: Review[] = [];
  const server = await HttpServer.start((request, response) => {
    tokenOf(request)
      .then((token) => reviewToken(token, aws, cluster))
      .then(
        (result) => {
          reviews.push(result);
          response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answerOf(result)));
        },
        (error: unknown) => response.writeHead(400).end(String(error)),
      );
  });
  return {
    webhookConfiguration: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'authenticator', cluster: { server: server.url } }],
      users: [{ name: 'api-server', user: {} }],
      contexts: [{ name: 'webhook', context: { cluster: 'authenticator', user: 'api-server' } }],
      'current-context': 'webhook',
    }),
    reviews,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function tokenOf(request: IncomingMessage): Promise<string> {
  return REVIEW.parse(JSON.parse(await text(request))).spec.token;
}

/** Whom the cluster of this name takes the bearer of the token for. */
export async function reviewToken(token: string, aws: Ministack, cluster: string): Promise<Review> {
  try {
    return { token, ...(await userOf(await callerOf(token, aws, cluster), cluster)) };
  } catch (error) {
    return { token, refused: String(error) };
  }
}

/** The ARN that STS knows the signer by. */
async function callerOf(token: string, aws: Ministack, cluster: string): Promise<string> {
  const { host, search } = questionOf(token, aws.region, Date.now());
  const { status, body } = await sendRequest({
    url: `${aws.url}/${search}`,
    headers: { Host: host, 'x-k8s-aws-id': cluster },
  });
  const arn = /<Arn>([^<]+)<\/Arn>/.exec(body)?.[1];
  if (status !== 200 || arn === undefined) throw new Error(`STS answered ${status}: ${body}`);
  return arn;
}

/** A session of a role enters as its role (`pkg/arn/arn.go`, Canonicalize). */
async function userOf(arn: string, clusterName: string): Promise<{ user: string; groups: readonly string[] }> {
  const principalArn = arn.replace(/^arn:aws:sts::(\d+):assumed-role\/([^/]+)\/.*$/, 'arn:aws:iam::$1:role/$2');
  const client = new EKSClient({});
  try {
    const { accessEntry } = await client.send(new DescribeAccessEntryCommand({ clusterName, principalArn }));
    return { user: arn, groups: accessEntry?.kubernetesGroups ?? [] };
  } finally {
    client.destroy();
  }
}

function answerOf(result: Review): object {
  const status =
    'user' in result
      ? { authenticated: true, user: { username: result.user, groups: result.groups } }
      : { authenticated: false, error: result.refused };
  return { apiVersion: API_VERSION, kind: 'TokenReview', status };
}
