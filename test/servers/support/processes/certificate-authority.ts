import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ensureDebianPackage } from '../parts/debian-package';
import { runCommand } from '../parts/run-command';

const VALID_DAYS = '2';
const OPENSSL_TIMEOUT_MS = 60_000;

export type Certificate = {
  readonly certFile: string;
  readonly keyFile: string;
  /** PEM */
  readonly cert: string;
  /** PEM */
  readonly key: string;
};

export type CertificateRequest = {
  readonly commonName: string;
  /** Kubernetes takes it as the user's group. */
  readonly organization?: string;
  /** Subject alternative names as OpenSSL writes them. @default DNS:localhost and IP:127.0.0.1 */
  readonly hosts?: readonly string[];
};

/** A CA of the tests' own. Its certificates are good for servers and clients alike, for two days. */
export interface CertificateAuthority {
  readonly caFile: string;
  /** PEM */
  readonly ca: string;
  issue(request: CertificateRequest): Promise<Certificate>;
}

/** Makes a CA with OpenSSL, for Node itself cannot sign certificates. Files go to `certificates` in the folder. */
export async function makeCertificateAuthority(folder: string): Promise<CertificateAuthority> {
  await ensureDebianPackage({ name: 'openssl', isThere: { file: 'openssl', args: ['version'] } });
  const files = path.join(folder, 'certificates');
  await mkdir(files, { recursive: true });
  const root = await makeCertificate(files, { CN: 'Pilotless test CA' }, [
    'basicConstraints = critical, CA:TRUE',
    'keyUsage = critical, keyCertSign, cRLSign',
  ]);
  return signingWith(files, root);
}

/** A CA that somebody else has made, such as istiod, to sign with. */
export async function openCertificateAuthority(
  folder: string,
  { cert, key }: Pick<Certificate, 'cert' | 'key'>,
): Promise<CertificateAuthority> {
  const files = path.join(folder, 'certificates');
  await mkdir(files, { recursive: true });
  const base = path.join(files, randomUUID());
  const root = { cert, key, certFile: `${base}.crt`, keyFile: `${base}.key` };
  await writeFile(root.certFile, cert);
  await writeFile(root.keyFile, key, { mode: 0o600 });
  return signingWith(files, root);
}

function signingWith(files: string, root: Certificate): CertificateAuthority {
  const signedByRoot = ['-CA', root.certFile, '-CAkey', root.keyFile];
  return {
    caFile: root.certFile,
    ca: root.cert,
    issue: ({ commonName, organization, hosts = ['DNS:localhost', 'IP:127.0.0.1'] }) =>
      makeCertificate(
        files,
        { CN: commonName, ...(organization === undefined ? {} : { O: organization }) },
        [
          'basicConstraints = critical, CA:FALSE',
          'keyUsage = critical, digitalSignature',
          'extendedKeyUsage = serverAuth, clientAuth',
          `subjectAltName = ${hosts.join(', ')}`,
        ],
        signedByRoot,
      ),
  };
}

async function makeCertificate(
  folder: string,
  subject: Readonly<Record<string, string>>,
  extensions: readonly string[],
  signer: readonly string[] = [],
): Promise<Certificate> {
  const base = path.join(folder, randomUUID());
  const [configFile, certFile, keyFile] = [`${base}.cnf`, `${base}.crt`, `${base}.key`];
  await writeFile(configFile, opensslConfig(subject, extensions));
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  await runCommand({
    file: 'openssl',
    args: ['req', '-x509', '-config', configFile, '-days', VALID_DAYS, ...newKey, ...signer, '-out', certFile],
    timeoutMs: OPENSSL_TIMEOUT_MS,
  });
  return { certFile, keyFile, cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
}

function opensslConfig(subject: Readonly<Record<string, string>>, extensions: readonly string[]): string {
  const names = Object.entries(subject).map(([key, value]) => `${key} = ${value}`);
  const request = ['[req]', 'prompt = no', 'distinguished_name = subject', 'x509_extensions = extensions'];
  return [...request, '[subject]', ...names, '[extensions]', ...extensions, ''].join('\n');
}
