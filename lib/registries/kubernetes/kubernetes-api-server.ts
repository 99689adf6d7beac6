import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import * as z from 'zod';
import { AppError } from '../../model/app-error';
import type { ReadingCost } from '../registry';
import {
  ExpiredError,
  ForbiddenError,
  NotServedError,
  type ApiServer,
  type Collection,
  type ListPage,
  type WatchEvent,
} from './api-server';
import { AccessError, type ApiConnection, type ClusterAccess } from './cluster-access';
import type { RequestBudget } from '../request-budget';

/** A page of 500 objects takes the server well under a second; a whole list of a large cluster some seconds. */
const LIST_TIMEOUT_MS = 60_000;
/** The server answers the head of a watch at once, whatever there is to watch. */
const WATCH_OPEN_TIMEOUT_MS = 30_000;
/** etcd takes objects of up to 1.5 MB by default; JSON of the same object is larger, but not by this much. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;
/** How much of an unexpected answer goes into a message. */
const EXCERPT_CHARACTERS = 200;

const PAGE_TYPE = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const EVENT_TYPE = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

const decompress = promisify(gunzip);

const listSchema = z.object({
  kind: z.string(),
  metadata: z.object({ resourceVersion: z.string().min(1), continue: z.string().optional() }),
  /** Go writes an empty list that was never filled as null. */
  items: z.array(z.unknown()).nullable(),
});

const eventSchema = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.unknown(),
});

const statusSchema = z.object({
  kind: z.literal('Status'),
  code: z.number().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
});

/**
 * Lists and watches over HTTP. Not the client library's own `Watch`: that one swallows events it cannot parse, keeps no
 * account of bytes, and hands events over whether or not anybody is ready for them.
 */
export class KubernetesApiServer implements ApiServer {
  readonly #access: ClusterAccess;
  readonly #budget: RequestBudget;
  #requests = 0;
  #bytes = 0;

  constructor(access: ClusterAccess, budget: RequestBudget) {
    this.#access = access;
    this.#budget = budget;
  }

  async list(
    collection: Collection,
    page: { readonly limit?: number; readonly continueToken?: string },
    signal: AbortSignal,
  ): Promise<ListPage> {
    const query = new URLSearchParams();
    if (page.limit !== undefined) query.set('limit', String(page.limit));
    if (page.continueToken !== undefined) query.set('continue', page.continueToken);
    const accept = collection.metadataOnly ? PAGE_TYPE : 'application/json';
    const asked: Asked = { verb: 'list', path: collection.path };
    const body = await this.#budget.run(signal, () =>
      within(LIST_TIMEOUT_MS, signal, asked, async (deadline) => {
        const response = await this.#get(collection, query, { accept, 'accept-encoding': 'gzip' }, deadline, asked);
        return this.#body(response, asked);
      }),
    );
    const list = parse(listSchema, parseJson(body, asked), asked);
    if (list.kind !== collection.listKind) {
      throw unexpected(asked, `a ${list.kind}, where a ${collection.listKind} was asked for`);
    }
    const { resourceVersion, continue: next } = list.metadata;
    return {
      items: list.items ?? [],
      resourceVersion,
      ...(next === undefined || next === '' ? {} : { continueToken: next }),
    };
  }

  async *watch(
    collection: Collection,
    since: { readonly resourceVersion: string; readonly timeoutSeconds: number },
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent> {
    const query = new URLSearchParams({
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: since.resourceVersion,
      timeoutSeconds: String(since.timeoutSeconds),
    });
    const asked: Asked = { verb: 'watch', path: collection.path };
    await this.#budget.rate(signal);
    const accept = collection.metadataOnly ? EVENT_TYPE : 'application/json';
    const response = await within(WATCH_OPEN_TIMEOUT_MS, signal, asked, (deadline) =>
      this.#get(collection, query, { accept }, deadline, asked),
    );
    for await (const line of this.#lines(response, asked)) yield watchEvent(parseJson(line, asked), asked);
  }

  takeCost(): ReadingCost {
    const cost = { requests: this.#requests, bytes: this.#bytes };
    this.#requests = 0;
    this.#bytes = 0;
    return cost;
  }

  close(): void {
    this.#access.close();
  }

  /** A good answer's head. A refused credential is read anew and tried once more. */
  async #get(
    collection: Collection,
    query: URLSearchParams,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    asked: Asked,
  ): Promise<IncomingMessage> {
    if (collection.fieldSelector !== undefined) query.set('fieldSelector', collection.fieldSelector);
    if (collection.labelSelector !== undefined) query.set('labelSelector', collection.labelSelector);
    const target = `${collection.path}?${query.toString()}`;
    let response = await this.#send(target, headers, signal);
    if (response.statusCode === 401) {
      response.resume();
      this.#access.refused();
      response = await this.#send(target, headers, signal);
    }
    if (response.statusCode !== 200) throw await this.#refusal(response, asked);
    const type = response.headers['content-type'] ?? '';
    if (!type.startsWith('application/json')) {
      response.destroy();
      throw unexpected(asked, `content type ${JSON.stringify(type)}, where application/json was asked for`);
    }
    return response;
  }

  async #send(target: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
    const connection = await this.#access.connect();
    this.#requests += 1;
    return sendGet(connection, target, headers, signal).catch((cause: unknown) => {
      throw isAbort(cause) ? cause : unreachable(connection, cause);
    });
  }

  async #body(response: IncomingMessage, asked: Asked): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of chunksOf(response, asked)) {
      this.#bytes += chunk.length;
      chunks.push(chunk);
    }
    const whole = Buffer.concat(chunks);
    return (response.headers['content-encoding'] === 'gzip' ? await decompress(whole) : whole).toString('utf8');
  }

  async *#lines(response: IncomingMessage, asked: Asked): AsyncGenerator<string> {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    for await (const chunk of chunksOf(response, asked)) {
      this.#bytes += chunk.length;
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_EVENT_CHARACTERS)
        throw unexpected(asked, `an event of over ${MAX_EVENT_CHARACTERS} characters`);
      for (const line of lines) if (line !== '') yield line;
    }
    if (rest !== '') throw unexpected(asked, 'a stream that ended within an event');
  }

  async #refusal(response: IncomingMessage, asked: Asked): Promise<AppError> {
    const body = await this.#body(response, asked).catch(() => '');
    const code = response.statusCode ?? 0;
    const location = response.headers.location;
    if (location !== undefined) return unexpected(asked, `a redirect (${code}) to ${location}, which is not followed`);
    const status = statusSchema.safeParse(jsonOrUndefined(body));
    if (status.success) return errorOfStatus(status.data.code ?? code, status.data.message ?? '', asked);
    // An API group that nobody serves is answered in plain text.
    if (code === 404) return new NotServedError(`The cluster does not serve ${asked.path} (404)`);
    return unexpected(asked, `status ${code}: ${excerpt(body)}`);
  }
}

