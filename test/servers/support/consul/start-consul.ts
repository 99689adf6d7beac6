import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import * as z from 'zod';

import { type CertificateAuthority, makeCertificateAuthority } from '../processes/certificate-authority';
import { freePort } from '../processes/free-port';
import { type Answer, sendRequest, type Tls } from '../processes/send-request';
import { makeServerFolder } from '../processes/server-folder';
import { type Restartable, ServerProcess } from '../processes/server-process';
import { ensureConsul } from './ensure-consul';

const TOKEN = z.object({ SecretID: z.string() });

export type ConsulOptions = {
  /** @default dc1 */
  readonly datacenter?: string;
  /** Access control with a management token; the value is what a request may do without a token. @default no ACLs */
  readonly aclDefaultPolicy?: 'allow' | 'deny';
  /** `server`: HTTPS only. `mutual`: clients need a certificate of the same CA too. @default plain HTTP */
  readonly tls?: 'server' | 'mutual';
  /** Further keys of the agent's configuration file. @default none */
  readonly configuration?: Readonly<Record<string, unknown>>;
};

export interface Consul extends Restartable {
  readonly url: string;
  readonly logFile: string;
  readonly datacenter: string;
  /** The initial management token; undefined without ACLs. */
  readonly managementToken: string | undefined;
  /** Issued the server's certificate, and issues client certificates; undefined without TLS. */
  readonly authority: CertificateAuthority | undefined;
  /** What a client needs to speak TLS with it, a client certificate included; undefined without TLS. */
  readonly clientTls: Tls | undefined;
  /** A request such as `GET /v1/catalog/services`; an empty token is the anonymous one. @default token: the management token */
  send(method: string, resource: string, body?: unknown, token?: string): Promise<Answer>;
  /** Makes a policy of these rules (HCL) and a token for it, and returns the token. */
  createToken(rules: string): Promise<string>;
}

/** A Consul server, the only one of its datacenter, that keeps its data on disk; on free ports of 127.0.0.1. */
export async function startConsul(options: ConsulOptions = {}): Promise<Consul> {
  const { datacenter = 'dc1' } = options;
  const file = await ensureConsul();
  const folder = await makeServerFolder('consul');
  const port = await freePort();
  const url = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const managementToken = options.aclDefaultPolicy === undefined ? undefined : randomUUID();
  const authority = options.tls === undefined ? undefined : await makeCertificateAuthority(folder);
  const clientTls = authority && (await clientTlsOf(authority));

  const configurationFile = path.join(folder, 'consul.json');
  const configuration = {
    ...agentConfiguration(folder, datacenter),
    ports: await ports(options.tls === undefined ? 'http' : 'https', port),
    ...aclConfiguration(options.aclDefaultPolicy, managementToken),
    ...(authority && (await tlsConfiguration(authority, options.tls === 'mutual'))),
    ...options.configuration,
  };
  await writeFile(configurationFile, JSON.stringify(configuration, undefined, 2), { mode: 0o600 });

  const send = async (
    method: string,
    resource: string,
    body?: unknown,
    token = managementToken,
    signal?: AbortSignal,
  ) =>
    sendRequest({
      url: url + resource,
      method,
      headers: token === undefined ? {} : { 'X-Consul-Token': token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(clientTls && { tls: clientTls }),
      ...(signal && { signal }),
    });
  const server = new ServerProcess({
    name: 'consul',
    file,
    args: ['agent', `-config-file=${configurationFile}`],
    folder,
    isReady: (signal) => isReady((resource) => send('GET', resource, undefined, managementToken, signal)),
  });
  await server.start();
  return {
    url,
    logFile: server.logFile,
    datacenter,
    managementToken,
    authority,
    clientTls,
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
    send,
    createToken: (rules) => createToken(send, rules),
  };
}

function agentConfiguration(folder: string, datacenter: string): Readonly<Record<string, unknown>> {
  return {
    server: true,
    bootstrap_expect: 1,
    node_name: `${datacenter}-server`,
    datacenter,
    data_dir: path.join(folder, 'data'),
    bind_addr: '127.0.0.1',
    client_addr: '127.0.0.1',
    disable_update_check: true,
    leave_on_terminate: false, // a server that is stopped comes back
    performance: { raft_multiplier: 1 }, // the election after a restart takes seconds less
  };
}

/** -1 switches a listener off; the others are part of every server. */
async function ports(api: 'http' | 'https', port: number): Promise<Readonly<Record<string, number>>> {
  const off = { http: -1, https: -1, grpc: -1, grpc_tls: -1, dns: -1, serf_wan: -1 };
  return { ...off, serf_lan: await freePort(), server: await freePort(), [api]: port };
}

function aclConfiguration(
  defaultPolicy: ConsulOptions['aclDefaultPolicy'],
  token: string | undefined,
): Readonly<Record<string, unknown>> {
  if (defaultPolicy === undefined) return {};
  const tokens = { initial_management: token, agent: token };
  return { acl: { enabled: true, default_policy: defaultPolicy, enable_token_persistence: true, tokens } };
}

async function tlsConfiguration(
  authority: CertificateAuthority,
  mutual: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const { certFile, keyFile } = await authority.issue({ commonName: 'consul' });
  const files = { ca_file: authority.caFile, cert_file: certFile, key_file: keyFile };
  return { tls: { https: { ...files, verify_incoming: mutual } } };
}

async function clientTlsOf(authority: CertificateAuthority): Promise<Tls> {
  const { cert, key } = await authority.issue({ commonName: 'client' });
  return { ca: authority.ca, cert, key };
}

/** Ready is: there is a leader, it answers consistent reads, and the agent has registered its own node. */
async function isReady(get: (resource: string) => Promise<Answer>): Promise<boolean> {
  const { status, body } = await get('/v1/catalog/service/consul?consistent');
  if (status !== 200) throw new Error(`the catalog answered ${status}: ${body}`);
  return body.includes('"ServiceName"');
}

async function createToken(send: Consul['send'], rules: string): Promise<string> {
  const name = `test-${randomUUID()}`;
  const policy = await send('PUT', '/v1/acl/policy', { Name: name, Rules: rules });
  if (policy.status !== 200) throw new Error(`policy refused: ${policy.status} ${policy.body}`);
  const token = await send('PUT', '/v1/acl/token', { Policies: [{ Name: name }] });
  if (token.status !== 200) throw new Error(`token refused: ${token.status} ${token.body}`);
  return TOKEN.parse(JSON.parse(token.body)).SecretID;
}
