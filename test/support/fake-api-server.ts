import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ApiConnection, ClusterAccess } from '../../lib/registries/kubernetes/cluster-access';
import type { Resource } from '../../lib/registries/kubernetes/kube-objects';
import { RESOURCE_KINDS } from '../../lib/registries/kubernetes/resource-sources';
import type { Manifest } from './kube-manifests';

type Identified = { readonly namespace: string; readonly name: string };
type Change = { readonly type: string; readonly version: number; readonly resource: Resource; readonly object: Stored };
type Stored = Manifest & { readonly metadata: Identified & { readonly resourceVersion: string } };
type Watch = { readonly resource: Resource; readonly namespace: string | undefined; readonly response: ServerResponse };

export type Answer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The connection breaks after the body, which claims to be longer. */
  readonly cut?: boolean;
};

type Trouble = { readonly matches: (request: string) => boolean; readonly answer: Answer; times: number };

/**
 * Speaks as much of the Kubernetes API as listing and watching takes, over HTTP on this machine, and can be made to
 * misbehave. What a real API server does is tried in test/servers; this one does on command what that one does seldom.
 */
export class FakeApiServer {
  readonly #server: Server;
  readonly #objects = new Map<Resource, Map<string, Stored>>();
  readonly #history: Change[] = [];
  readonly #pages = new Map<string, { readonly version: number; readonly items: readonly Stored[] }>();
  readonly #watches = new Set<Watch>();
  readonly #troubles: Trouble[] = [];
  #version = 1;
  /** Versions up to here are forgotten. */
  #compacted = 0;
  #waiters: (() => void)[] = [];
  /** Path and query of each request, in order. */
  readonly requests: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => this.#handle(request, response));
  }

  static async start(): Promise<FakeApiServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakeApiServer(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Access without credentials, with a count of refusals. */
  access(headers: () => Readonly<Record<string, string>> = () => ({})): ClusterAccess & { refusals: number } {
    const access = {
      refusals: 0,
      connect: (): Promise<ApiConnection> => Promise.resolve({ baseUrl: this.url, headers: headers() }),
      refused: () => {
        access.refusals += 1;
      },
      close: () => undefined,
    };
    return access;
  }

  put(resource: Resource, manifest: Manifest): void {
    const { namespace = '', name = '' } = manifest.metadata as Partial<Identified>;
    const version = (this.#version += 1);
    const object = {
      ...manifest,
      metadata: { ...(manifest.metadata as Identified), namespace, name, resourceVersion: String(version) },
    };
    const objects = this.#of(resource);
    const type = objects.has(`${namespace}/${name}`) ? 'MODIFIED' : 'ADDED';
    objects.set(`${namespace}/${name}`, object);
    this.#tell({ type, version, resource, object });
  }

  remove(resource: Resource, name: string, namespace = 'shop'): void {
    const objects = this.#of(resource);
    const object = objects.get(`${namespace}/${name}`);
    if (object === undefined) throw new Error(`no ${resource} ${namespace}/${name}`);
    objects.delete(`${namespace}/${name}`);
    const version = (this.#version += 1);
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    this.#tell({ type: 'DELETED', version, resource, object: { ...object, metadata } });
  }

  /** Sends something that is no event of an object to the open watches of the resource. */
  send(resource: Resource, text: string | Buffer): void {
    for (const watch of this.#watchesOf(resource)) watch.response.write(text);
  }

  bookmark(resource: Resource): void {
    const object = { kind: RESOURCE_KINDS[resource].kind, metadata: { resourceVersion: String(this.#version) } };
    this.send(resource, `${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  /** Breaks the connections of the watches; with `orderly`, ends them as a server does at their time limit. */
  endWatches(resource: Resource, orderly = false): void {
    for (const watch of this.#watchesOf(resource)) {
      this.#watches.delete(watch);
      if (orderly) watch.response.end();
      else watch.response.destroy();
    }
  }

  /** Open watches stay open, but hear nothing any more. */
  mute(resource: Resource): void {
    for (const watch of this.#watchesOf(resource)) this.#watches.delete(watch);
  }

  /** Forgets all history: versions before now and page tokens are expired. */
  compact(): void {
    this.#compacted = this.#version;
    this.#pages.clear();
  }

  /** Answers the next `times` requests whose path and query match with something else. */
  trouble(pattern: RegExp, answer: Answer, times = Infinity): void {
    this.#troubles.push({ matches: (request) => pattern.test(request), answer, times });
  }

  calm(): void {
    this.#troubles.length = 0;
  }

  /** Resolves when so many watches of the resource are open. */
  async watched(resource: Resource, count = 1): Promise<void> {
    await this.until(() => this.#watchesOf(resource).length >= count);
  }

  /** Resolves when the condition holds; asked anew at each request. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #of(resource: Resource): Map<string, Stored> {
    const objects = this.#objects.get(resource) ?? new Map<string, Stored>();
    this.#objects.set(resource, objects);
    return objects;
  }

  #watchesOf(resource: Resource): readonly Watch[] {
    return [...this.#watches].filter((watch) => watch.resource === resource);
  }

  #tell(change: Change): void {
    this.#history.push(change);
    for (const watch of this.#watches) deliver(watch, change);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const target = request.url ?? '';
    this.requests.push(target);
    const trouble = this.#troubles.find(({ matches, times }) => times > 0 && matches(target));
    if (trouble === undefined) this.#answer(target, request, response);
    else {
      trouble.times -= 1;
      misbehave(response, trouble.answer);
    }
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  #answer(target: string, request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(target, this.url);
    const match = /^\/(?:api|apis\/[^/]+)\/v1(?:\/namespaces\/([^/]+))?\/([a-z]+)$/.exec(url.pathname);
    const resource = match?.[2] as Resource | undefined;
    if (resource === undefined) misbehave(response, { status: 404, body: '404 page not found' });
    else if (url.searchParams.has('watch')) this.#watch(url, resource, match?.[1], response);
    else this.#list(url, resource, match?.[1], request, response);
  }

  #list(
    url: URL,
    resource: Resource,
    namespace: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const token = url.searchParams.get('continue');
    const page =
      token === null
        ? {
            version: this.#version,
            items: [...this.#of(resource).values()].filter((object) => selected(url, namespace, object)),
          }
        : this.#pages.get(token);
    if (page === undefined) {
      misbehave(response, {
        status: 410,
        body: statusBody(410, 'Expired', 'The provided continue parameter is too old'),
      });
      return;
    }
    const limit = Number(url.searchParams.get('limit') ?? Infinity);
    const rest = page.items.slice(limit);
    const next = rest.length === 0 ? '' : `token-${this.requests.length}`;
    if (next !== '') this.#pages.set(next, { version: page.version, items: rest });
    const { kind, metadataOnly } = RESOURCE_KINDS[resource];
    const body = JSON.stringify({
      kind: metadataOnly ? 'PartialObjectMetadataList' : `${kind}List`,
      metadata: { resourceVersion: String(page.version), ...(next === '' ? {} : { continue: next }) },
      items: page.items.slice(0, limit),
    });
    const compress = request.headers['accept-encoding'] === 'gzip';
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(compress ? { 'content-encoding': 'gzip' } : {}),
    });
    response.end(compress ? gzipSync(body) : body);
  }

  #watch(url: URL, resource: Resource, namespace: string | undefined, response: ServerResponse): void {
    const since = Number(url.searchParams.get('resourceVersion'));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (since < this.#compacted) {
      const status: unknown = JSON.parse(statusBody(410, 'Expired', `too old resource version: ${since}`));
      response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
      return;
    }
    const watch = { resource, namespace, response };
    this.#watches.add(watch);
    response.on('close', () => this.#watches.delete(watch));
    for (const change of this.#history) if (change.version > since) deliver(watch, change);
  }
}

export function statusBody(code: number, reason: string, message: string): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });
}

export function forbidden(what: string): Answer {
  return { status: 403, body: statusBody(403, 'Forbidden', `${what} is forbidden: User "u" cannot do that`) };
}

function deliver({ resource, namespace, response }: Watch, change: Change): void {
  if (change.resource !== resource) return;
  if (namespace !== undefined && change.object.metadata.namespace !== namespace) return;
  response.write(`${JSON.stringify({ type: change.type, object: change.object })}\n`);
}

function selected(url: URL, namespace: string | undefined, object: Stored): boolean {
  const excluded = [...(url.searchParams.get('fieldSelector') ?? '').matchAll(/metadata\.namespace!=([^,]+)/g)];
  if (excluded.some(([, name]) => name === object.metadata.namespace)) return false;
  return namespace === undefined || object.metadata.namespace === namespace;
}

function misbehave(response: ServerResponse, { status = 200, headers = {}, body = '', cut = false }: Answer): void {
  const type = body.startsWith('{') ? 'application/json' : 'text/plain';
  const length = cut ? { 'content-length': String(body.length + 100) } : {};
  response.writeHead(status, { 'content-type': type, ...length, ...headers });
  if (!cut) response.end(body);
  else response.write(body, () => response.destroy());
}
