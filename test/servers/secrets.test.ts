import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { credentialSource } from '../../lib/registries/secrets-credentials';
import { startMinistack, type Ministack } from './support/ministack/start-ministack';

/** Secrets by ARN, read from a real API by the SDK, as the pollers' functions do. */

let aws: Ministack;
let client: SecretsManagerClient;
const before = { ...process.env };

beforeAll(async () => {
  aws = await startMinistack();
  Object.assign(process.env, aws.environment);
  client = new SecretsManagerClient({});
});

afterAll(async () => {
  client.destroy();
  process.env = before;
  await aws.stop();
});

test('a token is read by ARN, anew at each connection, without the white space around it', async () => {
  const { ARN: tokenSecret = '' } = await client.send(
    new CreateSecretCommand({ Name: 'consul-token', SecretString: 'first\n' }),
  );
  const read = credentialSource({ tokenSecret }, '.');
  expect(await read()).toEqual({ token: 'first' });
  await client.send(new PutSecretValueCommand({ SecretId: tokenSecret, SecretString: 'second' }));
  expect(await read()).toEqual({ token: 'second' });
});

test('a secret that is gone is an error that names it', async () => {
  const { ARN: caSecret = '' } = await client.send(new CreateSecretCommand({ Name: 'ca', SecretString: 'PEM' }));
  await client.send(new DeleteSecretCommand({ SecretId: caSecret, ForceDeleteWithoutRecovery: true }));
  await expect(credentialSource({ caSecret }, '.')()).rejects.toMatchObject({ code: 'CredentialUnreadableError' });
});
