import type { FieldShape, MessageShape, ValueShape } from './message-shapes';
import { FIXED64, LENGTH_DELIMITED, VARINT, wireFields, type WireField } from './wire-format';

export type DecodedMessage = Readonly<Record<string, unknown>>;

/**
 * A message in its JSON-like form: absent scalars, lists and maps by their defaults, absent messages and choices left out,
 * enums by name (by number when unknown), bytes as `Uint8Array`. Unknown fields are passed over.
 *
 * As strict as Go's decoder: a message has to be whole, texts UTF-8, known fields of their wire type. (protobufjs reads
 * texts that are cut off, and numbers as texts, so that a damaged message would pass for one that says something else.)
 *
 * @throws RangeError with the path of the field that is wrong.
 */
export function decodeMessage(shape: MessageShape, message: Uint8Array, path: readonly string[] = []): DecodedMessage {
  const found = new Map<FieldShape, WireField[]>();
  for (const field of fieldsOf(message, path)) {
    const known = shape.get(field.number);
    if (!field.whole) throw faulty(path, `field ${field.number} is cut off`);
    if (known === undefined) continue;
    const alike = found.get(known);
    if (alike === undefined) found.set(known, [field]);
    else alike.push(field);
  }
  return Object.fromEntries(
    [...shape.values()].flatMap((field) => {
      const value = decodeField(field, found.get(field) ?? [], [...path, field.name]);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

function fieldsOf(message: Uint8Array, path: readonly string[]): readonly WireField[] {
  try {
    return [...wireFields(message)];
  } catch (error) {
    throw faulty(path, error instanceof RangeError ? error.message : String(error));
  }
}

function faulty(path: readonly string[], fault: string): RangeError {
  return new RangeError(`${path.length === 0 ? 'the message' : path.join('.')}: ${fault}`);
}

/** `undefined` for a message or choice that is not there. Of a single value that stands several times the last counts. */
function decodeField({ rule, value }: FieldShape, found: readonly WireField[], path: readonly string[]): unknown {
  const last = found.at(-1);
  switch (rule) {
    case 'list':
      return found.map((field) => decodeValue(value, field, path));
    case 'map':
      return Object.fromEntries(found.map((field) => decodeMapEntry(value, field, path)));
    case 'choice':
      return last === undefined ? undefined : decodeValue(value, last, path);
    case 'single':
      return last === undefined ? defaultOf(value) : decodeValue(value, last, path);
  }
}

const MAP_KEY = { name: 'key', number: 1, value: { type: 'string' }, rule: 'single' } as const;

function decodeMapEntry(value: ValueShape, entry: WireField, path: readonly string[]): readonly [string, unknown] {
  const shape: MessageShape = new Map<number, FieldShape>([
    [1, MAP_KEY],
    [2, { name: 'value', number: 2, value, rule: 'single' }],
  ]);
  const decoded = decodeMessage(shape, bytesOf(entry, path), path);
  return [String(decoded.key), decoded.value];
}

function defaultOf(value: ValueShape): unknown {
  switch (value.type) {
    case 'string':
      return '';
    case 'bytes':
      return new Uint8Array();
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'double':
      return 0;
    case 'enum':
      return value.names.get(0) ?? 0;
    case 'message':
      return undefined;
  }
}

function decodeValue(value: ValueShape, field: WireField, path: readonly string[]): unknown {
  switch (value.type) {
    case 'string':
      return textOf(bytesOf(field, path), path);
    case 'bytes':
      return bytesOf(field, path);
    case 'bool':
      return numberOf(field, path) !== 0n;
    case 'int32':
      return Number(BigInt.asIntN(32, numberOf(field, path)));
    case 'int64':
      return Number(BigInt.asIntN(64, numberOf(field, path)));
    case 'uint32':
      return Number(BigInt.asUintN(32, numberOf(field, path)));
    case 'double':
      return doubleOf(field, path);
    case 'enum': {
      const number = Number(BigInt.asIntN(32, numberOf(field, path)));
      return value.names.get(number) ?? number;
    }
    case 'message':
      return decodeMessage(value.shape(), bytesOf(field, path), path);
  }
}

function numberOf(field: WireField, path: readonly string[]): bigint {
  requireWireType(field, VARINT, path);
  return field.value;
}

function bytesOf(field: WireField, path: readonly string[]): Uint8Array {
  requireWireType(field, LENGTH_DELIMITED, path);
  return field.bytes;
}

function doubleOf(field: WireField, path: readonly string[]): number {
  requireWireType(field, FIXED64, path);
  const { buffer, byteOffset, byteLength } = field.bytes;
  return new DataView(buffer, byteOffset, byteLength).getFloat64(0, true);
}

function requireWireType({ wireType }: WireField, wanted: number, path: readonly string[]): void {
  if (wireType !== wanted) throw faulty(path, `wire type ${wireType} in place of ${wanted}`);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array, path: readonly string[]): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw faulty(path, 'not UTF-8');
  }
}
