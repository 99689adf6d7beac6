import { Agent, request } from 'node:https';

import type { KubeApiServer } from '../kube-apiserver/start-kube-apiserver';

const PARALLEL = 16;

export type Creation = { readonly folder: string; readonly manifest: object };

/** Creates many objects over a few connections that stay open; a connection for each would take minutes. */
export async function createInBulk(api: KubeApiServer, creations: readonly Creation[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL, ca: api.authority.ca });
  const queue = creations[Symbol.iterator]();
  const work = async () => {
    for (const creation of queue) await create(api, agent, creation);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  agent.destroy();
}

function create(api: KubeApiServer, agent: Agent, { folder, manifest }: Creation): Promise<void> {
  const headers = { Authorization: `Bearer ${api.adminToken}`, 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const outgoing = request(api.url + folder, { method: 'POST', headers, agent }, (incoming) => {
      incoming.resume();
      incoming.on('end', () => {
        if (incoming.statusCode === 201) resolve();
        else reject(new Error(`POST ${folder} answered ${incoming.statusCode ?? 0}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(manifest));
  });
}
