import { Agent } from 'node:https';

export type TlsIdentity = {
  /** Certificate authorities of the server; absent = those of the system. */
  readonly ca?: string | Buffer;
  /** The caller's own certificate and key. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Name that the server's certificate has to carry, when it is not the host's. */
  readonly servername?: string;
};

/** A broken path shows itself by unanswered probes long before the silence of a watch does. */
const TCP_PROBE_MS = 15_000;

/** Keeps connections open between requests as long as the TLS identity stays the same; a rotated one gets its own. */
export class KubernetesAgents {
  #current: { readonly identity: string; readonly agent: Agent } | undefined;
  readonly #all: Agent[] = [];

  agentFor(tls: TlsIdentity): Agent {
    const identity = JSON.stringify([tls.ca, tls.cert, tls.key].map((part) => part?.toString()).concat(tls.servername));
    if (this.#current?.identity === identity) return this.#current.agent;
    const agent = new Agent({ ...tls, keepAlive: true, keepAliveMsecs: TCP_PROBE_MS, rejectUnauthorized: true });
    this.#current = { identity, agent };
    this.#all.push(agent);
    return agent;
  }

  close(): void {
    for (const agent of this.#all.splice(0)) agent.destroy();
    this.#current = undefined;
  }
}
