// Who may read a real istiod, and what is said to those who may not.
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';

import * as z from 'zod';

import type { Registry } from '../../lib/registries/registry';
import { firstReading } from '../support/reading-watch';
import { accessIstiod, type McpAccess } from './support/istiod/mcp-access';
import { type Istiod, startIstiod } from './support/istiod/start-istiod';
import { signServiceAccountToken } from './support/kube-apiserver/sign-service-account-token';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { makeCertificateAuthority, openCertificateAuthority } from './support/processes/certificate-authority';
import { makeServerFolder } from './support/processes/server-folder';

const BUILD_TIMEOUT_MS = 45 * 60_000;
const ROOT_NAMESPACE = 'istio-system';
const AUDIENCE = 'istio-ca';

let api: KubeApiServer;
let istiod: Istiod;
let access: McpAccess;
/** Signs tokens beside the API server's own key. */
let signingKey: string;

beforeAll(async () => {
  const folder = await makeServerFolder('token-key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  signingKey = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  await writeFile(path.join(folder, 'key.pem'), signingKey, { mode: 0o600 });
  api = await startKubeApiServer({ flags: [`--service-account-key-file=${path.join(folder, 'key.pem')}`] });
  istiod = await startIstiod({ api, configuration: 'custom-resources' });
  access = await accessIstiod(istiod);
}, BUILD_TIMEOUT_MS);
afterAll(async () => {
  await istiod.stop();
  await api.stop();
});

async function fileOf(name: string, text: string): Promise<string> {
  await writeFile(path.join(access.folder, name), text);
  return name;
}

async function expectFailure(registry: Registry, code: string, ...parts: readonly string[]): Promise<void> {
  const error = await firstReading(registry).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code });
  for (const part of parts) expect(error).toHaveProperty('message', expect.stringContaining(part));
}

async function expectSuccess(registry: Registry): Promise<void> {
  expect(await firstReading(registry)).toMatchObject({ unreadable: [] });
}

async function signedToken(
  name: string,
  times: { readonly issued: number; readonly expires: number },
): Promise<string> {
  await api.serviceAccountToken({ namespace: ROOT_NAMESPACE, name, audiences: [AUDIENCE] });
  const { body } = await api.send('GET', `/api/v1/namespaces/${ROOT_NAMESPACE}/serviceaccounts/${name}`);
  const { uid } = z.object({ metadata: z.object({ uid: z.string() }) }).parse(JSON.parse(body)).metadata;
  const now = Math.floor(Date.now() / 1000);
  return signServiceAccountToken({
    key: signingKey,
    namespace: ROOT_NAMESPACE,
    name,
    uid,
    audience: AUDIENCE,
    issuedAt: now + times.issued,
    expiresAt: now + times.expires,
  });
}

describe('a token', () => {
  test('of a service account of the root namespace may read, and nothing else in the cluster', async () => {
    await expectSuccess(access.registry());

    const namespaces = await api.send('GET', '/api/v1/namespaces', undefined, await istiod.token());
    expect(namespaces.status).toBe(401);
  });

  test('that is missing', () =>
    expectFailure(access.registry({ tokenFile: undefined }), 'McpUnauthenticatedError', 'tokenFile or tokenSecret'));

  test('that is none', () =>
    expectFailure(
      access.registry({ tokenFile: undefined, token: 'secret' }),
      'McpUnauthenticatedError',
      'does not accept the token',
    ));

  test('of another audience', async () => {
    const token = await api.serviceAccountToken({ namespace: ROOT_NAMESPACE, name: 'reader' });
    await expectFailure(
      access.registry({ tokenFile: await fileOf('other-audience', token) }),
      'McpUnauthenticatedError',
      `audience ${AUDIENCE}`,
    );
  });

  test('that has expired, and that had been good', async () => {
    const good = await signedToken('own', { issued: -60, expires: 600 });
    await expectSuccess(access.registry({ tokenFile: await fileOf('good', good) }));

    const expired = await signedToken('own', { issued: -7200, expires: -3600 });
    await expectFailure(
      access.registry({ tokenFile: await fileOf('expired', expired) }),
      'McpTokenExpiredError',
      'expired at',
    );
  });

  test('of another namespace, whether it says so or not', async () => {
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
    const token = await api.serviceAccountToken({ namespace: 'shop', name: 'reader', audiences: [AUDIENCE] });
    const tokenFile = await fileOf('other-namespace', token);

    await expectFailure(access.registry({ tokenFile }), 'McpForbiddenError', '(now istio-system) has to name it');
    await expectFailure(access.registry({ tokenFile, namespace: 'shop' }), 'McpForbiddenError', 'root namespace');
  });

  test('pitfall 8: is read anew for each connection', async () => {
    const tokenFile = await fileOf('rotated', 'not yet');
    const registry = access.registry({ tokenFile }, 'poll');
    await expectFailure(registry, 'McpUnauthenticatedError');

    await fileOf('rotated', await istiod.token());

    await expectSuccess(registry);
  });

  test('whose file is missing', () =>
    expectFailure(access.registry({ tokenFile: 'nowhere' }), 'CredentialUnreadableError', 'nowhere'));
});

