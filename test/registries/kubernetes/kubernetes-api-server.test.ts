import type { Collection } from '../../../lib/registries/kubernetes/api-server';
import { KubernetesApiServer } from '../../../lib/registries/kubernetes/kubernetes-api-server';
import { RequestBudget } from '../../../lib/registries/request-budget';
import { systemClock } from '../../../lib/runtime/system-clock';
import { FakeApiServer, forbidden, statusBody, type Answer } from '../../support/fake-api-server';
import { serviceManifest } from '../../support/kube-manifests';
import { settle } from '../../support/virtual-clock';

const services: Collection = { path: '/api/v1/services', listKind: 'ServiceList', metadataOnly: false };
const generous = { maxConcurrency: 10, requestsPerSecond: 1_000 };
const never = new AbortController().signal;
const since = { resourceVersion: '1', timeoutSeconds: 60 };

let server: FakeApiServer;
beforeEach(async () => {
  server = await FakeApiServer.start();
});
afterEach(() => server.stop());

function client(access = server.access()): KubernetesApiServer {
  return new KubernetesApiServer(access, new RequestBudget(generous, systemClock));
}

async function firstEvent(signal = never): Promise<unknown> {
  for await (const event of client().watch(services, since, signal)) return event;
  return undefined;
}

describe('a list', () => {
  test('comes page by page, compressed, with requests and bytes counted', async () => {
    for (const name of ['a', 'b', 'c']) server.put('services', serviceManifest({ metadata: { name } }));
    const api = client();
    const first = await api.list(services, { limit: 2 }, never);
    expect(first.items).toHaveLength(2);
    expect(first.resourceVersion).toBe('4');
    const second = await api.list(services, { limit: 2, continueToken: first.continueToken ?? '' }, never);
    expect(second).toEqual({ items: [expect.objectContaining({ kind: 'Service' })], resourceVersion: '4' });
    expect(server.requests).toEqual(['/api/v1/services?limit=2', '/api/v1/services?limit=2&continue=token-1']);
    const cost = api.takeCost();
    expect(cost.requests).toBe(2);
    expect(cost.bytes).toBeGreaterThan(100);
    expect(api.takeCost()).toEqual({ requests: 0, bytes: 0 });
  });

  test('without objects is empty, also when the server never filled it', async () => {
    await expect(client().list(services, {}, never)).resolves.toEqual({ items: [], resourceVersion: '1' });
    server.trouble(/services/, {
      body: JSON.stringify({ kind: 'ServiceList', metadata: { resourceVersion: '9' }, items: null }),
    });
    await expect(client().list(services, {}, never)).resolves.toEqual({ items: [], resourceVersion: '9' });
  });

  test('selectors go to the server', async () => {
    await client().list(
      { ...services, fieldSelector: 'metadata.namespace!=a', labelSelector: 'team in (x,y)' },
      {},
      never,
    );
    expect(server.requests).toEqual([
      '/api/v1/services?fieldSelector=metadata.namespace%21%3Da&labelSelector=team+in+%28x%2Cy%29',
    ]);
  });

  test.each<{ what: string; answer: Answer; code: string; message: string }>([
    {
      what: 'a login page',
      answer: { body: '<html>Log in</html>', headers: { 'content-type': 'text/html' } },
      code: 'UnexpectedAnswerError',
      message: 'content type "text/html"',
    },
    {
      what: 'a redirect',
      answer: { status: 302, headers: { location: 'https://login' } },
      code: 'UnexpectedAnswerError',
      message: 'a redirect (302) to https://login, which is not followed',
    },
    {
      what: 'no JSON',
      answer: { body: '{"kind"', headers: {} },
      code: 'UnexpectedAnswerError',
      message: 'no JSON: "{\\"kind\\""',
    },
    {
      what: 'another kind',
      answer: { body: '{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[]}' },
      code: 'UnexpectedAnswerError',
      message: 'a PodList, where a ServiceList was asked for',
    },
    {
      what: 'no items',
      answer: { body: '{"kind":"ServiceList","metadata":{"resourceVersion":"1"}}' },
      code: 'UnexpectedAnswerError',
      message: 'items',
    },
    {
      what: 'no version',
      answer: { body: '{"kind":"ServiceList","metadata":{},"items":[]}' },
      code: 'UnexpectedAnswerError',
      message: 'resourceVersion',
    },
    { what: 'an empty object', answer: { body: '{}' }, code: 'UnexpectedAnswerError', message: 'kind' },
    {
      what: 'a body that is cut off',
      answer: { body: '{"kind":"ServiceList"', cut: true },
      code: 'UnexpectedAnswerError',
      message: 'an answer that was cut off (Error: aborted)',
    },
    {
      what: 'an error of the server',
      answer: { status: 500, body: statusBody(500, 'InternalError', 'etcd is away') },
      code: 'UnexpectedAnswerError',
      message: 'status 500: etcd is away',
    },
    {
      what: 'an error page',
      answer: { status: 502, body: 'bad gateway' },
      code: 'UnexpectedAnswerError',
      message: 'status 502: "bad gateway"',
    },
    {
      what: 'no permission',
      answer: forbidden('services'),
      code: 'ForbiddenError',
      message: 'services is forbidden: User "u" cannot do that',
    },
    {
      what: 'a 403 of somebody else',
      answer: { status: 403, body: '<html>WAF</html>' },
      code: 'UnexpectedAnswerError',
      message: 'status 403',
    },
    {
      what: 'an unknown group',
      answer: { status: 404, body: '404 page not found' },
      code: 'NotServedError',
      message: 'The cluster does not serve /api/v1/services (404)',
    },
    {
      what: 'an expired token',
      answer: { status: 410, body: statusBody(410, 'Expired', 'too old') },
      code: 'ExpiredError',
      message: 'too old',
    },
  ])('pitfall 1: $what is a failure, never empty', async ({ answer, code, message }) => {
    server.trouble(/services/, answer);
    const error: unknown = await client()
      .list(services, {}, never)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  test('a server that is not there is a failure that names it', async () => {
    await expect(
      client({
        ...server.access(),
        connect: () => Promise.resolve({ baseUrl: 'http://127.0.0.1:1', headers: {} }),
      }).list(services, {}, never),
    ).rejects.toMatchObject({
      code: 'UnreachableError',
      message: expect.stringContaining('The API server http://127.0.0.1:1 cannot be reached') as string,
    });
  });

  test('ends when the signal aborts', async () => {
    await expect(client().list(services, {}, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});

describe('pitfall 8: credentials', () => {
  test('a refused one is read anew and tried once more', async () => {
    const access = server.access();
    server.trouble(/services/, { status: 401, body: statusBody(401, 'Unauthorized', 'Unauthorized') }, 1);
    await expect(client(access).list(services, {}, never)).resolves.toMatchObject({ items: [] });
    expect(access.refusals).toBe(1);
    expect(server.requests).toHaveLength(2);
  });

  test('refused again it is a failure', async () => {
    server.trouble(/services/, { status: 401, body: statusBody(401, 'Unauthorized', 'Unauthorized') });
    await expect(client().list(services, {}, never)).rejects.toMatchObject({
      code: 'AccessError',
      message: 'Asked to list /api/v1/services, the API server does not know these credentials (401): Unauthorized',
    });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a watch', () => {
  test('asks for bookmarks and gives events and bookmarks', async () => {
    const stop = new AbortController();
    const events: unknown[] = [];
    const watching = (async () => {
      for await (const event of client().watch(services, since, stop.signal)) {
        events.push(event);
        if (events.length === 4) return;
      }
    })();
    await server.watched('services');
    expect(server.requests).toEqual([
      '/api/v1/services?watch=1&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=60',
    ]);
    server.put('services', serviceManifest());
    server.put('services', serviceManifest());
    server.remove('services', 'cart');
    server.bookmark('services');
    await watching;
    const object = expect.objectContaining({ kind: 'Service' }) as unknown;
    expect(events).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'].map((type) => ({ type, object })));
  });

  test('puts events together that come in pieces, with letters cut in two', async () => {
    const event = firstEvent();
    await server.watched('services');
    const bytes = Buffer.from('{"type":"ADDED","object":{"metadata":{"name":"ä"}}}\n');
    const inside = bytes.indexOf(0xa4);
    server.send('services', bytes.subarray(0, inside));
    await settle();
    server.send('services', bytes.subarray(inside));
    await expect(event).resolves.toEqual({ type: 'ADDED', object: { metadata: { name: 'ä' } } });
  });

  test('ends without an error when the server ends it', async () => {
    const event = firstEvent();
    await server.watched('services');
    server.endWatches('services', true);
    await expect(event).resolves.toBeUndefined();
  });

  test('a broken stream is a failure', async () => {
    const event = firstEvent();
    await server.watched('services');
    server.endWatches('services');
    await expect(event).rejects.toThrow('an answer that was cut off');
  });

  test('half an event at its end is a failure', async () => {
    const event = firstEvent();
    await server.watched('services');
    server.send('services', '{"type":"ADD');
    server.endWatches('services', true);
    await expect(event).rejects.toThrow('a stream that ended within an event');
  });

  test.each([
    { what: 'no JSON', line: 'hello\n', message: 'no JSON: "hello"' },
    { what: 'an unknown event', line: '{"type":"X","object":{}}\n', message: 'JSON of another shape' },
    {
      what: 'an error',
      line: '{"type":"ERROR","object":{"kind":"Status","code":500,"message":"boom"}}\n',
      message: 'status 500: boom',
    },
  ])('$what is a failure', async ({ line, message }) => {
    const event = firstEvent();
    await server.watched('services');
    server.send('services', line);
    await expect(event).rejects.toThrow(message);
  });

  test('a forgotten version is told apart', async () => {
    server.put('services', serviceManifest());
    server.compact();
    await expect(firstEvent()).rejects.toMatchObject({ code: 'ExpiredError' });
  });

  test('ends when the signal aborts', async () => {
    const stop = new AbortController();
    const event = firstEvent(stop.signal);
    await server.watched('services');
    stop.abort();
    await expect(event).rejects.toThrow('aborted');
  });
});
