import type * as http from 'node:http';
import * as zlib from 'node:zlib';
import { AppError } from '../../../lib/model/app-error';
import type { Credentials } from '../../../lib/registries/credential-settings';
import { AnswerError } from '../../../lib/registries/consul/answer-error';
import { HttpConsulClient, type ConsulClientSettings } from '../../../lib/registries/consul/http-consul-client';
import { systemClock } from '../../../lib/runtime/system-clock';
import { HttpServer } from '../../support/http-server';

const SETTINGS: Omit<ConsulClientSettings, 'address'> = {
  selection: { tags: [], proxies: false, consulService: false },
  acceptFiltered: false,
  maxStaleMs: 10_000,
  requestTimeoutMs: 5000,
  limits: { maxConcurrency: 4, requestsPerSecond: 1000 },
};

const NEVER = new AbortController().signal;

const HEADERS = {
  'Content-Type': 'application/json',
  'X-Consul-Index': '42',
  'X-Consul-KnownLeader': 'true',
  'X-Consul-LastContact': '0',
};

let server: HttpServer;

afterEach(() => server[Symbol.asyncDispose]());

type Handle = (response: http.ServerResponse, request: http.IncomingMessage) => void;

async function client(
  handle: Handle,
  settings: Partial<ConsulClientSettings> = {},
  credentials: () => Promise<Credentials> = () => Promise.resolve({}),
): Promise<HttpConsulClient> {
  server = await HttpServer.start((request, response) => handle(response, request));
  return new HttpConsulClient({ ...SETTINGS, address: server.url, ...settings }, credentials, systemClock);
}

const good =
  (body: unknown): Handle =>
  (response) =>
    response.writeHead(200, HEADERS).end(JSON.stringify(body));

async function failureOf(asked: Promise<unknown>): Promise<AppError> {
  const error: unknown = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw new Error(`not an AppError: ${String(error)}`);
}

const pathOf = (index = 0) => decodeURIComponent(server.requests[index]?.url ?? '').replaceAll('+', ' ');

describe('questions', () => {
  test.each<[string, (api: HttpConsulClient) => Promise<unknown>, unknown, string]>([
    [
      'services',
      (api) => api.services({ signal: NEVER }),
      {},
      '/v1/catalog/services?filter=ServiceKind == "" and ServiceName != "consul"&stale=',
    ],
    [
      'checks',
      (api) => api.failingChecks({ signal: NEVER }),
      [],
      '/v1/health/state/any?filter=Status != "passing"&stale=',
    ],
    ['nodes', (api) => api.nodes({ signal: NEVER }), [], '/v1/catalog/nodes?stale='],
    [
      'instances',
      (api) => api.instances('a/b c', { signal: NEVER, consistency: 'stale' }),
      [],
      '/v1/health/service/a/b c?filter=Service.Kind == ""&stale=',
    ],
    [
      'instances at the leader',
      (api) => api.instances('web', { signal: NEVER, consistency: 'leader' }),
      [],
      '/v1/health/service/web?filter=Service.Kind == ""&leader=',
    ],
    [
      'the index of a service',
      (api) => api.serviceIndex('web', { signal: NEVER, consistency: 'leader' }),
      [],
      '/v1/health/service/web?filter=Service.ID == ""&leader=',
    ],
    [
      'registrations',
      (api) => api.registrations('m1', { signal: NEVER, consistency: 'leader' }),
      null,
      '/v1/catalog/node-services/m1?filter=Kind == "" and Service != "consul"&leader=',
    ],
    [
      'the index of a node',
      (api) => api.nodeIndex('m1', { signal: NEVER, consistency: 'leader' }),
      null,
      '/v1/catalog/node-services/m1?filter=ID == ""&leader=',
    ],
    [
      'what comes after',
      (api) => api.services({ signal: NEVER, waiting: { after: 41, waitMs: 1500 } }),
      {},
      '/v1/catalog/services?filter=ServiceKind == "" and ServiceName != "consul"&index=41&wait=1500ms&stale=',
    ],
  ])('%s', async (_what, ask, body, expected) => {
    const api = await client(good(body));
    await ask(api);
    expect(pathOf()).toBe(expected);
    expect(server.requests[0]?.headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': 'pilotless',
    });
  });

  test('a slash in a name does not end its part of the path', async () => {
    const api = await client(good([]));
    await api.instances('a/b', { signal: NEVER, consistency: 'stale' });
    expect(server.requests[0]?.url).toContain('/v1/health/service/a%2Fb?');
  });

  test('datacenter, namespace and partition are parameters; a path of the address stays', async () => {
    const handle = good({});
    server = await HttpServer.start((request, response) => handle(response, request));
    const settings = { ...SETTINGS, datacenter: 'dc2', namespace: 'ns1', partition: 'p1' };
    const selection = { tags: [], proxies: true, consulService: true };
    const address = `${server.url}/consul`;
    const api = new HttpConsulClient({ ...settings, selection, address }, () => Promise.resolve({}), systemClock);
    await api.services({ signal: NEVER });
    expect(pathOf()).toBe('/consul/v1/catalog/services?dc=dc2&ns=ns1&partition=p1&stale=');
  });
});

