import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import * as z from 'zod';

import type { KubeApiServer } from '../kube-apiserver/start-kube-apiserver';
import { freePort } from '../processes/free-port';
import { sendRequest } from '../processes/send-request';
import { makeServerFolder } from '../processes/server-folder';
import { type Restartable, ServerProcess } from '../processes/server-process';
import { ensureIstiod } from './ensure-istiod';
import { installIstioCustomResourceDefinitions } from './install-istio-crds';

const NAMESPACE = 'istio-system';
const SHUTDOWN = '1s';
const CA_SECRET = z.object({ data: z.object({ 'ca-cert.pem': z.base64() }) });

export type IstiodOptions = {
  /** The cluster that it belongs to; services and endpoints are read from there in any case. */
  readonly api: KubeApiServer;
  /**
   * Where it reads ServiceEntries and other configuration: `files` is the YAML in `configFolder`, `custom-resources` are
   * the objects in the API server, where the definitions are installed first.
   */
  readonly configuration: 'files' | 'custom-resources';
  /** Istio's MeshConfig. @default Istio's defaults */
  readonly meshConfig?: Readonly<Record<string, unknown>>;
  /** Further environment, such as `ISTIO_DUAL_STACK`. @default none */
  readonly env?: Readonly<Record<string, string>>;
};

export interface Istiod extends Restartable {
  readonly logFile: string;
  /** `/ready` and `/debug/…`. */
  readonly url: string;
  /** `host:port` of gRPC over TLS, which wants a token. */
  readonly secureAddress: string;
  /** `host:port` of gRPC in the clear; answers for configuration only with `ENABLE_XDS_API_GENERATOR_AUTH=false`. */
  readonly plaintextAddress: string;
  readonly metricsUrl: string;
  /** A name in its certificate. */
  readonly serverName: string;
  /** YAML files written here are read at once, with `configuration: 'files'`. */
  readonly configFolder: string;
  /** The certificate that clients have to trust, PEM. */
  rootCertificate(): Promise<string>;
  /** A token of a service account in istio-system, which may read all configuration. */
  token(): Promise<string>;
}

/** A real istiod over a real API server, on free ports of 127.0.0.1. */
export async function startIstiod(options: IstiodOptions): Promise<Istiod> {
  const { api, configuration } = options;
  const file = await ensureIstiod();
  const folder = await makeServerFolder('istiod');
  const configFolder = path.join(folder, 'config');
  const meshFile = path.join(folder, 'mesh.yaml');
  await mkdir(configFolder);
  await writeFile(meshFile, JSON.stringify(options.meshConfig ?? {}));
  await createNamespace(api);
  if (configuration === 'custom-resources') await installIstioCustomResourceDefinitions(api);

  const [url, metrics, secureAddress, plaintextAddress] = await Promise.all([
    address(),
    address(),
    address(),
    address(),
  ]);
  const server = new ServerProcess({
    name: 'istiod',
    file,
    args: [
      'discovery',
      `--kubeconfig=${await api.writeKubeConfig()}`,
      ...(configuration === 'files' ? [`--configDir=${configFolder}`] : []),
      `--meshConfig=${meshFile}`,
      `--httpAddr=${url}`,
      `--monitoringAddr=${metrics}`,
      `--secureGRPCAddr=${secureAddress}`,
      `--grpcAddr=${plaintextAddress}`,
      '--httpsAddr=',
      '--ctrlz_port=0',
      '--ctrlz_address=127.0.0.1',
      `--shutdownDuration=${SHUTDOWN}`,
    ],
    env: { POD_NAMESPACE: NAMESPACE, POD_NAME: 'istiod-0', ...options.env },
    folder,
    isReady: async (signal) => (await sendRequest({ url: `http://${url}/ready`, signal })).status === 200,
  });
  await server.start();
  return {
    logFile: server.logFile,
    url: `http://${url}`,
    secureAddress,
    plaintextAddress,
    metricsUrl: `http://${metrics}/metrics`,
    serverName: `istiod.${NAMESPACE}.svc`,
    configFolder,
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
    rootCertificate: () => readRootCertificate(api),
    token: () => api.serviceAccountToken({ namespace: NAMESPACE, name: 'config-reader', audiences: ['istio-ca'] }),
  };
}

async function address(): Promise<string> {
  return `127.0.0.1:${await freePort()}`;
}

async function createNamespace(api: KubeApiServer): Promise<void> {
  const { status, body } = await api.send('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  if (status !== 201 && status !== 409) throw new Error(`namespace ${NAMESPACE} could not be made: ${status} ${body}`);
}

/** istiod makes its CA at the first start and keeps it in the cluster. */
async function readRootCertificate(api: KubeApiServer): Promise<string> {
  const { status, body } = await api.send('GET', `/api/v1/namespaces/${NAMESPACE}/secrets/istio-ca-secret`);
  if (status !== 200) throw new Error(`the CA of istiod could not be read: ${status} ${body}`);
  return Buffer.from(CA_SECRET.parse(JSON.parse(body)).data['ca-cert.pem'], 'base64').toString('utf8');
}
