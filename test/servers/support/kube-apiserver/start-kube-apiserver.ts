import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { KubeConfig } from '@kubernetes/client-node';
import * as z from 'zod';

import { type Etcd, startEtcd } from '../etcd/start-etcd';
import { type CertificateAuthority, makeCertificateAuthority } from '../processes/certificate-authority';
import { freePort } from '../processes/free-port';
import { type Answer, sendRequest } from '../processes/send-request';
import { makeServerFolder } from '../processes/server-folder';
import { type Restartable, ServerProcess } from '../processes/server-process';
import { type AuditEvent, AUDIT_POLICY, parseAuditLog } from './audit-log';
import { ensureKubeApiServer } from './ensure-kube-apiserver';

const ADMIN_TOKEN = 'admin-token';
const ISSUER = 'https://kubernetes.default.svc';
const ALREADY_EXISTS = 409;
const TOKEN_REQUEST = z.object({ status: z.object({ token: z.string() }) });

export type TokenUser = {
  readonly token: string;
  readonly user: string;
  readonly groups?: readonly string[];
};

export type KubeApiServerOptions = {
  /** @default an etcd of its own, that starts and stops with it */
  readonly etcd?: Etcd;
  /** Users beside the administrator; what they may do is up to RBAC. @default none */
  readonly users?: readonly TokenUser[];
  /** Further flags of kube-apiserver. @default none */
  readonly flags?: readonly string[];
};

export type ServiceAccountToken = {
  readonly namespace: string;
  /** The service account; it is made if it does not exist. */
  readonly name: string;
  /** @default the API server itself */
  readonly audiences?: readonly string[];
  /** The API server takes no less than 600. @default 3600 */
  readonly expirationSeconds?: number;
};

/** `kill` ends the API server alone; `stop` and `start` take its own etcd with them. */
export interface KubeApiServer extends Restartable {
  readonly url: string;
  readonly logFile: string;
  readonly adminToken: string;
  /** Signs the server's certificate; client certificates of it are accepted (common name: user, organization: group). */
  readonly authority: CertificateAuthority;
  readonly etcd: Etcd;
  /** A kubeconfig with one context, as YAML. @default token: the administrator's */
  kubeConfigText(token?: string): string;
  /** The path of a file with `kubeConfigText`. */
  writeKubeConfig(token?: string): Promise<string>;
  /** `kubeConfigText` loaded, to make clients from. */
  kubeConfig(token?: string): KubeConfig;
  /** A raw request, for what a generated client has no or only an awkward call for. @default as the administrator */
  send(method: string, resource: string, body?: unknown, token?: string): Promise<Answer>;
  /** Mints a token with the TokenRequest API. */
  serviceAccountToken(request: ServiceAccountToken): Promise<string>;
  /** Requests since the first start, oldest first: one event for a request, two for a watch (started and complete). */
  auditEvents(): Promise<readonly AuditEvent[]>;
}

/**
 * A real API server with RBAC on a free port of 127.0.0.1. There is no controller manager, scheduler or kubelet: nothing
 * writes EndpointSlices or the status of Pods but the test.
 */
