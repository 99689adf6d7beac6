import { readFile } from 'node:fs/promises';
import path from 'node:path';

import type { KubeConfig } from '@kubernetes/client-node';

import { type Etcd, startEtcd } from '../etcd/start-etcd';
import { type CertificateAuthority, makeCertificateAuthority } from '../processes/certificate-authority';
import { freePort } from '../processes/free-port';
import { type Answer, sendRequest } from '../processes/send-request';
import { makeServerFolder } from '../processes/server-folder';
import { type Restartable, ServerProcess } from '../processes/server-process';
import { apiServerFlags, type TokenUser } from './api-server-flags';
import { type AuditEvent, parseAuditLog } from './audit-log';
import { ensureKubeApiServer } from './ensure-kube-apiserver';
import { kubeConfigText, loadKubeConfig, writeKubeConfig } from './kube-config';
import { mintServiceAccountToken, type ServiceAccountToken } from './service-account-token';

const ADMIN: TokenUser = { token: 'admin-token', user: 'admin', groups: ['system:masters'] };

export type KubeApiServerOptions = {
  /** @default an etcd of its own, that starts and stops with it */
  readonly etcd?: Etcd;
  /** Users beside the administrator; what they may do is up to RBAC. @default none */
  readonly users?: readonly TokenUser[];
  /** Loopback address that it listens on. @default 127.0.0.1 */
  readonly host?: string;
  /** A kubeconfig of the webhook that knows the tokens that the server itself does not. @default none */
  readonly webhook?: string;
  /** Further flags of kube-apiserver. @default none */
  readonly flags?: readonly string[];
};

/** `kill` ends the API server alone; `stop` and `start` take its own etcd with them. */
export interface KubeApiServer extends Restartable {
  readonly url: string;
  readonly logFile: string;
  readonly adminToken: string;
  /** Signs the server's certificate; client certificates of it are accepted (common name: user, organization: group). */
  readonly authority: CertificateAuthority;
  readonly etcd: Etcd;
  /** A kubeconfig with one context. @default token: the administrator's, here and below */
  kubeConfigText(token?: string): string;
  /** The path of a file with `kubeConfigText`. */
  writeKubeConfig(token?: string): Promise<string>;
  /** `kubeConfigText` loaded, to make clients from. */
  kubeConfig(token?: string): KubeConfig;
  /** A raw request, for what a generated client has no or only an awkward call for. */
  send(method: string, resource: string, body?: unknown, token?: string): Promise<Answer>;
  /** Mints a token with the TokenRequest API. */
  serviceAccountToken(request: ServiceAccountToken): Promise<string>;
  /** Requests since the first start, oldest first: one event for a request, two for a watch (started and complete). */
  auditEvents(): Promise<readonly AuditEvent[]>;
}

/**
 * A real API server with RBAC on a free port of this machine alone. There is no controller manager, scheduler or kubelet: nothing
 * writes EndpointSlices or the status of Pods but the test.
 */
export async function startKubeApiServer(options: KubeApiServerOptions = {}): Promise<KubeApiServer> {
  const file = await ensureKubeApiServer();
  const folder = await makeServerFolder('kube-apiserver');
  const authority = await makeCertificateAuthority(folder);
  const etcd = options.etcd ?? (await startEtcd());
  const port = await freePort();
  const { host = '127.0.0.1', webhook } = options;
  const url = `https://${host}:${port}`;
  const auditLog = path.join(folder, 'audit.log');
  const users = [ADMIN, ...(options.users ?? [])];
  const flags = await apiServerFlags({
    folder,
    host,
    port,
    etcdUrl: etcd.url,
    authority,
    users,
    auditLog,
    ...(webhook === undefined ? {} : { webhook }),
  });
  const server = new ServerProcess({
    name: 'kube-apiserver',
    file,
    args: [...flags, ...(options.flags ?? [])],
    folder,
    isReady: (signal) => isReady(url, authority.ca, signal),
  });
  await server.start();

  const access = (token = ADMIN.token) => ({ server: url, ca: authority.ca, token });
  const send: KubeApiServer['send'] = (method, resource, body, token = ADMIN.token) =>
    sendRequest({
      url: url + resource,
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      tls: { ca: authority.ca },
    });
  return {
    ...withOwnEtcd(server, options.etcd === undefined ? etcd : undefined),
    url,
    logFile: server.logFile,
    adminToken: ADMIN.token,
    authority,
    etcd,
    kubeConfigText: (token) => kubeConfigText(access(token)),
    writeKubeConfig: (token) => writeKubeConfig(folder, access(token)),
    kubeConfig: (token) => loadKubeConfig(access(token)),
    send,
    serviceAccountToken: (request) => mintServiceAccountToken(send, request),
    auditEvents: async () => parseAuditLog(await readFile(auditLog, 'utf8')),
  };
}

/** etcd is there before the API server and ends after it; a crash of the API server leaves it alone. */
function withOwnEtcd(server: Restartable, etcd: Etcd | undefined): Restartable {
  return {
    start: async () => {
      await etcd?.start();
      await server.start();
    },
    stop: async () => {
      await server.stop();
      await etcd?.stop();
    },
    kill: () => server.kill(),
  };
}

/** The default namespace is made shortly after `/readyz` turns positive, and tests write into it. */
async function isReady(url: string, ca: string, signal: AbortSignal): Promise<boolean> {
  const headers = { Authorization: `Bearer ${ADMIN.token}` };
  for (const resource of ['/readyz', '/api/v1/namespaces/default']) {
    const { status, body } = await sendRequest({ url: url + resource, headers, tls: { ca }, signal });
    if (status !== 200) throw new Error(`${resource} answered ${status}: ${body}`);
  }
  return true;
}
