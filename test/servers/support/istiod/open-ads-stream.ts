import path from 'node:path';

import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import * as z from 'zod';

import type { Istiod } from './start-istiod';

const METHOD = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const RESPONSE = z.object({
  versionInfo: z.string(),
  nonce: z.string(),
  resources: z.array(z.object({ value: z.instanceof(Uint8Array) })),
});
const RESOURCE = z.object({ metadata: z.object({ name: z.string() }) });

export interface AdsStream {
  /** `namespace/name` of all objects in the latest answer; undefined before the first. */
  names(): readonly string[] | undefined;
  /** Why the stream ended; undefined while it is open. */
  error(): Error | undefined;
  close(): void;
}

/** Asks istiod's TLS port for all objects of a kind, such as `networking.istio.io/v1/ServiceEntry`, and goes on listening. */
export async function openAdsStream(istiod: Istiod, typeUrl: string): Promise<AdsStream> {
  const { method, decodeResource } = loadProtocol();
  const client = new grpc.Client(
    istiod.secureAddress,
    grpc.credentials.createSsl(Buffer.from(await istiod.rootCertificate())),
    { 'grpc.ssl_target_name_override': istiod.serverName },
  );
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${await istiod.token()}`);

  let names: readonly string[] | undefined;
  let ended: Error | undefined;
  const stream = client.makeBidiStreamRequest(METHOD, method.requestSerialize, method.responseDeserialize, metadata);
  stream.on('error', (error: Error) => (ended ??= error));
  stream.on('data', (message: unknown) => {
    const { resources, versionInfo, nonce } = RESPONSE.parse(message);
    names = resources.map(({ value }) => decodeResource(Buffer.from(value)).metadata.name);
    stream.write({ typeUrl, versionInfo, responseNonce: nonce });
  });
  stream.write({ typeUrl, node: configurationReader() });
  return {
    names: () => names,
    error: () => ended,
    close: () => {
      stream.cancel();
      client.close();
    },
  };
}

/** `GENERATOR: api` makes istiod answer with configuration as it is, not with what an Envoy needs. */
function configurationReader() {
  return {
    id: 'sidecar~127.0.0.1~reader.istio-system~istio-system.svc.cluster.local',
    metadata: { fields: { GENERATOR: { stringValue: 'api' } } },
  };
}

function loadProtocol() {
  const definition = loadSync(path.join(__dirname, 'ads.proto'), { defaults: true });
  const service = definition['envoy.service.discovery.v3.AggregatedDiscoveryService'];
  const resource = definition['envoy.service.discovery.v3.Resource'];
  const method = service && 'StreamAggregatedResources' in service ? service.StreamAggregatedResources : undefined;
  const deserialize = resource && 'deserialize' in resource ? resource.deserialize : undefined;
  if (method === undefined || typeof deserialize !== 'function') {
    throw new Error('ads.proto does not define the stream or the resource');
  }
  return { method, decodeResource: (bytes: Buffer) => RESOURCE.parse(deserialize(bytes)) };
}
