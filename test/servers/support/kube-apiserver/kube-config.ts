import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { KubeConfig } from '@kubernetes/client-node';

export type ClusterAccess = {
  readonly server: string;
  /** PEM */
  readonly ca: string;
  readonly token: string;
};

/** A kubeconfig with one context. JSON is YAML, and kubeconfig files may be either. */
export function kubeConfigText({ server, ca, token }: ClusterAccess): string {
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  return JSON.stringify(config, undefined, 2);
}

export function loadKubeConfig(access: ClusterAccess): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(kubeConfigText(access));
  return config;
}

/** The path of a kubeconfig file in the folder, one for each token. */
export async function writeKubeConfig(folder: string, access: ClusterAccess): Promise<string> {
  const id = createHash('sha256').update(access.token).digest('hex').slice(0, 12);
  const file = path.join(folder, `kubeconfig-${id}.yaml`);
  await writeFile(file, kubeConfigText(access), { mode: 0o600 });
  return file;
}