describe('answers', () => {
  test('lists, checks, nodes, instances and registrations', async () => {
    const bodies: Readonly<Record<string, unknown>> = {
      '/v1/catalog/services': { web: ['a'], api: null },
      '/v1/health/state/any': [
        { Node: 'm1', CheckID: 'c', Status: 'critical', ServiceID: 'w', ServiceName: 'web', Output: 'x' },
        { Node: 'm1', CheckID: 'n', Status: 'warning' },
      ],
      '/v1/catalog/nodes': [
        { Node: 'm1', Address: '10.0.0.1', Datacenter: 'dc1', Meta: { a: 'b' }, TaggedAddresses: null, ModifyIndex: 5 },
      ],
      '/v1/catalog/node-services/m1': { Node: {}, Services: [{ ID: 'w', Service: 'web', ModifyIndex: 6 }] },
      '/v1/health/service/web': [
        {
          Node: {
            Node: 'm1',
            Address: '10.0.0.1',
            Datacenter: 'dc1',
            Meta: null,
            TaggedAddresses: { wan: '1.2.3.4' },
            ModifyIndex: 4,
          },
          Service: {
            ID: 'w',
            Service: 'web',
            Address: '',
            Port: 80,
            Tags: null,
            Meta: { a: 'b' },
            TaggedAddresses: { wan: { Address: '5.6.7.8', Port: 81 }, lan: { Address: '5.6.7.9' } },
            Weights: { Passing: 2, Warning: 3 },
            ModifyIndex: 6,
          },
          Checks: [{ CheckID: 'c', Status: 'passing', ServiceID: 'w' }],
        },
        {
          Node: { Node: 'm2', ModifyIndex: 3 },
          Service: { ID: 'v', Service: 'web', ModifyIndex: 9, SocketPath: '/s' },
        },
      ],
    };
    const api = await client((response, request) => good(bodies[request.url?.split('?')[0] ?? ''])(response, request));
    const read = { signal: NEVER, consistency: 'stale' } as const;
    const answer = (body: unknown) => ({ body, index: 42, filtered: false });
    expect(await api.services(read)).toEqual(
      answer(
        new Map([
          ['web', ['a']],
          ['api', []],
        ]),
      ),
    );
    expect(await api.failingChecks(read)).toEqual(
      answer([
        { node: 'm1', id: 'c', status: 'critical', serviceId: 'w' },
        { node: 'm1', id: 'n', status: 'warning', serviceId: '' },
      ]),
    );
    expect(await api.nodes(read)).toEqual(
      answer([
        { name: 'm1', address: '10.0.0.1', datacenter: 'dc1', meta: { a: 'b' }, taggedAddresses: {}, modifyIndex: 5 },
      ]),
    );
    expect(await api.registrations('m1', read)).toEqual(answer([{ id: 'w', serviceName: 'web', modifyIndex: 6 }]));
    expect(await api.nodeIndex('m1', read)).toBe(42);
    expect(await api.serviceIndex('web', read)).toBe(42);
    expect((await api.instances('web', read)).body).toEqual([
      {
        id: 'w',
        serviceName: 'web',
        node: {
          name: 'm1',
          address: '10.0.0.1',
          datacenter: 'dc1',
          meta: {},
          taggedAddresses: { wan: '1.2.3.4' },
          modifyIndex: 4,
        },
        address: '',
        taggedAddresses: {
          wan: { address: '5.6.7.8', port: 81 },
          lan: { address: '5.6.7.9', port: undefined },
        },
        port: 80,
        socketPath: '',
        tags: [],
        meta: { a: 'b' },
        weights: { passing: 2, warning: 3 },
        checks: [{ id: 'c', status: 'passing', serviceId: 'w' }],
        modifyIndex: 6,
      },
      {
        id: 'v',
        serviceName: 'web',
        node: { name: 'm2', address: '', datacenter: '', meta: {}, taggedAddresses: {}, modifyIndex: 3 },
        address: '',
        taggedAddresses: {},
        port: undefined,
        socketPath: '/s',
        tags: [],
        meta: {},
        weights: { passing: 1, warning: 1 },
        checks: [],
        modifyIndex: 9,
      },
    ]);
  });

  test('a node that is unknown has no registrations', async () => {
    const api = await client(good({ Node: null, Services: null }));
    expect((await api.registrations('m1', { signal: NEVER, consistency: 'stale' })).body).toEqual([]);
  });

  test('gzip is read; requests, bytes as they travelled and connections are counted', async () => {
    const zipped = zlib.gzipSync(JSON.stringify({ web: Array.from({ length: 1000 }, () => 'tag') }));
    const api = await client((response) =>
      response.writeHead(200, { ...HEADERS, 'Content-Encoding': 'gzip' }).end(zipped),
    );
    expect((await api.services({ signal: NEVER })).body.get('web')).toHaveLength(1000);
    await api.services({ signal: NEVER });
    expect(api.spent).toEqual({ requests: 2, bytes: 2 * zipped.length, connections: 1 });
  });

  test('JSON of another shape is a bad answer, and says where', async () => {
    const api = await client(good([{ Node: { Node: 'm1', ModifyIndex: 1 }, Service: { ID: 7 } }]));
    const error = await failureOf(api.instances('web', { signal: NEVER, consistency: 'stale' }));
    expect(error).toBeInstanceOf(AnswerError);
    expect(error.code).toBe('ConsulAnswerInvalidError');
    expect(error.message).toMatch(
      /^\/v1\/health\/service\/web\?.* answered with JSON of another shape: 0\.Service\.ID: /,
    );
  });
});

