import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import * as z from 'zod';

import { HttpServer } from '../../../support/http-server';
import { type Answer, sendRequest } from '../processes/send-request';

const DESCRIBED = z.looseObject({ cluster: z.looseObject({ name: z.string() }) });

export type ClusterPlace = {
  /** URL of the API server. */
  readonly endpoint: string;
  /** PEM of the authority that signed its certificate. */
  readonly ca: string;
};

export interface EksRelay extends AsyncDisposable {
  /** For `AWS_ENDPOINT_URL_EKS`. */
  readonly url: string;
  /** Where everything is passed on to. */
  target: string | undefined;
  /** What DescribeCluster says of a cluster, by its name. */
  readonly clusters: Map<string, ClusterPlace>;
}

/**
 * Stands in front of the emulator's EKS, which starts clusters by Docker or has none behind them, and their endpoint and
 * authority cannot be set. The emulator answers every call, and so refuses what a role may not do; in a good answer of
 * DescribeCluster the endpoint and the authority become those of an API server of the tests.
 */
export async function startEksRelay(): Promise<EksRelay> {
  const clusters = new Map<string, ClusterPlace>();
  const server = await HttpServer.start((request, response) => {
    relay(request).then(
      ({ status, headers, body }) => {
        const type = headers['x-amzn-errortype'];
        const error = typeof type === 'string' ? { 'x-amzn-errortype': type } : {};
        response.writeHead(status, { 'Content-Type': 'application/json', ...error }).end(body);
      },
      (error: unknown) => response.writeHead(502).end(String(error)),
    );
  });
  const front: EksRelay = {
    url: server.url,
    target: undefined,
    clusters,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };

  /** With all headers as they are: the host is signed. */
  async function relay(request: IncomingMessage): Promise<Answer> {
    if (front.target === undefined) throw new Error('the relay has no target yet');
    const { method = 'GET', url = '/' } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    );
    const body = await text(request);
    const answer = await sendRequest({ url: front.target + url, method, headers, ...(body === '' ? {} : { body }) });
    const isDescription = method === 'GET' && /^\/clusters\/[^/]+$/.test(url) && answer.status === 200;
    return isDescription ? { ...answer, body: placed(answer.body, clusters) } : answer;
  }
  return front;
}

function placed(body: string, clusters: ReadonlyMap<string, ClusterPlace>): string {
  const { cluster } = DESCRIBED.parse(JSON.parse(body));
  const place = clusters.get(cluster.name);
  if (place === undefined) return body;
  const certificateAuthority = { data: Buffer.from(place.ca).toString('base64') };
  return JSON.stringify({ cluster: { ...cluster, endpoint: place.endpoint, certificateAuthority } });
}
