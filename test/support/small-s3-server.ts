import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as tests look at it: `LIST prefix`, `GET key`. */
export type S3Request = string;

/** An answer in place of the server's own. */
export type S3Answer = {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What happens after the body, of which one byte is missing: the connection breaks off, or nothing more comes. */
  readonly then?: 'break-off' | 'silence';
};

/** Just enough of S3 for a reader: ListObjectsV2 in pages and GetObject, of one bucket, path style. */
export class SmallS3Server {
  readonly bucket: string;
  readonly pageSize: number;
  readonly requests: S3Request[] = [];
  /** Answers by request, for faults. */
  readonly answers = new Map<S3Request, S3Answer>();
  /** Requests that are never answered. */
  readonly silent = new Set<S3Request>();
  readonly #objects = new Map<string, string>();
  readonly #server: Server = createServer((request, response) => {
    this.#respond(request, response);
  });

  constructor(bucket: string, pageSize: number) {
    this.bucket = bucket;
    this.pageSize = pageSize;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  put(key: string, contents: string): void {
    this.#objects.set(key, contents);
  }

  remove(key: string): void {
    this.#objects.delete(key);
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://s3');
    const [bucket = '', ...rest] = url.pathname.slice(1).split('/');
    const key = decodeURIComponent(rest.join('/'));
    const name = key === '' ? `LIST ${url.searchParams.get('prefix') ?? ''}` : `GET ${key}`;
    this.requests.push(name);
    if (this.silent.has(name)) return;
    send(response, this.answers.get(name) ?? this.#answer(bucket, key, url.searchParams));
  }

  #answer(bucket: string, key: string, query: URLSearchParams): S3Answer {
    if (bucket !== this.bucket) return s3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
    if (key === '') return this.#list(query.get('prefix') ?? '', query.get('continuation-token'));
    const contents = this.#objects.get(key);
    if (contents === undefined) return s3Error(404, 'NoSuchKey', 'The specified key does not exist.');
    return { status: 200, body: contents, headers: { etag: etagOf(contents) } };
  }

  #list(prefix: string, token: string | null): S3Answer {
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const start = token === null ? 0 : Number(Buffer.from(token, 'base64').toString());
    const page = keys.slice(start, start + this.pageSize);
    const end = start + page.length;
    const truncated = end < keys.length;
    const contents = page.map((key) => {
      const text = this.#objects.get(key) ?? '';
      return `<Contents><Key>${escapeXml(key)}</Key><ETag>${escapeXml(etagOf(text))}</ETag><Size>${Buffer.byteLength(text)}</Size></Contents>`;
    });
    const next = truncated
      ? `<NextContinuationToken>${Buffer.from(String(end)).toString('base64')}</NextContinuationToken>`
      : '';
    const body = `<ListBucketResult><Name>${this.bucket}</Name><IsTruncated>${truncated}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`;
    return { status: 200, body, headers: { 'content-type': 'application/xml' } };
  }
}

/** An error as S3 words it. */
export function s3Error(status: number, code: string, message: string): S3Answer {
  const body = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, body, headers: { 'content-type': 'application/xml' } };
}

function send(response: ServerResponse, { status, body, headers, then }: S3Answer): void {
  if (then !== undefined) {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) + 1 });
    response.write(body, () => {
      if (then === 'break-off') response.destroy();
    });
    return;
  }
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

function etagOf(contents: string): string {
  return `"${createHash('md5').update(contents).digest('hex')}"`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