describe('pitfall 1: what only looks like an answer is an error of its own', () => {
  test.each<[string, Handle, string, RegExp]>([
    [
      'a login page',
      (response) => response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/html' }).end('<html>'),
      'ConsulContentTypeError',
      /content type text\/html/,
    ],
    [
      'a redirect to one',
      (response) => response.writeHead(302, { Location: 'https://login.example/' }).end(),
      'ConsulRedirectError',
      /a redirect to https:\/\/login\.example\//,
    ],
    [
      'an answer that is cut off',
      (response) => {
        response.writeHead(200, { ...HEADERS, 'Content-Length': '1000' });
        response.write('{"web":[', () => response.destroy());
      },
      'ConsulAnswerCutError',
      /^The answer to \/v1\/catalog\/services\?.* was cut off after 8 bytes$/,
    ],
    [
      'a zipped answer that is cut off',
      (response) => {
        const half = zlib.gzipSync(JSON.stringify({ web: ['a'] })).subarray(0, 15);
        response.writeHead(200, { ...HEADERS, 'Content-Encoding': 'gzip', 'Content-Length': '15' }).end(half);
      },
      'ConsulAnswerCutError',
      /was cut off after 15 bytes$/,
    ],
    [
      'an answer that never begins',
      () => undefined,
      'ConsulTimeoutError',
      /^\/v1\/catalog\/services\?.* was not answered in full within 60 ms$/,
    ],
    [
      'an answer that never ends',
      (response) => {
        response.writeHead(200, HEADERS);
        response.write('{"web":[');
      },
      'ConsulTimeoutError',
      /was not answered in full within 60 ms$/,
    ],
    ['a closed door', (response) => response.destroy(), 'ConsulUnreachableError', /cannot be reached: socket hang up$/],
  ])('%s', async (_what, handle, code, message) => {
    const api = await client(handle, { requestTimeoutMs: code === 'ConsulTimeoutError' ? 60 : 20_000 });
    const error = await failureOf(api.services({ signal: NEVER }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  test('nobody at home', async () => {
    const api = await client(good({}));
    await server[Symbol.asyncDispose]();
    const asked = api.services({ signal: NEVER });
    await expect(asked).rejects.toMatchObject({ code: 'ConsulUnreachableError', transient: true });
    server = await HttpServer.start(() => undefined);
  });

  test('plain HTTP where TLS is expected', async () => {
    server = await HttpServer.start((_request, response) => response.end());
    const address = server.url.replace('http:', 'https:');
    const api = new HttpConsulClient({ ...SETTINGS, address }, () => Promise.resolve({}), systemClock);
    const error = await failureOf(api.services({ signal: NEVER }));
    expect(error.code).toBe('ConsulTlsError');
    expect(error.message).toMatch(/^No TLS connection to https:.*Check caFile or caSecret, clientCert and serverName/s);
  });
});

describe('waiting', () => {
  test('has its wait, and the sixteenth that Consul adds, in addition to the time limit', async () => {
    const api = await client((response) => setTimeout(() => good({})(response, server.requests[0]!), 400), {
      requestTimeoutMs: 250,
    });
    await expect(api.services({ signal: NEVER, waiting: { after: 1, waitMs: 3000 } })).resolves.toMatchObject({
      index: 42,
    });
    await expect(api.services({ signal: NEVER })).rejects.toMatchObject({ code: 'ConsulTimeoutError' });
  });

  test('takes no place among the requests under way', async () => {
    const api = await client(
      (response, request) => (request.url?.includes('index=') === true ? undefined : good({})(response, request)),
      { limits: { maxConcurrency: 1, requestsPerSecond: 1000 } },
    );
    const abort = new AbortController();
    const waits = [1, 2, 3].map(() => api.services({ signal: abort.signal, waiting: { after: 1, waitMs: 60_000 } }));
    await expect(api.services({ signal: NEVER })).resolves.toMatchObject({ index: 42 });
    abort.abort(new Error('enough'));
    expect((await Promise.allSettled(waits)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  test('ends with the reason of the signal, before and while it waits', async () => {
    const api = await client(() => undefined);
    await expect(api.services({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
    const abort = new AbortController();
    const [ended] = await Promise.allSettled([
      api.services({ signal: abort.signal }),
      Promise.resolve().then(() => abort.abort(new Error('while'))),
    ]);
    expect(ended).toEqual({ status: 'rejected', reason: new Error('while') });
  });
});

describe('connections', () => {
  test('are kept, and no more than maxConcurrency are needed', async () => {
    const api = await client(good([]), { limits: { maxConcurrency: 3, requestsPerSecond: 1000 } });
    const names = Array.from({ length: 30 }, (_, index) => `s${index}`);
    await Promise.all(names.map((name) => api.serviceIndex(name, { signal: NEVER, consistency: 'stale' })));
    expect(server.requests).toHaveLength(30);
    expect(server.connections).toBe(3);
    expect(api.spent.connections).toBe(3);
  });

  test('that the server has just closed are replaced without a word', async () => {
    const api = await client((response, request) => {
      if (server.requests.length === 2) request.socket.destroy();
      else good({})(response, request);
    });
    await api.services({ signal: NEVER });
    await expect(api.services({ signal: NEVER })).resolves.toMatchObject({ index: 42 });
    expect(server.connections).toBe(2);
  });

  test('pitfall 8: a rotated token is used by new connections, each reading it anew', async () => {
    let token = 'first';
    const api = await client(good({}), {}, () => Promise.resolve({ token }));
    await api.services({ signal: NEVER });
    token = 'second';
    await api.services({ signal: NEVER });
    api.reconnect();
    await api.services({ signal: NEVER });
    expect(server.requests.map(({ headers }) => headers['x-consul-token'])).toEqual(['first', 'first', 'second']);
  });

  test('that are opened together share one look at the credentials', async () => {
    const read = jest.fn(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return { token: 't' };
    });
    const api = await client(good({}), {}, read);
    await Promise.all([api.services({ signal: NEVER }), api.services({ signal: NEVER })]);
    expect(read).toHaveBeenCalledTimes(1);
    expect(api.spent.connections).toBe(2);
  });

  test('credentials that cannot be read are the error of the request, and are read again the next time', async () => {
    let broken = true;
    const read = () => (broken ? Promise.reject(new Error('no such secret')) : Promise.resolve({}));
    const api = await client(good({}), {}, read);
    await expect(api.services({ signal: NEVER })).rejects.toThrow('no such secret');
    broken = false;
    await expect(api.services({ signal: NEVER })).resolves.toMatchObject({ index: 42 });
  });

  test.each([[{}], [{ token: '' }]])('with credentials %j no token is sent', async (credentials) => {
    const api = await client(good({}), {}, () => Promise.resolve(credentials));
    await api.services({ signal: NEVER });
    expect(server.requests[0]?.headers['x-consul-token']).toBeUndefined();
  });

  test('pitfall 4: without a token a default policy of deny is an error', async () => {
    const denying: Handle = (response) =>
      response.writeHead(200, { ...HEADERS, 'X-Consul-Default-ACL-Policy': 'deny' }).end('{}');
    const api = await client(denying);
    await expect(api.services({ signal: NEVER })).rejects.toMatchObject({ code: 'ConsulTokenMissingError' });
  });
});
