import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { AccessError, type ApiConnection, type ClusterAccess } from './cluster-access';
import { KubernetesAgents } from './kubernetes-agents';
import { defaultKubeconfigFiles, useTokenFiles } from './kubernetes-token-files';

export type KubeconfigChoice =
  | { readonly type: 'file'; readonly path: string; readonly context?: string }
  /** `$KUBECONFIG`, `~/.kube/config`, or the Pod's own account: whatever is there first, as kubectl does. */
  | { readonly type: 'default'; readonly context?: string }
  | { readonly type: 'in-cluster' };

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Access by a kubeconfig or by the Pod's own service account, with the client library for every kind of user entry
 * (tokens, token files, certificates, exec plugins, OIDC). The configuration and what it points at are read anew for each
 * connection, so that a rotated credential needs no restart (istio 58047, 60612). Only an exec plugin's answer is kept, for
 * as long as the plugin says that it is good.
 */
export class KubeconfigAccess implements ClusterAccess {
  readonly #choice: KubeconfigChoice;
  readonly #agents = new KubernetesAgents();
  #kept: { readonly config: KubeConfig; readonly exported: string } | undefined;

  #entering: Promise<ApiConnection> | undefined;

  constructor(choice: KubeconfigChoice) {
    this.#choice = choice;
  }

  /** Connections that are opened at the same time read (and run an exec plugin) once. */
  connect(): Promise<ApiConnection> {
    this.#entering ??= this.#enter().finally(() => {
      this.#entering = undefined;
    });
    return this.#entering;
  }

  async #enter(): Promise<ApiConnection> {
    const config = this.#reuseExec(await loadKubeconfig(this.#choice));
    const cluster = config.getCurrentCluster();
    if (cluster === null) throw unknownContext(config);
    if (new URL(cluster.server).protocol === 'http:') return plainConnection(cluster.server, config);
    if (cluster.skipTLSVerify) {
      throw new AccessError(
        `Cluster ${cluster.name} is configured with insecure-skip-tls-verify: the server is always verified here. Put its authority into certificate-authority-data`,
      );
    }
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options).catch((cause: unknown) => {
      throw new AccessError(
        `No credentials of user ${config.getCurrentUser()?.name ?? ''} of the kubeconfig: ${String(cause)}`,
        {
          cause,
          transient: true,
        },
      );
    });
    return { baseUrl: cluster.server, headers: headersOf(options), agent: this.#agentOf(options, cluster.proxyUrl) };
  }

  refused(): void {
    this.#kept = undefined;
  }

  close(): void {
    this.#agents.close();
  }

  /** The instance that holds the answer of an exec plugin, unless the configuration has changed. */
  #reuseExec(config: KubeConfig): KubeConfig {
    if (config.getCurrentUser()?.exec === undefined) return config;
    const exported = config.exportConfig();
    if (this.#kept?.exported !== exported) this.#kept = { config, exported };
    return this.#kept.config;
  }

  #agentOf(options: RequestOptions, proxyUrl: string | undefined) {
    // A proxy needs the agent that the client library made for it.
    if (proxyUrl !== undefined && typeof options.agent === 'object') return options.agent;
    const { ca, cert, key, servername } = options;
    return this.#agents.agentFor({
      ...(isText(ca) ? { ca } : {}),
      ...(isText(cert) ? { cert } : {}),
      ...(isText(key) ? { key } : {}),
      ...(servername === undefined ? {} : { servername }),
    });
  }
}

async function loadKubeconfig(choice: KubeconfigChoice): Promise<KubeConfig> {
  const { KubeConfig } = await import('./kubernetes-client-config');
  const config = new KubeConfig();
  try {
    loadInto(config, choice);
  } catch (cause) {
    throw new AccessError(`${wordsOf(choice)} cannot be read: ${String(cause)}`, { cause });
  }
  if (choice.type !== 'in-cluster' && choice.context !== undefined) config.setCurrentContext(choice.context);
  return config;
}

function loadInto(config: KubeConfig, choice: KubeconfigChoice): void {
  switch (choice.type) {
    case 'file':
      config.loadFromFile(choice.path);
      useTokenFiles(config, [choice.path]);
      return;
    case 'default':
      config.loadFromDefault();
      useTokenFiles(config, defaultKubeconfigFiles());
      return;
    case 'in-cluster':
      if ((process.env.KUBERNETES_SERVICE_HOST ?? '') === '') {
        throw new AccessError('KUBERNETES_SERVICE_HOST is not set: this process does not run in a Pod');
      }
      config.loadFromCluster();
  }
}

function wordsOf(choice: KubeconfigChoice): string {
  switch (choice.type) {
    case 'file':
      return `Kubeconfig ${choice.path}`;
    case 'default':
      return 'The default kubeconfig';
    case 'in-cluster':
      return "The Pod's own account";
  }
}

function unknownContext(config: KubeConfig): AccessError {
  const known = config.getContexts().map(({ name }) => name);
  return new AccessError(
    `Context ${JSON.stringify(config.getCurrentContext())} of the kubeconfig leads to no cluster; there is ${known.join(', ') || 'none'}`,
  );
}

/** `kubectl proxy` and its like: nothing to encrypt on the way to one's own machine. */
function plainConnection(server: string, config: KubeConfig): ApiConnection {
  if (!LOOPBACK.has(new URL(server).hostname)) {
    throw new AccessError(`Server ${server} is reached without TLS, which is allowed only on this machine`);
  }
  const token = config.getCurrentUser()?.token;
  return { baseUrl: server, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } };
}

function headersOf(options: RequestOptions): Readonly<Record<string, string>> {
  const entries = Object.entries(options.headers ?? {});
  return Object.fromEntries(
    // A token file usually ends in a newline, which no header may hold.
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name.toLowerCase(), value.trim()]] : [])),
  );
}

function isText(value: unknown): value is string | Buffer {
  return typeof value === 'string' || Buffer.isBuffer(value);
}
