import * as z from 'zod';

const path = z.string().min(1, 'an empty path; allowed: a path, relative to the configuration');

const secretArn = z.string().regex(/^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:.+$/, {
  error: 'not the ARN of a secret; allowed: arn:aws:secretsmanager:<region>:<account>:secret:<name>',
});

/**
 * How registries behind tokens and private CAs name their credentials: as text (for `${NAME}` in the embedded server), as
 * files, or as secrets of AWS Secrets Manager. At most one of each kind.
 */
export const credentialSettings = {
  /** The token itself. */
  token: z.string().min(1, 'an empty token; leave the key out for none').exactOptional(),
  tokenFile: path.exactOptional(),
  tokenSecret: secretArn.exactOptional(),
  /** PEM of the certificates to trust in place of the public ones. */
  caFile: path.exactOptional(),
  caSecret: secretArn.exactOptional(),
  /** PEM of the client certificate and its key. */
  clientCert: z
    .union([
      z.strictObject({ certFile: path, keyFile: path }),
      z.strictObject({ certSecret: secretArn, keySecret: secretArn }),
    ])
    .exactOptional(),
} as const;

export type CredentialSettings = z.infer<z.ZodObject<typeof credentialSettings>>;

/** What a connection is opened with. All optional: a registry without access control and TLS wants none of it. */
export type Credentials = {
  readonly token?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
};

/**
 * Reads the credentials as they are now; called for each new connection, so that a rotated one needs no restart.
 * @throws AppError CredentialUnreadableError
 */
export type CredentialSource = () => Promise<Credentials>;