/** What was asked for, for messages. */
type Asked = { readonly verb: 'list' | 'watch'; readonly path: string };

function wordsOf({ verb, path }: Asked): string {
  return `${verb} ${path}`;
}

/**
 * Runs a request that has to have answered within `ms`. The signal it gets outlives that: the stream that the request
 * opened ends when the caller's signal aborts.
 */
async function within<T>(
  ms: number,
  signal: AbortSignal,
  asked: Asked,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await run(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    throw late.signal.aborted ? timedOut(asked, ms) : error;
  } finally {
    clearTimeout(timer);
  }
}

function sendGet(
  { baseUrl, headers, agent }: ApiConnection,
  target: string,
  more: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(baseUrl + target);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = {
      method: 'GET',
      headers: { ...headers, ...more },
      signal,
      ...(agent === undefined ? {} : { agent }),
    };
    send(url, options, resolve).on('error', reject).end();
  });
}

/** The body's bytes as they come; what arrives is awaited, so that a slow reader slows the server down. */
async function* chunksOf(response: IncomingMessage, asked: Asked): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response) {
      if (Buffer.isBuffer(chunk)) yield chunk;
    }
  } catch (cause) {
    throw isAbort(cause) ? cause : unexpected(asked, `an answer that was cut off (${String(cause)})`, cause);
  }
}

/** Whether it was the caller who ended the request. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function watchEvent(raw: unknown, asked: Asked): WatchEvent {
  const { type, object } = parse(eventSchema, raw, asked);
  if (type !== 'ERROR') return { type, object };
  const status = parse(statusSchema, object, asked);
  throw errorOfStatus(status.code ?? 500, status.message ?? '', asked);
}

function errorOfStatus(code: number, message: string, asked: Asked): AppError {
  switch (code) {
    case 401:
      return new AccessError(
        `Asked to ${wordsOf(asked)}, the API server does not know these credentials (401): ${message}`,
        {
          transient: true,
        },
      );
    case 403:
      return new ForbiddenError(asked.verb, message);
    case 404:
      return new NotServedError(`The cluster does not serve ${asked.path} (404): ${message}`);
    case 410:
      return new ExpiredError(
        `Asked to ${wordsOf(asked)}, the API server has forgotten that version (410): ${message}`,
      );
    default:
      return unexpected(asked, `status ${code}: ${message}`);
  }
}

function unexpected(asked: Asked, answer: string, cause?: unknown): AppError {
  return new AppError(`Asked to ${wordsOf(asked)}, the API server answered with ${answer}`, {
    code: 'UnexpectedAnswerError',
    transient: true,
    cause,
  });
}

function unreachable({ baseUrl }: ApiConnection, cause: unknown): AppError {
  return new AppError(`The API server ${baseUrl} cannot be reached: ${String(cause)}`, {
    code: 'UnreachableError',
    transient: true,
    cause,
  });
}

function timedOut(asked: Asked, ms: number): AppError {
  return new AppError(`Asked to ${wordsOf(asked)}, the API server did not answer for ${ms} ms`, {
    code: 'RequestTimeoutError',
    transient: true,
  });
}

function parse<T>(schema: z.ZodType<T>, raw: unknown, asked: Asked): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  throw unexpected(asked, `JSON of another shape: ${z.prettifyError(result.error)}`);
}

function parseJson(text: string, asked: Asked): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unexpected(asked, `no JSON: ${excerpt(text)}`, cause);
  }
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, EXCERPT_CHARACTERS));
}
