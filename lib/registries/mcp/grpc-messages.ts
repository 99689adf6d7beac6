import { fromJSON } from '@grpc/proto-loader';
import * as z from 'zod';
import type { AdsAnswer, EncodedMessage } from './ads-stream';
import { checkMessage } from './check-message';
import { messageShapes } from './message-shapes';
import descriptors from './messages.json';

/** gRPC path of the one call that there is. */
export const STREAM_METHOD = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

/** What goes over the stream to the server; members left out are empty. */
export type DiscoveryRequest = {
  readonly typeUrl: string;
  readonly versionInfo?: string;
  readonly responseNonce?: string;
  readonly resourceNames?: readonly string[];
  readonly node?: { readonly id: string; readonly metadata: object; readonly userAgentName: string };
  readonly errorDetail?: { readonly code: number; readonly message: string };
};

/** The messages that can be decoded, by their full names. */
export type MessageName =
  | 'istio.mcp.v1alpha1.Resource'
  | 'istio.networking.v1alpha3.ServiceEntry'
  | 'istio.networking.v1alpha3.WorkloadEntry'
  | 'envoy.config.endpoint.v3.ClusterLoadAssignment';

type Namespaces = Parameters<typeof fromJSON>[0];

/** The types of a JSON file do not say which of the kinds of descriptors its parts are. */
const namespaces = z.custom<Namespaces>((value) => typeof value === 'object').parse(descriptors);

const definitions = fromJSON(namespaces, { defaults: true, enums: String, longs: Number });

const shapes = messageShapes(descriptors);

const anySchema = z
  .object({ type_url: z.string(), value: z.instanceof(Uint8Array) })
  .transform(({ type_url, value }): EncodedMessage => ({ typeUrl: type_url, value }));

const responseSchema = z.object({
  versionInfo: z.string(),
  nonce: z.string(),
  typeUrl: z.string(),
  resources: z.array(anySchema),
});

const discoveryRequest = messageType('envoy.service.discovery.v3.DiscoveryRequest');
const discoveryResponse = messageType('envoy.service.discovery.v3.DiscoveryResponse');

export function encodeDiscoveryRequest(request: DiscoveryRequest): Buffer {
  return discoveryRequest.serialize(request);
}

/** @throws when the bytes are no such message. */
export function decodeDiscoveryResponse(bytes: Uint8Array): AdsAnswer {
  const { versionInfo, nonce, typeUrl, resources } = responseSchema.parse(discoveryResponse.deserialize(bytes));
  return { typeUrl, version: versionInfo, nonce, resources };
}

/**
 * A message in its JSON-like form: lowerCamelCase names, absent scalars and lists by their defaults, absent messages `null`,
 * enums by name (by number when unknown), bytes as `Uint8Array`. Unknown fields are dropped.
 *
 * @throws when the bytes are no such message.
 */
export function decodeMessage(name: MessageName, bytes: Uint8Array): unknown {
  return messageType(name).deserialize(bytes);
}

type Codec = { readonly serialize: (value: object) => Buffer; readonly deserialize: (bytes: Uint8Array) => object };

function messageType(name: string): Codec {
  const definition = definitions[name];
  const shape = shapes.get(name);
  if (shape !== undefined && definition !== undefined && 'serialize' in definition && 'deserialize' in definition) {
    const { serialize, deserialize } = definition;
    if (typeof serialize === 'function' && typeof deserialize === 'function') {
      return {
        serialize,
        deserialize: (bytes) => {
          checkMessage(shape, bytes);
          return deserialize(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        },
      };
    }
  }
  throw new TypeError(`messages.json has no message ${name}; run "npm run protos"`);
}
