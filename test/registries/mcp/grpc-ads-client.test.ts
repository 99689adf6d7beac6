import http from 'node:http';
import net from 'node:net';
import { GrpcAdsClient } from '../../../lib/registries/mcp/grpc-ads-client';
import { parseServerAddress } from '../../../lib/registries/mcp/server-address';
import { xdsNode } from '../../../lib/registries/mcp/xds-node';
import type { Credentials } from '../../../lib/registries/credential-settings';
import { ManualClock } from '../../support/manual-clock';
import { type SeenStream, XdsServer } from '../../support/xds-server';

const TYPE = 'networking.istio.io/v1/ServiceEntry';
const NOW = '2026-11-30T12:00:00.000Z';

const cleanUp: (() => void)[] = [];
afterEach(() => cleanUp.splice(0).forEach((clean) => clean()));

function clientOf(address: string, credentials: () => Promise<Credentials> = () => Promise.resolve({})): GrpcAdsClient {
  return new GrpcAdsClient({
    server: parseServerAddress(address)!,
    node: xdsNode({ cluster: 'test', namespace: 'istio-system', domainSuffix: 'cluster.local' }),
    credentials,
    clock: new ManualClock(NOW),
  });
}

async function startServer(onRequest: (stream: SeenStream) => void): Promise<XdsServer> {
  const server = await XdsServer.start({ onRequest });
  cleanUp.push(() => server.stop());
  return server;
}

/** What the first answer is, or why there is none. */
async function ask(client: GrpcAdsClient): Promise<unknown> {
  const abort = new AbortController();
  cleanUp.push(() => abort.abort());
  const stream = await client.open(abort.signal);
  stream.subscribe(TYPE);
  try {
    return await stream.next();
  } finally {
    await stream.close();
  }
}

function listening(server: net.Server): Promise<number> {
  cleanUp.push(() => server.close());
  return new Promise((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('it does not listen'));
    });
  });
}

function expiringToken(expiresAt: string): string {
  const claims = JSON.stringify({ exp: Date.parse(expiresAt) / 1000 });
  return `e30.${Buffer.from(claims).toString('base64url')}.c2ln`;
}

describe('credentials', () => {
  test('pitfall 8: are read anew for each stream, so that a rotated token is used', async () => {
    const tokens = ['first', 'second'];
    const server = await startServer((stream) => stream.send({ typeUrl: TYPE, versionInfo: '1', nonce: 'n' }));
    const client = clientOf(`xds://${server.target}`, () => Promise.resolve({ token: tokens.shift()! }));

    await ask(client);
    await ask(client);

    expect(server.streams.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test('nothing is said of who asks when there is no token', async () => {
    const server = await startServer((stream) => stream.send({ typeUrl: TYPE, versionInfo: '1', nonce: 'n' }));
    await ask(clientOf(`xds://${server.target}`));
    expect(server.streams[0]!.authorization).toBeUndefined();
  });

  test('that cannot be read fail the reading', async () => {
    const unreadable = new Error('no such file');
    await expect(ask(clientOf('xds://127.0.0.1:1', () => Promise.reject(unreadable)))).rejects.toBe(unreadable);
  });

  test.each([
    ['a token with a line break', { token: 'se\ncret' }, 'token', 'it holds characters that a token cannot have'],
    ['a CA that is no certificate', { ca: 'secret' }, 'CA', 'it is no certificate in PEM form'],
    [
      'a client certificate that is none',
      { cert: 'secret', key: 'secret' },
      'client certificate',
      'it is no certificate in PEM form',
    ],
  ])('%s is refused without being repeated', async (_case, credentials, what, reason) => {
    const error = await ask(clientOf('xdss://127.0.0.1:1', () => Promise.resolve(credentials))).catch(
      (thrown: unknown) => thrown,
    );

    expect(error).toMatchObject({
      code: 'McpCredentialUnusableError',
      transient: false,
      message: expect.stringContaining(`The ${what} for xdss://127.0.0.1:1 cannot be used: ${reason}`) as string,
    });
    expect(JSON.stringify(error)).not.toContain('cret');
  });

  test.each([
    [
      'has expired',
      expiringToken('2026-11-30T12:00:00Z'),
      'McpTokenExpiredError',
      'expired at 2026-11-30T12:00:00.000Z',
    ],
    [
      'is good for a second',
      expiringToken('2026-11-30T12:00:01Z'),
      'McpUnauthenticatedError',
      'does not accept the token',
    ],
    ['does not say', 'opaque', 'McpUnauthenticatedError', 'does not accept the token'],
  ])('a token that is refused and %s is explained', async (_case, token, code, message) => {
    const server = await startServer((stream) => stream.end({ code: 16, details: 'authentication failure' }));
    const refused = ask(clientOf(`xds://${server.target}`, () => Promise.resolve({ token })));
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  test('to ask without any is explained', async () => {
    const server = await startServer((stream) => stream.end({ code: 16, details: 'authentication failure' }));
    await expect(ask(clientOf(`xds://${server.target}`))).rejects.toMatchObject({
      code: 'McpUnauthenticatedError',
      message: expect.stringContaining('nothing is configured') as string,
    });
  });
});

describe('pitfall 1: a server that is none of xDS', () => {
  const page: http.RequestListener = (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<html>Sign in</html>');
  };

  test('an HTTP server is told from one of xDS', async () => {
    const port = await listening(http.createServer(page));
    await expect(ask(clientOf(`xds://127.0.0.1:${port}`))).rejects.toMatchObject({ code: 'McpWrongServerError' });
  });

  test('an HTTP server is told from one of xDS over TLS', async () => {
    const port = await listening(http.createServer(page));
    await expect(ask(clientOf(`xdss://127.0.0.1:${port}`))).rejects.toMatchObject({ code: 'McpWrongServerError' });
  });

  test('a port where nobody listens cannot be reached', async () => {
    const server = net.createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    await expect(ask(clientOf(`xds://127.0.0.1:${port}`))).rejects.toMatchObject({
      code: 'McpUnreachableError',
      transient: true,
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
  });
});

test('a signal that has aborted opens nothing', async () => {
  const credentials = jest.fn(() => Promise.resolve({}));
  await expect(clientOf('xds://127.0.0.1:1', credentials).open(AbortSignal.abort(new Error('enough')))).rejects.toThrow(
    'enough',
  );
  expect(credentials).not.toHaveBeenCalled();
});