describe('a client certificate', () => {
  const withCertificate = { tokenFile: undefined, clientCert: { certFile: 'client.crt', keyFile: 'client.key' } };

  async function issue(namespace: string): Promise<void> {
    const { body } = await api.send('GET', `/api/v1/namespaces/${ROOT_NAMESPACE}/secrets/istio-ca-secret`);
    const secret = z
      .object({ data: z.object({ 'ca-cert.pem': z.base64(), 'ca-key.pem': z.base64() }) })
      .parse(JSON.parse(body));
    const [cert, key] = [secret.data['ca-cert.pem'], secret.data['ca-key.pem']].map((text) =>
      Buffer.from(text, 'base64').toString('utf8'),
    );
    const authority = await openCertificateAuthority(access.folder, { cert: cert!, key: key! });
    const identity = `spiffe://cluster.local/ns/${namespace}/sa/pilotless`;
    const issued = await authority.issue({ commonName: 'pilotless', hosts: [`URI:${identity}`] });
    await fileOf('client.crt', issued.cert);
    await fileOf('client.key', issued.key);
  }

  test('of the root namespace may read', async () => {
    await issue(ROOT_NAMESPACE);
    await expectSuccess(access.registry(withCertificate));
  });

  test('of another namespace', async () => {
    await issue('shop');
    await expectFailure(access.registry(withCertificate), 'McpForbiddenError');
  });

  test('whose key is of another one', async () => {
    await issue(ROOT_NAMESPACE);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await fileOf('client.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    await expectFailure(
      access.registry(withCertificate),
      'McpCredentialUnusableError',
      'client certificate with its key',
    );
  });
});

describe('the server', () => {
  test('has a certificate of another CA', async () => {
    const other = await makeCertificateAuthority(access.folder);
    await expectFailure(
      access.registry({ caFile: await fileOf('other-ca.pem', other.ca) }),
      'McpUntrustedServerError',
      'caFile or caSecret',
    );
  });

  test('has a certificate of a CA of its own, and none is configured', () =>
    expectFailure(access.registry({ caFile: undefined }), 'McpUntrustedServerError', 'there is no caFile'));

  test('has a certificate for another name', () =>
    expectFailure(access.registry({ serverName: 'istiod.example.com' }), 'McpUntrustedServerError', '"serverName"'));

  test('is an HTTP server', async () => {
    const address = istiod.url.replace('http://', '');
    await expectFailure(access.registryAt(`xds://${address}`), 'McpWrongServerError', '15010 and 15012');
    await expectFailure(access.registryAt(`xdss://${address}`), 'McpWrongServerError', '15010 and 15012');
  });

  test('is an HTTPS server', () =>
    expectFailure(
      access.registryAt(api.url.replace('https://', 'xdss://'), { caFile: api.authority.caFile }),
      'McpWrongServerError',
      '15010 and 15012',
    ));

  test('wants to know who asks without TLS too', () =>
    expectFailure(
      access.registryAt(`xds://${istiod.plaintextAddress}`),
      'McpUnauthenticatedError',
      'nothing is configured',
    ));

  test.each(['xds', 'xdss'])('accepts and says nothing, by %s', async (scheme) => {
    const sockets: net.Socket[] = [];
    const silent = net.createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = z.object({ port: z.number() }).parse(silent.address());
    await expectFailure(
      access.registryAt(`${scheme}://127.0.0.1:${port}`, { answerTimeout: '500ms' }),
      'McpSilentError',
      'said nothing for 500 ms',
    );
    sockets.forEach((socket) => socket.destroy());
    silent.close();
  });

  test('is not there', async () => {
    await istiod.stop();
    await expectFailure(access.registry(), 'McpUnreachableError', 'ECONNREFUSED');
    await istiod.start();
    await expectSuccess(access.registry());
  });
});
