import * as z from 'zod';
import { isPlainObject } from './plain-object';

/**
 * The specs of ServiceEntry and WorkloadEntry as their JSON mapping has them: the same for `v1`, `v1beta1` and `v1alpha3`.
 *
 * What protojson accepts is accepted: `lowerCamelCase` names and those of the `.proto` file (`export_to`), `null` for
 * "not given", numbers as text, enums by name or number. Unknown fields are mistakes, as with `istioctl validate` and
 * `kubectl --validate=strict`: a mistyped `host:` must not silently take a service away
 * (istio/api networking/v1alpha3/{service_entry,workload_entry}.proto).
 */

/** Largest value of a protobuf `uint32`. */
const MAX_UINT32 = 4_294_967_295;

const INTEGER_TEXT = /^-?\d+(\.0+)?([eE][+-]?\d+)?$/;

const text = z.string({
  error: (issue) =>
    issue.input === undefined ? 'must be given' : 'must be text (in quotes if it looks like a number or a truth value)',
});

const uint32 = z.unknown().transform((value, context): number => {
  const number = typeof value === 'string' && INTEGER_TEXT.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= MAX_UINT32) return number;
  context.addIssue({ code: 'custom', message: `must be a whole number from 0 to ${MAX_UINT32}` });
  return z.NEVER;
});

function enumOf<const Names extends readonly string[]>(names: Names) {
  return z.unknown().transform((value, context): Names[number] => {
    const name = typeof value === 'number' ? names[value] : names.find((candidate) => candidate === value);
    if (name !== undefined) return name;
    context.addIssue({ code: 'custom', message: `must be one of ${names.join(', ')}` });
    return z.NEVER;
  });
}

function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: 'must be a list' }).readonly();
}

function mapOf<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value, { error: 'must be a map' }).readonly();
}

/** `exportTo` as well as `export_to`; a field given both ways stays as it is and is found to be unknown. */
function messageOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const jsonNames = new Map(Object.keys(shape).map((name) => [protoName(name), name]));
  const allowed = Object.keys(shape).join(', ');
  return z.preprocess(
    (value) => withJsonNames(withoutNulls(value), jsonNames),
    z
      .strictObject(shape, {
        error: (issue) =>
          issue.code === 'unrecognized_keys' ? `must be one of the known fields: ${allowed}` : 'must be an object',
      })
      .readonly(),
  );
}

function protoName(jsonName: string): string {
  return jsonName.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function withoutNulls(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null && member !== undefined));
}

function withJsonNames(value: unknown, jsonNames: ReadonlyMap<string, string>): unknown {
  if (!isPlainObject(value)) return value;
  const rename = (name: string): string => {
    const jsonName = jsonNames.get(name);
    return jsonName === undefined || Object.hasOwn(value, jsonName) ? name : jsonName;
  };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), member]));
}

const workloadShape = {
  /** An IP, a host name, or `unix://` and a path. */
  address: text.default(''),
  /** Name of a service port → port of the workload. */
  ports: mapOf(uint32).default({}),
  labels: mapOf(text).default({}),
  network: text.default(''),
  locality: text.default(''),
  weight: uint32.default(0),
  serviceAccount: text.default(''),
};

/** Spec of a WorkloadEntry, and an endpoint written into a ServiceEntry. */
export const workloadEntrySpecSchema = messageOf(workloadShape);

export type WorkloadEntrySpec = z.output<typeof workloadEntrySpecSchema>;

/** In the order of their protobuf numbers. */
export const ENTRY_LOCATIONS = ['MESH_EXTERNAL', 'MESH_INTERNAL'] as const;

/** In the order of their protobuf numbers. */
export const ENTRY_RESOLUTIONS = ['NONE', 'STATIC', 'DNS', 'DNS_ROUND_ROBIN', 'DYNAMIC_DNS'] as const;

export type EntryResolution = (typeof ENTRY_RESOLUTIONS)[number];

const entryPortSchema = messageOf({
  number: uint32.default(0),
  name: text.default(''),
  protocol: text.default(''),
  targetPort: uint32.default(0),
});

export type EntryPort = z.output<typeof entryPortSchema>;

export const serviceEntrySpecSchema = messageOf({
  hosts: listOf(text).default([]),
  addresses: listOf(text).default([]),
  ports: listOf(entryPortSchema).default([]),
  location: enumOf(ENTRY_LOCATIONS).default('MESH_EXTERNAL'),
  resolution: enumOf(ENTRY_RESOLUTIONS).default('NONE'),
  endpoints: listOf(workloadEntrySpecSchema).default([]),
  workloadSelector: messageOf({ labels: mapOf(text).default({}) }).exactOptional(),
  exportTo: listOf(text).default([]),
  subjectAltNames: listOf(text).default([]),
});

export type ServiceEntrySpec = z.output<typeof serviceEntrySpecSchema>;

/** RFC 1123 as the Kubernetes API server applies it to names of objects. */
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAMESPACE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Metadata is open: servers and tools add to it. */
export const metadataSchema = z.preprocess(
  withoutNulls,
  z.looseObject(
    {
      name: text.max(253, 'must have at most 253 characters').regex(OBJECT_NAME, {
        error: 'must be a lower case DNS name (letters, digits, "-", ".")',
      }),
      namespace: text
        .max(63, 'must have at most 63 characters')
        .regex(NAMESPACE_NAME, { error: 'must be a lower case DNS label (letters, digits, "-")' })
        .exactOptional(),
      labels: mapOf(text).default({}),
      annotations: mapOf(text).default({}),
      creationTimestamp: z.iso
        .datetime({ offset: true, error: 'must be a time such as 2026-01-31T10:00:00Z' })
        .exactOptional(),
    },
    { error: 'must be an object with a name' },
  ),
);

/** What controllers wrote back; open like metadata. */
export const statusSchema = z.preprocess(
  withoutNulls,
  z.looseObject(
    {
      addresses: z
        .array(z.looseObject({ value: text.default(''), host: text.default('') }, { error: 'must be an object' }), {
          error: 'must be a list',
        })
        .default([]),
      conditions: z
        .array(z.looseObject({ type: text.default(''), status: text.default('') }, { error: 'must be an object' }), {
          error: 'must be a list',
        })
        .default([]),
    },
    { error: 'must be an object' },
  ),
);
