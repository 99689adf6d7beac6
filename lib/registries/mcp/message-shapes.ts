import * as z from 'zod';
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT } from './wire-format';

/** What a field has to look like on the wire, and how to look into it. */
export type FieldShape = {
  readonly name: string;
  readonly wireType: number;
  /** `text` has to be UTF-8; `message` is looked into, with the shape of that name. */
  readonly content: 'text' | 'opaque' | { readonly message: MessageShape };
  /** A list of numbers, which may come as one field as well. */
  readonly packable: boolean;
};

/** The fields of a message by number. Looked up late, for messages may hold themselves. */
export type MessageShape = () => ReadonlyMap<number, FieldShape>;

type FieldNode = {
  readonly type: string;
  readonly id: number;
  readonly rule?: string | undefined;
  readonly keyType?: string | undefined;
};

type Node = {
  readonly fields?: Readonly<Record<string, FieldNode>> | undefined;
  readonly values?: unknown;
  readonly nested?: Readonly<Record<string, Node>> | undefined;
};

const fieldSchema = z.object({
  type: z.string(),
  id: z.number(),
  rule: z.string().optional(),
  keyType: z.string().optional(),
});

const nodeSchema: z.ZodType<Node> = z.lazy(() =>
  z.object({
    fields: z.record(z.string(), fieldSchema).optional(),
    values: z.unknown().optional(),
    nested: z.record(z.string(), nodeSchema).optional(),
  }),
);

const SCALARS: ReadonlyMap<string, number> = new Map([
  ...['int32', 'int64', 'uint32', 'uint64', 'sint32', 'sint64', 'bool'].map((type) => [type, VARINT] as const),
  ...['double', 'fixed64', 'sfixed64'].map((type) => [type, FIXED64] as const),
  ...['float', 'fixed32', 'sfixed32'].map((type) => [type, FIXED32] as const),
]);

/** The shapes of the messages in a JSON descriptor of protobufjs, by full name. */
export function messageShapes(descriptors: unknown): ReadonlyMap<string, MessageShape> {
  const nodes = new Map(namedNodes('', nodeSchema.parse(descriptors)));
  const shapes = new Map<string, ReadonlyMap<number, FieldShape>>();
  const shapeOf = (name: string): ReadonlyMap<number, FieldShape> => {
    const known = shapes.get(name);
    if (known !== undefined) return known;
    const fields = Object.entries(nodes.get(name)?.fields ?? {});
    const shape = new Map(fields.map(([field, node]) => [node.id, fieldShape(field, node, name)]));
    shapes.set(name, shape);
    return shape;
  };
  const fieldShape = (name: string, node: FieldNode, scope: string): FieldShape => {
    const shape = valueShape(name, node.type, scope);
    if (node.keyType !== undefined) return { ...shape, ...entryShape(node.keyType, shape) };
    return { ...shape, packable: node.rule === 'repeated' && shape.wireType !== LENGTH_DELIMITED };
  };
  const valueShape = (name: string, type: string, scope: string): FieldShape => {
    if (type === 'string' || type === 'bytes') return delimited(name, type === 'string' ? 'text' : 'opaque');
    const wireType = SCALARS.get(type);
    if (wireType !== undefined) return { name, wireType, content: 'opaque', packable: false };
    const full = resolve(nodes, type, scope);
    const isEnum = nodes.get(full)?.values !== undefined;
    return isEnum
      ? { name, wireType: VARINT, content: 'opaque', packable: false }
      : delimited(name, { message: () => shapeOf(full) });
  };
  return new Map(
    [...nodes].filter(([, node]) => node.fields !== undefined).map(([name]) => [name, () => shapeOf(name)]),
  );
}

function delimited(name: string, content: FieldShape['content']): FieldShape {
  return { name, wireType: LENGTH_DELIMITED, content, packable: false };
}

/** A map is a list of messages with a key and a value. */
function entryShape(keyType: string, value: FieldShape): Pick<FieldShape, 'wireType' | 'content' | 'packable'> {
  const key: FieldShape =
    keyType === 'string'
      ? delimited('key', 'text')
      : { name: 'key', wireType: SCALARS.get(keyType) ?? VARINT, content: 'opaque', packable: false };
  const entry = new Map([
    [1, key],
    [2, { ...value, name: 'value' }],
  ]);
  return { wireType: LENGTH_DELIMITED, content: { message: () => entry }, packable: false };
}

function namedNodes(prefix: string, node: Node): readonly (readonly [string, Node])[] {
  return Object.entries(node.nested ?? {}).flatMap(([name, inner]) => {
    const full = prefix === '' ? name : `${prefix}.${name}`;
    return [[full, inner] as const, ...namedNodes(full, inner)];
  });
}

/** From the innermost scope outwards, as in a `.proto` file. */
function resolve(nodes: ReadonlyMap<string, Node>, type: string, scope: string): string {
  for (let at = scope; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('.'), 0))) {
    if (nodes.has(`${at}.${type}`)) return `${at}.${type}`;
  }
  return type;
}
