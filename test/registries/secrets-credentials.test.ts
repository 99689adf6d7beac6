import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { credentialSettings, type CredentialSettings } from '../../lib/registries/credential-settings';
import { credentialSource } from '../../lib/registries/secrets-credentials';

const ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:consul-AbCdEf';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'credentials-'));
});
afterEach(() => rm(folder, { recursive: true }));

const secret = (arn: string) => Promise.resolve(`secret of ${arn}\n`);

test('nothing is asked for and nothing given', async () => {
  expect(await credentialSource({}, folder, secret)()).toEqual({});
});

test('text, files beside the configuration, and secrets', async () => {
  await writeFile(path.join(folder, 'ca.pem'), 'CA\n');
  const settings: CredentialSettings = {
    token: ' t ',
    caFile: 'ca.pem',
    clientCert: { certSecret: ARN, keySecret: `${ARN}2` },
  };
  expect(await credentialSource(settings, folder, secret)()).toEqual({
    token: 't',
    ca: 'CA',
    cert: `secret of ${ARN}`,
    key: `secret of ${ARN}2`,
  });
});

test('files of a client certificate, and secrets of token and CA', async () => {
  await writeFile(path.join(folder, 'cert.pem'), 'CERT');
  await writeFile(path.join(folder, 'key.pem'), 'KEY');
  const clientCert = { certFile: 'cert.pem', keyFile: path.join(folder, 'key.pem') };
  const settings: CredentialSettings = { tokenSecret: ARN, caSecret: ARN, clientCert };
  expect(await credentialSource(settings, folder, secret)()).toEqual({
    token: `secret of ${ARN}`,
    ca: `secret of ${ARN}`,
    cert: 'CERT',
    key: 'KEY',
  });
});

test('pitfall 8: each call reads anew', async () => {
  const source = credentialSource({ tokenFile: 'token' }, folder, secret);
  await writeFile(path.join(folder, 'token'), 'first');
  expect(await source()).toEqual({ token: 'first' });
  await writeFile(path.join(folder, 'token'), 'second');
  expect(await source()).toEqual({ token: 'second' });
});

test('a missing file is an error that may pass', async () => {
  await expect(credentialSource({ tokenFile: 'nowhere' }, folder, secret)()).rejects.toMatchObject({
    code: 'CredentialUnreadableError',
    transient: true,
    details: { credential: 'token' },
  });
});

test('a secret that cannot be read is named, with the reason', async () => {
  const source = credentialSource({ caSecret: ARN }, folder, () => Promise.reject(new Error('no')));
  await expect(source()).rejects.toThrow(`The ca of ${ARN} cannot be read: no`);
});

test.each<[CredentialSettings, string]>([
  [{ token: 't', tokenFile: 'f' }, 'token is given in 2 ways; allowed: one of token, tokenFile, tokenSecret'],
  [{ caFile: 'f', caSecret: ARN }, 'ca is given in 2 ways; allowed: one of ca, caFile, caSecret'],
])('%j is refused at once', (settings, message) => {
  expect(() => credentialSource(settings, folder, secret)).toThrow(message);
});

test.each([
  [{ tokenSecret: 'my-secret' }, 'not the ARN of a secret'],
  [{ token: '' }, 'an empty token'],
  [{ caFile: '' }, 'an empty path'],
  [{ clientCert: { certFile: 'c' } }, 'Invalid input'],
])('settings %j are refused', (settings, message) => {
  const parsed = z.strictObject(credentialSettings).safeParse(settings);
  expect(parsed.error?.issues[0]?.message).toContain(message);
});
