import { fromJSON } from '@grpc/proto-loader';
import { compileMcpMessages } from './compile-mcp-messages';

const definitions = fromJSON(compileMcpMessages() as Parameters<typeof fromJSON>[0], { defaults: true, longs: Number });

type Codec = { readonly serialize: (value: object) => Buffer; readonly deserialize: (bytes: Buffer) => object };

/** A message by its full name, both ways: what the server at the other end of the tested client needs. */
export function mcpMessage(name: string): Codec {
  return definitions[name] as unknown as Codec;
}

/** `google.protobuf.Any`, as protobufjs has it. */
export type AnyMessage = { readonly type_url: string; readonly value: Uint8Array };

export function anyMessage(name: string, value: object): AnyMessage {
  return { type_url: `type.googleapis.com/${name}`, value: mcpMessage(name).serialize(value) };
}

export type TestObject = {
  /** `namespace/name` */
  readonly name: string;
  readonly spec: object;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Unix time in seconds. */
  readonly created?: number;
};

/** A ServiceEntry as istiod wraps it. */
export function serviceEntryResource(object: TestObject): AnyMessage {
  return resource('istio.networking.v1alpha3.ServiceEntry', object);
}

/** A WorkloadEntry as istiod wraps it. */
export function workloadEntryResource(object: TestObject): AnyMessage {
  return resource('istio.networking.v1alpha3.WorkloadEntry', object);
}

function resource(message: string, { name, spec, labels = {}, annotations = {}, created }: TestObject): AnyMessage {
  return anyMessage('istio.mcp.v1alpha1.Resource', {
    metadata: {
      name,
      labels,
      annotations,
      ...(created === undefined ? {} : { createTime: { seconds: created, nanos: 0 } }),
    },
    body: anyMessage(message, spec),
  });
}
