import * as grpc from '@grpc/grpc-js';

import { mcpMessage, type AnyMessage } from '../../../support/mcp-messages';
import type { Istiod } from './start-istiod';

const METHOD = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

type Answer = { readonly resources: readonly AnyMessage[] } & Readonly<Record<string, unknown>>;
type Resource = { readonly metadata: { readonly name: string }; readonly body: AnyMessage };

export interface SpoilingRelay {
  /** `host:port` in the clear. */
  readonly address: string;
  /** `namespace/name` of the objects that come out spoiled from the next answer on. */
  readonly spoiled: Set<string>;
  stop(): void;
}

/** Stands between a client and istiod, with istiod's token, and spoils the bytes of some objects. */
export async function startSpoilingRelay(istiod: Istiod): Promise<SpoilingRelay> {
  const [ca, token] = await Promise.all([istiod.rootCertificate(), istiod.token()]);
  const credentials = grpc.credentials.createSsl(Buffer.from(ca));
  const behind = new grpc.Client(istiod.secureAddress, credentials, {
    'grpc.ssl_target_name_override': istiod.serverName,
  });
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const spoiled = new Set<string>();
  const server = new grpc.Server();
  const asItIs = (bytes: Buffer): Buffer => bytes;
  const relay = (front: grpc.ServerDuplexStream<Buffer, Buffer>): void => {
    const back = behind.makeBidiStreamRequest(METHOD, asItIs, asItIs, metadata);
    front.on('data', (bytes: Buffer) => back.write(bytes));
    front.on('end', () => back.end());
    front.on('cancelled', () => back.cancel());
    back.on('data', (bytes: Buffer) => front.write(spoil(bytes, spoiled)));
    back.on('error', (error: grpc.ServiceError) => front.emit('error', error));
    back.on('end', () => front.end());
  };
  server.register(METHOD, relay, asItIs, asItIs, 'bidi');
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    spoiled,
    stop: () => {
      server.forceShutdown();
      behind.close();
    },
  };
}

const answers = mcpMessage('envoy.service.discovery.v3.DiscoveryResponse');
const resources = mcpMessage('istio.mcp.v1alpha1.Resource');

function spoil(bytes: Buffer, spoiled: ReadonlySet<string>): Buffer {
  if (spoiled.size === 0) return bytes;
  const answer = answers.deserialize(bytes) as Answer;
  return answers.serialize({
    ...answer,
    resources: answer.resources.map((resource) => spoilResource(resource, spoiled)),
  });
}

/** The last bytes of the spec are gone, as if it had been cut off. */
function spoilResource(any: AnyMessage, spoiled: ReadonlySet<string>): AnyMessage {
  const resource = resources.deserialize(Buffer.from(any.value)) as Resource;
  if (!spoiled.has(resource.metadata.name)) return any;
  const body = { ...resource.body, value: resource.body.value.subarray(0, -2) };
  return { ...any, value: resources.serialize({ ...resource, body }) };
}
