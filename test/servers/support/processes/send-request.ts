import http from 'node:http';
import https from 'node:https';

const TIMEOUT_MS = 10_000;

export type Tls = {
  /** Certificates to trust, PEM. */
  readonly ca: string;
  /** Client certificate and its key, PEM. */
  readonly cert?: string;
  readonly key?: string;
};

export type Request = {
  readonly url: string;
  /** @default GET */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tls?: Tls;
  /** @default a time limit of 10 s */
  readonly signal?: AbortSignal;
};

export type Answer = {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
};

/**
 * One HTTP request over a connection of its own. Unlike `fetch` it takes a private CA and client certificates, and no
 * pooled connection to a killed server is in the way.
 */
export function sendRequest(request: Request): Promise<Answer> {
  const { url, method = 'GET', headers = {}, body, tls, signal = AbortSignal.timeout(TIMEOUT_MS) } = request;
  const send = url.startsWith('https:') ? https.request : http.request;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers, signal, agent: false, ...tls }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => (text += chunk));
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