export async function startKubeApiServer(options: KubeApiServerOptions = {}): Promise<KubeApiServer> {
  const { users = [], flags = [] } = options;
  const file = await ensureKubeApiServer();
  const folder = await makeServerFolder('kube-apiserver');
  const authority = await makeCertificateAuthority(folder);
  const etcd = options.etcd ?? (await startEtcd());
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const auditLog = path.join(folder, 'audit.log');
  const admin: TokenUser = { token: ADMIN_TOKEN, user: 'admin', groups: ['system:masters'] };

  const server = new ServerProcess({
    name: 'kube-apiserver',
    file,
    args: [
      `--etcd-servers=${etcd.url}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      '--advertise-address=192.0.2.1', // published, not listened on: an address for documentation (RFC 5737)
      '--service-cluster-ip-range=10.0.0.0/16',
      ...(await servingFlags(authority)),
      ...(await authenticationFlags(folder, authority, [admin, ...users])),
      '--authorization-mode=RBAC',
      '--disable-admission-plugins=ServiceAccount', // it waits for accounts that a controller would make
      ...(await auditFlags(folder, auditLog)),
      '--shutdown-send-retry-after=false',
      ...flags,
    ],
    folder,
    isReady: (signal) => isReady(url, authority.ca, signal),
  });
  await server.start();

  const ownsEtcd = options.etcd === undefined;
  const kubeConfigText = (token = ADMIN_TOKEN) => makeKubeConfigText(url, authority.ca, token);
  const send: KubeApiServer['send'] = (method, resource, body, token = ADMIN_TOKEN) =>
    sendRequest({
      url: url + resource,
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      tls: { ca: authority.ca },
    });
  return {
    url,
    logFile: server.logFile,
    adminToken: ADMIN_TOKEN,
    authority,
    etcd,
    start: async () => {
      if (ownsEtcd) await etcd.start();
      await server.start();
    },
    stop: async () => {
      await server.stop();
      if (ownsEtcd) await etcd.stop();
    },
    kill: () => server.kill(),
    kubeConfigText,
    kubeConfig: (token) => loadKubeConfig(kubeConfigText(token)),
    writeKubeConfig: async (token = ADMIN_TOKEN) => {
      const target = path.join(folder, `kubeconfig-${Buffer.from(token).toString('base64url').slice(-40)}.yaml`);
      await writeFile(target, kubeConfigText(token), { mode: 0o600 });
      return target;
    },
    send,
    serviceAccountToken: (request) => mintServiceAccountToken(send, request),
    auditEvents: async () => parseAuditLog(await readFile(auditLog, 'utf8')),
  };
}

async function servingFlags(authority: CertificateAuthority): Promise<readonly string[]> {
  const { certFile, keyFile } = await authority.issue({ commonName: 'kube-apiserver' });
  return [`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`];
}

async function authenticationFlags(
  folder: string,
  authority: CertificateAuthority,
  users: readonly TokenUser[],
): Promise<readonly string[]> {
  const tokensFile = path.join(folder, 'tokens.csv');
  const rows = users.map(({ token, user, groups = [] }) => `${token},${user},${user},"${groups.join(',')}"`);
  await writeFile(tokensFile, rows.join('\n'), { mode: 0o600 });

  const keyFile = path.join(folder, 'service-account.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(keyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  return [
    `--token-auth-file=${tokensFile}`,
    `--client-ca-file=${authority.caFile}`,
    `--service-account-issuer=${ISSUER}`,
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
  ];
}

async function auditFlags(folder: string, auditLog: string): Promise<readonly string[]> {
  const policyFile = path.join(folder, 'audit-policy.json');
  await writeFile(policyFile, JSON.stringify(AUDIT_POLICY));
  return [`--audit-policy-file=${policyFile}`, `--audit-log-path=${auditLog}`, '--audit-log-mode=blocking-strict'];
}

/** The default namespace is made shortly after `/readyz` turns positive, and tests write into it. */
async function isReady(url: string, ca: string, signal: AbortSignal): Promise<boolean> {
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  for (const resource of ['/readyz', '/api/v1/namespaces/default']) {
    const { status, body } = await sendRequest({ url: url + resource, headers, tls: { ca }, signal });
    if (status !== 200) throw new Error(`${resource} answered ${status}: ${body}`);
  }
  return true;
}

/** JSON is YAML, and kubeconfig files may be either. */
function makeKubeConfigText(server: string, ca: string, token: string): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  return JSON.stringify(config, undefined, 2);
}

function loadKubeConfig(text: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(text);
  return config;
}

async function mintServiceAccountToken(
  send: KubeApiServer['send'],
  { namespace, name, audiences = [ISSUER], expirationSeconds = 3600 }: ServiceAccountToken,
): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const made = await send('POST', accounts, { metadata: { name } });
  if (made.status !== 201 && made.status !== ALREADY_EXISTS) {
    throw new Error(`service account ${namespace}/${name} could not be made: ${made.status} ${made.body}`);
  }
  const minted = await send('POST', `${accounts}/${name}/token`, { spec: { audiences, expirationSeconds } });
  if (minted.status !== 201) throw new Error(`no token for ${namespace}/${name}: ${minted.status} ${minted.body}`);
  return TOKEN_REQUEST.parse(JSON.parse(minted.body)).status.token;
}
