import { GrpcAdsClient } from '../../../lib/registries/mcp/grpc-ads-client';
import type { AdsStream } from '../../../lib/registries/mcp/ads-stream';
import { parseServerAddress } from '../../../lib/registries/mcp/server-address';
import { xdsNode } from '../../../lib/registries/mcp/xds-node';
import type { Clock } from '../../../lib/runtime/clock';
import { ManualClock } from '../../support/manual-clock';
import { serviceEntryResource } from '../../support/mcp-messages';
import { type SeenStream, type XdsServerOptions, XdsServer } from '../../support/xds-server';

const TYPE = 'networking.istio.io/v1/ServiceEntry';
const OTHER_TYPE = 'networking.istio.io/v1/WorkloadEntry';

let server: XdsServer | undefined;
const aborts: AbortController[] = [];

afterEach(() => {
  for (const abort of aborts.splice(0)) abort.abort();
  server?.stop();
  server = undefined;
});

/** Time in which nothing ever is too late. */
const PATIENT: Clock = {
  now: () => 0,
  delay: (_ms, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
};

async function connect(
  options: XdsServerOptions,
  clock: Clock = PATIENT,
): Promise<{ stream: AdsStream; abort: AbortController }> {
  server = await XdsServer.start(options);
  const client = new GrpcAdsClient({
    server: parseServerAddress(`xds://${server.target}`)!,
    node: xdsNode({ cluster: 'test', namespace: 'istio-system', domainSuffix: 'cluster.local' }),
    credentials: () => Promise.resolve({}),
    clock,
  });
  const abort = new AbortController();
  aborts.push(abort);
  return { stream: await client.open(abort.signal), abort };
}

/** Resolves when the server has seen so many requests on its first stream. */
function recorded(onRequest: XdsServerOptions['onRequest'] = () => undefined) {
  const waiting: { count: number; resolve: (stream: SeenStream) => void }[] = [];
  return {
    onRequest: (stream: SeenStream, request: SeenStream['requests'][number]) => {
      onRequest(stream, request);
      for (const { count, resolve } of waiting) if (stream.requests.length >= count) resolve(stream);
    },
    requests: (count: number) =>
      new Promise<SeenStream>((resolve) => {
        const [stream] = server?.streams ?? [];
        if (stream !== undefined && stream.requests.length >= count) resolve(stream);
        else waiting.push({ count, resolve });
      }),
  };
}

describe('what the server is told', () => {
  test('the first request of a stream says who asks, the others do not', async () => {
    const seen = recorded();
    const { stream } = await connect(seen);

    stream.subscribe(TYPE);
    stream.subscribe(OTHER_TYPE);
    const { requests } = await seen.requests(2);

    expect(requests).toMatchObject([
      {
        typeUrl: TYPE,
        versionInfo: '',
        responseNonce: '',
        resourceNames: [],
        node: {
          id: 'sidecar~192.0.2.1~pilotless-test.istio-system~istio-system.svc.cluster.local',
          metadata: { fields: { GENERATOR: { stringValue: 'api' } } },
        },
      },
      { typeUrl: OTHER_TYPE, node: null },
    ]);
  });

  test('an acknowledgement has the version and the nonce of its answer, for its type', async () => {
    const seen = recorded((stream, { responseNonce, typeUrl }) => {
      if (responseNonce === '') stream.send({ typeUrl, versionInfo: '7', nonce: `nonce of ${typeUrl}` });
    });
    const { stream } = await connect(seen);

    stream.subscribe(TYPE);
    stream.acknowledge((await stream.next())!);
    stream.subscribe(OTHER_TYPE);
    stream.acknowledge((await stream.next())!);
    const { requests } = await seen.requests(4);

    expect(requests[1]).toMatchObject({
      typeUrl: TYPE,
      versionInfo: '7',
      responseNonce: `nonce of ${TYPE}`,
      errorDetail: null,
    });
    expect(requests[3]).toMatchObject({
      typeUrl: OTHER_TYPE,
      versionInfo: '7',
      responseNonce: `nonce of ${OTHER_TYPE}`,
    });
  });

  test('a refusal has the nonce of its answer, the version before it, and the reason', async () => {
    const seen = recorded((stream, { typeUrl }) => {
      const version = String(stream.requests.length);
      if (stream.requests.length < 4) stream.send({ typeUrl, versionInfo: version, nonce: `n${version}` });
    });
    const { stream } = await connect(seen);

    stream.subscribe(TYPE);
    stream.refuse((await stream.next())!, 'first');
    stream.acknowledge((await stream.next())!);
    stream.refuse((await stream.next())!, 'third');
    const { requests } = await seen.requests(4);

    expect(requests.slice(1)).toMatchObject([
      { versionInfo: '', responseNonce: 'n1', errorDetail: { code: 3, message: 'first' } },
      { versionInfo: '2', responseNonce: 'n2', errorDetail: null },
      { versionInfo: '2', responseNonce: 'n3', errorDetail: { code: 3, message: 'third' } },
    ]);
  });

  test('names are asked for, and again with each acknowledgement', async () => {
    const seen = recorded((stream, { typeUrl, responseNonce }) => {
      if (responseNonce === '') stream.send({ typeUrl, versionInfo: '1', nonce: 'n1' });
    });
    const { stream } = await connect(seen);

    stream.subscribe(TYPE, ['a']);
    stream.acknowledge((await stream.next())!);
    stream.subscribe(TYPE, ['a', 'b']);
    const { requests } = await seen.requests(3);

    expect(requests).toMatchObject([
      { resourceNames: ['a'] },
      { resourceNames: ['a'], responseNonce: 'n1' },
      { resourceNames: ['a', 'b'], versionInfo: '1', responseNonce: 'n1' },
    ]);
  });
});

describe('what comes', () => {
  test('answers come one by one, in order, however fast they were sent', async () => {
    const { stream } = await connect({
      onRequest: (seen, { typeUrl }) => {
        for (const versionInfo of ['1', '2', '3']) seen.send({ typeUrl, versionInfo, nonce: versionInfo });
      },
    });

    stream.subscribe(TYPE);

    for (const version of ['1', '2', '3']) expect(await stream.next()).toMatchObject({ version });
  });

  test('the objects come as they were sent', async () => {
    const resource = serviceEntryResource({ name: 'shop/cart', spec: { hosts: ['cart.example.com'] } });
    const { stream } = await connect({
      onRequest: (seen, { typeUrl }) => seen.send({ typeUrl, versionInfo: '1', nonce: 'n', resources: [resource] }),
    });

    stream.subscribe(TYPE);

    expect(await stream.next()).toEqual({
      typeUrl: TYPE,
      version: '1',
      nonce: 'n',
      resources: [{ typeUrl: resource.typeUrl, value: resource.value }],
    });
  });

  test('nothing comes in time from a server that says nothing', async () => {
    const clock = new ManualClock();
    const { stream } = await connect({ onRequest: () => undefined }, clock);
    stream.subscribe(TYPE);
    await expect(stream.next(10)).resolves.toBeUndefined();
    expect(clock.delays).toEqual([10]);
  });

  test('requests and bytes are counted, each once', async () => {
    const { stream } = await connect({
      onRequest: (seen, { typeUrl, responseNonce }) => {
        if (responseNonce === '') seen.send({ typeUrl, versionInfo: '1', nonce: 'n' });
      },
    });
    stream.subscribe(TYPE);
    stream.acknowledge((await stream.next())!);

    expect(stream.takeCost()).toEqual({ requests: 2, bytes: TYPE.length + 2 + 3 + 3 });
    expect(stream.takeCost()).toEqual({ requests: 0, bytes: 0 });
  });
});

describe('pitfall 1: what is no answer is an error', () => {
  test.each([
    ['bytes that are none', Buffer.from([0x0a, 9]), 'its bytes are no DiscoveryResponse'],
    [
      'an answer that nobody asked for',
      { typeUrl: OTHER_TYPE },
      `it is of type "${OTHER_TYPE}", which nobody asked for`,
    ],
    ['an answer without a type', {}, 'it is of type "", which nobody asked for'],
  ])('%s', async (_case, answer, reason) => {
    const { stream } = await connect({
      onRequest: (seen) => seen.send(answer as Buffer),
    });
    stream.subscribe(TYPE);
    await expect(stream.next()).rejects.toMatchObject({
      code: 'McpAnswerUnreadableError',
      message: `xds://${server!.target} sent an answer that cannot be read: ${reason}`,
    });
  });

  test.each([
    ['refuses', { code: 7, details: 'no' }, 'McpForbiddenError'],
    ['fails', { code: 13, details: 'no' }, 'McpStreamError'],
    ['ends the stream', undefined, 'McpStreamEndedError'],
  ])('a server that %s', async (_case, status, code) => {
    const { stream } = await connect({ onRequest: (seen) => seen.end(status) });
    stream.subscribe(TYPE);
    await expect(stream.next()).rejects.toMatchObject({ code });
    await expect(stream.next()).rejects.toMatchObject({ code });
  });

  test('what came before the end counts', async () => {
    const { stream } = await connect({
      onRequest: (seen, { typeUrl }) => {
        seen.send({ typeUrl, versionInfo: '1', nonce: 'n' });
        seen.end({ code: 14, details: 'going away' });
      },
    });
    stream.subscribe(TYPE);
    expect(await stream.next()).toMatchObject({ version: '1' });
    await expect(stream.next()).rejects.toMatchObject({ code: 'McpStreamBrokenError' });
  });
});

describe('closing', () => {
  test('ends our half first, and the server ends its own', async () => {
    const seen = recorded();
    const { stream } = await connect(seen);
    stream.subscribe(TYPE);
    const at = await seen.requests(1);

    await stream.close();

    expect(at.halfClosed).toBe(true);
  });

  test('a server that does not end its half is left, in half a second', async () => {
    const seen = recorded();
    const clock = new ManualClock();
    const { stream } = await connect({ ...seen, endsWithClient: false }, clock);
    stream.subscribe(TYPE);
    await seen.requests(1);

    await stream.close();

    expect(clock.delays).toEqual([500]);
  });

  test('the signal closes the stream, and whoever waits gets its reason', async () => {
    const seen = recorded();
    const { stream, abort } = await connect(seen);
    stream.subscribe(TYPE);
    const at = await seen.requests(1);
    const waiting = stream.next();

    abort.abort(new Error('enough'));

    await expect(waiting).rejects.toThrow('enough');
    await stream.close();
    expect(at.halfClosed).toBe(true);
  });

  test('a signal that aborts later on changes nothing', async () => {
    const { stream, abort } = await connect({ onRequest: (seen) => seen.end() });
    stream.subscribe(TYPE);
    await expect(stream.next()).rejects.toMatchObject({ code: 'McpStreamEndedError' });

    await stream.close();
    abort.abort(new Error('enough'));

    await expect(stream.next()).rejects.toThrow('enough');
  });

  test('nothing is sent after it', async () => {
    const seen = recorded();
    const { stream } = await connect(seen);
    stream.subscribe(TYPE);
    const at = await seen.requests(1);

    await stream.close();
    stream.subscribe(OTHER_TYPE);

    expect(at.requests).toHaveLength(1);
    expect(stream.takeCost().requests).toBe(1);
  });

  test('can be repeated', async () => {
    const { stream } = await connect({ onRequest: () => undefined });
    stream.subscribe(TYPE);
    await Promise.all([stream.close(), stream.close()]);
    await expect(stream.close()).resolves.toBeUndefined();
  });
});
