import * as z from 'zod';
import type { AdsAnswer, EncodedMessage } from './ads-stream';
import { decodeMessage, type DecodedMessage } from './decode-message';
import { encodeMessage } from './encode-message';
import { MessageShapes } from './message-shapes';
import descriptors from './messages.json';

/** What goes over the stream to the server; members left out are empty. */
export type DiscoveryRequest = {
  readonly typeUrl: string;
  readonly versionInfo?: string;
  readonly responseNonce?: string;
  readonly resourceNames?: readonly string[];
  readonly node?: { readonly id: string; readonly metadata: object; readonly userAgentName: string };
  readonly errorDetail?: { readonly code: number; readonly message: string };
};

/** The messages that objects and endpoints are, by their full names. */
export type MessageName =
  | 'istio.mcp.v1alpha1.Resource'
  | 'istio.networking.v1alpha3.ServiceEntry'
  | 'istio.networking.v1alpha3.WorkloadEntry'
  | 'envoy.config.endpoint.v3.ClusterLoadAssignment';

const shapes = new MessageShapes(descriptors);

/** `google.protobuf.Any`. */
export const anySchema = z
  .object({ typeUrl: z.string(), value: z.instanceof(Uint8Array) })
  .transform((any): EncodedMessage => any);

const responseSchema = z
  .object({ versionInfo: z.string(), nonce: z.string(), typeUrl: z.string(), resources: z.array(anySchema) })
  .transform(({ versionInfo, ...answer }): AdsAnswer => ({ ...answer, version: versionInfo }));

export function encodeDiscoveryRequest(request: DiscoveryRequest): Uint8Array {
  return encodeMessage(shapes.of('envoy.service.discovery.v3.DiscoveryRequest'), request);
}

/** @throws RangeError when the bytes are no such message. */
export function decodeDiscoveryResponse(bytes: Uint8Array): AdsAnswer {
  return responseSchema.parse(decodeMessage(shapes.of('envoy.service.discovery.v3.DiscoveryResponse'), bytes));
}

/** @throws RangeError when the bytes are no such message (see {@link decodeMessage}). */
export function decodeXdsMessage(name: MessageName, bytes: Uint8Array): DecodedMessage {
  return decodeMessage(shapes.of(name), bytes);
}
