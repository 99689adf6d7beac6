import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KubeconfigAccess } from '../../../lib/registries/kubernetes/kubernetes-kubeconfig-access';

let folder: string;
let environment: NodeJS.ProcessEnv;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pilotless-kubeconfig-'));
  environment = { ...process.env };
});
afterEach(async () => {
  process.env = environment;
  await rm(folder, { recursive: true });
});

const CA = Buffer.from('an authority').toString('base64');
const SERVER = { server: 'https://api.example.com:6443/', 'certificate-authority-data': CA };

type Parts = { readonly cluster?: object; readonly user?: object; readonly name?: string };

function configText({ cluster = SERVER, user = { token: 'secret' }, name = 'prod' }: Parts = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

async function write(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

async function accessTo(parts: Parts = {}, context?: string): Promise<KubeconfigAccess> {
  const file = await write('config', configText(parts));
  return new KubeconfigAccess({ type: 'file', path: file, ...(context === undefined ? {} : { context }) });
}

test('server, token and authority', async () => {
  const access = await accessTo();
  const connection = await access.connect();
  expect(connection).toMatchObject({
    baseUrl: 'https://api.example.com:6443',
    headers: { authorization: 'Bearer secret' },
  });
  expect(connection.agent).toMatchObject({
    options: { ca: Buffer.from('an authority'), keepAlive: true, rejectUnauthorized: true },
  });
  access.close();
});

test('a client certificate and the name to expect of the server', async () => {
  const data = (text: string) => Buffer.from(text).toString('base64');
  const access = await accessTo({
    cluster: { ...SERVER, 'tls-server-name': 'other.example.com' },
    user: { 'client-certificate-data': data('certificate'), 'client-key-data': data('key') },
  });
  const { agent, headers } = await access.connect();
  expect(headers).toEqual({});
  expect(agent).toMatchObject({
    options: { cert: Buffer.from('certificate'), key: Buffer.from('key'), servername: 'other.example.com' },
  });
});

describe('pitfall 8: a rotated credential is read anew', () => {
  test('in the kubeconfig; connections are kept while the TLS identity is the same', async () => {
    const access = await accessTo();
    const first = await access.connect();
    await write('config', configText({ user: { token: 'rotated' } }));
    const second = await access.connect();
    expect(second.headers).toEqual({ authorization: 'Bearer rotated' });
    expect(second.agent).toBe(first.agent);
    await write(
      'config',
      configText({ cluster: { ...SERVER, 'certificate-authority-data': Buffer.from('new').toString('base64') } }),
    );
    expect((await access.connect()).agent).not.toBe(first.agent);
  });

  test('in a token file, whose path is relative to the kubeconfig', async () => {
    await write('token', 'one\n');
    const access = await accessTo({ user: { tokenFile: 'token' } });
    expect((await access.connect()).headers).toEqual({ authorization: 'Bearer one' });
    await write('token', 'two\n');
    expect((await access.connect()).headers).toEqual({ authorization: 'Bearer two' });
  });

  test('of an exec plugin, when its answer has ended or was refused', async () => {
    const answer = (token: string, until: string) =>
      JSON.stringify({
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        status: { token, expirationTimestamp: until },
      });
    const plugin = await write('answer', answer('one', '2999-01-01T00:00:00Z'));
    const access = await accessTo({
      user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'cat', args: [plugin] } },
    });
    expect((await access.connect()).headers).toEqual({ authorization: 'Bearer one' });
    await write('answer', answer('two', '2000-01-01T00:00:00Z'));
    expect((await access.connect()).headers).toEqual({ authorization: 'Bearer one' });
    access.refused();
    expect((await access.connect()).headers).toEqual({ authorization: 'Bearer two' });
    await write('answer', answer('three', '2999-01-01T00:00:00Z'));
    expect((await access.connect()).headers).toEqual({ authorization: 'Bearer three' });
  });
});

test('another context', async () => {
  const access = await accessTo({}, 'staging');
  await expect(access.connect()).rejects.toMatchObject({
    code: 'AccessError',
    message: 'Context "staging" of the kubeconfig leads to no cluster; there is prod',
  });
});

describe('refused', () => {
  test.each([
    {
      rule: 'a server that is not verified',
      cluster: { server: 'https://api.example.com', 'insecure-skip-tls-verify': true },
      message:
        'Cluster prod is configured with insecure-skip-tls-verify: the server is always verified here. Put its authority into certificate-authority-data',
    },
    {
      rule: 'plain HTTP to another machine',
      cluster: { server: 'http://api.example.com' },
      message: 'Server http://api.example.com is reached without TLS, which is allowed only on this machine',
    },
  ])('pitfall 33: $rule', async ({ cluster, message }) => {
    await expect((await accessTo({ cluster })).connect()).rejects.toMatchObject({ code: 'AccessError', message });
  });

  test('a kubeconfig that is not there', async () => {
    const access = new KubeconfigAccess({ type: 'file', path: path.join(folder, 'nothing') });
    await expect(access.connect()).rejects.toThrow(`Kubeconfig ${folder}/nothing cannot be read: Error: ENOENT`);
  });

  test('a token file that is not there', async () => {
    const access = await accessTo({ user: { tokenFile: 'nothing' } });
    await expect(access.connect()).rejects.toMatchObject({
      code: 'AccessError',
      transient: true,
      message: expect.stringMatching(/^No credentials of user prod of the kubeconfig: Error: ENOENT/) as string,
    });
  });

  test('an exec plugin that fails', async () => {
    const access = await accessTo({
      user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'false' } },
    });
    await expect(access.connect()).rejects.toThrow('No credentials of user prod of the kubeconfig');
  });

  test('the account of a Pod outside of one', async () => {
    delete process.env.KUBERNETES_SERVICE_HOST;
    await expect(new KubeconfigAccess({ type: 'in-cluster' }).connect()).rejects.toThrow(
      "The Pod's own account cannot be read: AccessError: KUBERNETES_SERVICE_HOST is not set: this process does not run in a Pod",
    );
  });
});

test('kubectl proxy on this machine needs no TLS', async () => {
  const access = await accessTo({ cluster: { server: 'http://127.0.0.1:8001' }, user: {} });
  await expect(access.connect()).resolves.toEqual({ baseUrl: 'http://127.0.0.1:8001', headers: {} });
});

describe('without a path', () => {
  test('the files of $KUBECONFIG, with their token files', async () => {
    await write('token', 'from a file');
    const one = await write('one', configText({ user: { tokenFile: 'token' } }));
    const two = await write('two', configText({ name: 'second' }));
    process.env.KUBECONFIG = [one, two].join(path.delimiter);
    const first = new KubeconfigAccess({ type: 'default', context: 'prod' });
    expect((await first.connect()).headers).toEqual({ authorization: 'Bearer from a file' });
    const second = new KubeconfigAccess({ type: 'default', context: 'second' });
    expect((await second.connect()).headers).toEqual({ authorization: 'Bearer secret' });
  });

  test('one that is missing is told', async () => {
    process.env.KUBECONFIG = path.join(folder, 'nothing');
    await expect(new KubeconfigAccess({ type: 'default' }).connect()).rejects.toThrow(
      'The default kubeconfig cannot be read',
    );
  });
});
