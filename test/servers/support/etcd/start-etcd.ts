import * as z from 'zod';

import { freePort } from '../processes/free-port';
import { sendRequest } from '../processes/send-request';
import { makeServerFolder } from '../processes/server-folder';
import { type Restartable, ServerProcess } from '../processes/server-process';
import { ensureEtcd } from './ensure-etcd';

/** 64-bit numbers come as strings from etcd's JSON gateway. */
const HEADER = z.object({ header: z.object({ revision: z.string() }) });

export interface Etcd extends Restartable {
  readonly url: string;
  readonly logFile: string;
  /** The revision of the latest write, which Kubernetes shows as `resourceVersion`. */
  revision(): Promise<string>;
  /** Forgets the history before the present revision, so that watches and list pages that continue an older one fail. */
  compact(): Promise<void>;
}

/** A single etcd with an empty data folder of its own, on two free ports of 127.0.0.1. */
export async function startEtcd(): Promise<Etcd> {
  const file = await ensureEtcd();
  const folder = await makeServerFolder('etcd');
  const url = `http://127.0.0.1:${await freePort()}`;
  const peerUrl = `http://127.0.0.1:${await freePort()}`;
  const server = new ServerProcess({
    name: 'etcd',
    file,
    args: [
      `--data-dir=${folder}/data`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
    ],
    folder,
    isReady: async (signal) => (await sendRequest({ url: `${url}/health`, signal })).body.includes('"true"'),
  });
  await server.start();

  const revision = async () => HEADER.parse(await call(`${url}/v3/kv/range`, { key: toBase64('/') })).header.revision;
  return {
    url,
    logFile: server.logFile,
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
    revision,
    compact: async () => {
      await call(`${url}/v3/kv/compaction`, { revision: await revision(), physical: true });
    },
  };
}

async function call(url: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
  const answer = await sendRequest({ url, method: 'POST', body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body);
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
