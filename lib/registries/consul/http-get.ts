import * as http from 'node:http';
import * as https from 'node:https';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { AppError } from '../../model/app-error';
import type { HttpAnswer } from './check-answer';
import type { HttpConnections } from './http-connections';

const gunzip = promisify(zlib.gunzip);

/** 1,200 instances take 1 to 2 MB; this is far above what a registry can hold and far below a function's memory. */
const MAX_ANSWER_BYTES = 100 * 1024 * 1024;

/**
 * How often a request is sent again that met a kept connection which the server had just closed. It was never read there;
 * each time another connection is taken, at last a new one.
 */
const MAX_STALE_CONNECTIONS = 3;

export type GetRequest = {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** From sending to the last byte of the answer. */
  readonly timeoutMs: number;
};

export type Received = HttpAnswer & {
  /** Of the body as it travelled. */
  readonly bytes: number;
  readonly hasToken: boolean;
};

type RawAnswer = { readonly response: http.IncomingMessage; readonly body: Buffer; readonly hasToken: boolean };

/**
 * One GET, answered with gzip where the server likes to.
 *
 * @throws AppError ConsulUnreachableError, ConsulTlsError, ConsulTimeoutError, ConsulAnswerCutError,
 * ConsulAnswerTooLargeError; what reading the credentials throws; the signal's reason when that aborts.
 */
export async function httpGet(connections: HttpConnections, request: GetRequest): Promise<Received> {
  const { response, body, hasToken } = await sendAgainWhenStale(connections, request, MAX_STALE_CONNECTIONS);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: (await decode(body, response, request.url)).toString('utf8'),
    bytes: body.length,
    hasToken,
  };
}

async function sendAgainWhenStale(
  connections: HttpConnections,
  request: GetRequest,
  remaining: number,
): Promise<RawAnswer> {
  try {
    return await send(connections, request);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    if (remaining === 0) throw transportError(request.url, error.cause);
    return sendAgainWhenStale(connections, request, remaining - 1);
  }
}

/** The server closed a kept connection while the request was on its way. */
class StaleConnection extends Error {}

function send(connections: HttpConnections, { url, signal, timeoutMs }: GetRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
      agent: connections.agent,
      headers: { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': 'pilotless' },
    });
    const abort = (): void => fail(signal.reason);
    const timer = setTimeout(() => fail(timeoutError(url, timeoutMs)), timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    const fail = (reason: unknown): void => {
      settle();
      outgoing.destroy();
      reject(reason instanceof Error ? reason : new Error(String(reason)));
    };
    signal.addEventListener('abort', abort, { once: true });
    let hasToken = false;
    outgoing.on('socket', (socket) => {
      const token = connections.tokenOf(socket);
      hasToken = token !== undefined;
      if (token !== undefined) outgoing.setHeader('X-Consul-Token', token);
      outgoing.end();
    });
    outgoing.on('error', (error) => {
      const stale = outgoing.reusedSocket && hasCode(error, ['ECONNRESET', 'EPIPE']);
      fail(stale ? new StaleConnection('closed', { cause: error }) : transportError(url, error));
    });
    outgoing.on('response', (response) => {
      collect(response, url).then((body) => {
        settle();
        resolve({ response, body, hasToken });
      }, fail);
    });
  });
}

async function collect(response: http.IncomingMessage, url: URL): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const body: AsyncIterable<Uint8Array> = response;
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_ANSWER_BYTES) throw tooLargeError(url);
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : cutError(url, length, cause);
  }
  if (!response.complete) throw cutError(url, length, undefined);
  return Buffer.concat(chunks);
}

async function decode(body: Buffer, response: http.IncomingMessage, url: URL): Promise<Buffer> {
  if (response.headers['content-encoding'] !== 'gzip') return body;
  try {
    return await gunzip(body, { maxOutputLength: MAX_ANSWER_BYTES });
  } catch (cause) {
    throw hasCode(cause, ['ERR_BUFFER_TOO_LARGE']) ? tooLargeError(url) : cutError(url, body.length, cause);
  }
}

function transportError(url: URL, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const reason = messageOf(cause);
  const details = { url: url.href };
  if (isTlsProblem(cause)) {
    return new AppError(
      `No TLS connection to ${url.origin}: ${reason}. Check caFile or caSecret, clientCert and serverName of the settings`,
      { code: 'ConsulTlsError', details, cause },
    );
  }
  return new AppError(`Consul at ${url.origin} cannot be reached: ${reason}`, {
    code: 'ConsulUnreachableError',
    transient: true,
    details,
    cause,
  });
}

/** OpenSSL's verification errors come as codes of their own, alerts of the other side as `ERR_SSL_…` or `EPROTO`. */
function isTlsProblem(error: unknown): boolean {
  const code = codeOf(error);
  return /^(ERR_SSL_|ERR_TLS_|EPROTO|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_OSSL_)/.test(code);
}

function timeoutError(url: URL, timeoutMs: number): AppError {
  return new AppError(`${pathOf(url)} was not answered in full within ${timeoutMs} ms`, {
    code: 'ConsulTimeoutError',
    transient: true,
    details: { url: url.href, timeoutMs },
  });
}

function cutError(url: URL, bytes: number, cause: unknown): AppError {
  return new AppError(`The answer to ${pathOf(url)} was cut off after ${bytes} bytes`, {
    code: 'ConsulAnswerCutError',
    transient: true,
    details: { url: url.href, bytes },
    cause,
  });
}

function tooLargeError(url: URL): AppError {
  return new AppError(`The answer to ${pathOf(url)} is larger than ${MAX_ANSWER_BYTES} bytes`, {
    code: 'ConsulAnswerTooLargeError',
    details: { url: url.href, allowed: MAX_ANSWER_BYTES },
  });
}

function pathOf(url: URL): string {
  return `${url.pathname}${url.search}`;
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes(codeOf(error));
}

/** Both not by `instanceof Error`: in a test runner that of Node's own modules is another. */
function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
