import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, InvalidValueError } from '../model/app-error';
import type { Credentials, CredentialSettings, CredentialSource } from './credential-settings';

const SECRET_TIMEOUT_MS = 10_000;

/** Where one credential comes from; at most one of the members is set. */
type Place = {
  readonly text?: string | undefined;
  readonly file?: string | undefined;
  readonly arn?: string | undefined;
};

type Places = Readonly<Record<keyof Credentials, Place>>;

/** The text of a secret, by ARN. */
export type SecretReader = (arn: string) => Promise<string>;

/**
 * Credentials from text, files (relative to `baseDir`) and secrets, read anew at each call. White space around them is
 * dropped: files end with a line feed.
 *
 * @throws InvalidValueError at once when a credential is given in two ways.
 */
export function credentialSource(
  settings: CredentialSettings,
  baseDir: string,
  readSecret: SecretReader = readSecretsManager,
): CredentialSource {
  const places = placesOf(settings);
  refuseDoubles(places);
  return async () => {
    const read = (name: keyof Places) => readPlace(name, places[name], baseDir, readSecret);
    const [token, ca, cert, key] = await Promise.all([read('token'), read('ca'), read('cert'), read('key')]);
    return {
      ...(token === undefined ? {} : { token }),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    };
  };
}

function placesOf(settings: CredentialSettings): Places {
  return {
    token: { text: settings.token, file: settings.tokenFile, arn: settings.tokenSecret },
    ca: { file: settings.caFile, arn: settings.caSecret },
    ...certificatePlaces(settings.clientCert),
  };
}

function certificatePlaces(clientCert: CredentialSettings['clientCert']): Pick<Places, 'cert' | 'key'> {
  if (clientCert === undefined) return { cert: {}, key: {} };
  if ('certFile' in clientCert) return { cert: { file: clientCert.certFile }, key: { file: clientCert.keyFile } };
  return { cert: { arn: clientCert.certSecret }, key: { arn: clientCert.keySecret } };
}

function refuseDoubles(places: Places): void {
  for (const [name, place] of Object.entries(places)) {
    const given = Object.entries(place).filter(([, value]) => value !== undefined);
    if (given.length < 2) continue;
    throw new InvalidValueError(
      `${name} is given in ${given.length} ways; allowed: one of ${name}, ${name}File, ${name}Secret`,
    );
  }
}

async function readPlace(
  name: string,
  place: Place,
  baseDir: string,
  readSecret: SecretReader,
): Promise<string | undefined> {
  const { text, file, arn } = place;
  if (text !== undefined) return text.trim();
  try {
    if (file !== undefined) return (await readFile(path.resolve(baseDir, file), 'utf8')).trim();
    return arn === undefined ? undefined : (await readSecret(arn)).trim();
  } catch (cause) {
    throw new AppError(
      `The ${name} of ${file ?? arn ?? name} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        code: 'CredentialUnreadableError',
        transient: true,
        details: { credential: name },
        cause,
      },
    );
  }
}

/** Loaded when a secret is first wanted: a registry without secrets pays nothing for the client. */
async function readSecretsManager(arn: string): Promise<string> {
  const { SecretsManagerClient, GetSecretValueCommand } = await import('@aws-sdk/client-secrets-manager');
  const region = arn.split(':')[3];
  const client = new SecretsManagerClient(region === undefined ? {} : { region });
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }), {
      abortSignal: AbortSignal.timeout(SECRET_TIMEOUT_MS),
    });
    if (SecretString === undefined) throw new Error('the secret is binary; a text secret is needed');
    return SecretString;
  } finally {
    client.destroy();
  }
}
