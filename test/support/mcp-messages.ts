import { loadMcpProtos } from './compile-mcp-messages';

const root = loadMcpProtos();

type Codec = { readonly serialize: (value: object) => Buffer; readonly deserialize: (bytes: Uint8Array) => object };

/** A message by its full name, both ways, by protobufjs: what the server at the other end of the tested client needs. */
export function mcpMessage(name: string): Codec {
  const type = root.lookupType(name);
  return {
    serialize: (value) => Buffer.from(type.encode(type.fromObject(value)).finish()),
    deserialize: (bytes) => type.toObject(type.decode(bytes), { defaults: true, longs: Number, enums: String }),
  };
}

/** `google.protobuf.Any`, as protobufjs has it. */
export type AnyMessage = { readonly typeUrl: string; readonly value: Uint8Array };

export function anyMessage(name: string, value: object): AnyMessage {
  return { typeUrl: `type.googleapis.com/${name}`, value: mcpMessage(name).serialize(value) };
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
