import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { CertificateAuthority } from '../processes/certificate-authority';
import { AUDIT_POLICY } from './audit-log';

/** Issuer of service account tokens, and the audience of those for the API server itself. */
export const ISSUER = 'https://kubernetes.default.svc';

export type TokenUser = {
  readonly token: string;
  readonly user: string;
  readonly groups?: readonly string[];
};

export type ApiServerSetting = {
  /** Gets the key, token and policy files that the flags name. */
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly authority: CertificateAuthority;
  readonly users: readonly TokenUser[];
  readonly auditLog: string;
  /** A kubeconfig of the webhook that knows the tokens that the server itself does not. @default none */
  readonly webhook?: string;
};

/** The flags of an API server that serves on one loopback address and needs no other part of Kubernetes. */
export async function apiServerFlags(setting: ApiServerSetting): Promise<readonly string[]> {
  return [
    `--etcd-servers=${setting.etcdUrl}`,
    `--bind-address=${setting.host}`,
    `--secure-port=${setting.port}`,
    '--advertise-address=192.0.2.1', // published, not listened on: an address for documentation (RFC 5737)
    '--service-cluster-ip-range=10.0.0.0/16',
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount', // it waits for accounts that a controller would make
    '--shutdown-send-retry-after=false',
    ...(await servingFlags(setting)),
    ...(await userFlags(setting)),
    ...(await serviceAccountFlags(setting)),
    ...(await auditFlags(setting)),
    ...(await webhookFlags(setting)),
  ];
}

async function servingFlags({ authority, host }: ApiServerSetting): Promise<readonly string[]> {
  const { certFile, keyFile } = await authority.issue({
    commonName: 'kube-apiserver',
    hosts: ['DNS:localhost', `IP:${host}`],
  });
  return [`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`];
}

async function userFlags({ folder, authority, users }: ApiServerSetting): Promise<readonly string[]> {
  const file = path.join(folder, 'tokens.csv');
  const rows = users.map(({ token, user, groups = [] }) => `${token},${user},${user},"${groups.join(',')}"`);
  await writeFile(file, rows.join('\n'), { mode: 0o600 });
  return [`--token-auth-file=${file}`, `--client-ca-file=${authority.caFile}`];
}

async function serviceAccountFlags({ folder }: ApiServerSetting): Promise<readonly string[]> {
  const file = path.join(folder, 'service-account.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(file, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  return [
    `--service-account-issuer=${ISSUER}`,
    `--service-account-key-file=${file}`,
    `--service-account-signing-key-file=${file}`,
  ];
}

async function auditFlags({ folder, auditLog }: ApiServerSetting): Promise<readonly string[]> {
  const file = path.join(folder, 'audit-policy.json');
  await writeFile(file, JSON.stringify(AUDIT_POLICY));
  return [`--audit-policy-file=${file}`, `--audit-log-path=${auditLog}`, '--audit-log-mode=blocking-strict'];
}

async function webhookFlags({ folder, webhook }: ApiServerSetting): Promise<readonly string[]> {
  if (webhook === undefined) return [];
  const file = path.join(folder, 'token-webhook.json');
  await writeFile(file, webhook);
  return [`--authentication-token-webhook-config-file=${file}`, '--authentication-token-webhook-version=v1'];
}
