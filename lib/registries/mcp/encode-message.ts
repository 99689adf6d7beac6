import type { FieldShape, MessageShape, ValueShape } from './message-shapes';
import { LENGTH_DELIMITED, VARINT, varint } from './wire-format';

/** The bytes of a message in its JSON-like form, of texts, whole numbers, messages, lists and maps of them. */
export function encodeMessage(shape: MessageShape, message: Readonly<Record<string, unknown>>): Uint8Array {
  return joined([...shape.values()].flatMap((field) => encodeField(field, message[field.name])));
}

function encodeField({ rule, number, value }: FieldShape, given: unknown): readonly Uint8Array[] {
  if (given === undefined) return [];
  switch (rule) {
    case 'list':
      return listOf(given).flatMap((item) => encodeValue(number, value, item));
    case 'map':
      return Object.entries(mapOf(given)).map(([key, item]) =>
        delimited(number, joined([...encodeValue(1, TEXT, key), ...encodeValue(2, value, item)])),
      );
    case 'single':
    case 'choice':
      return encodeValue(number, value, given);
  }
}

const TEXT: ValueShape = { type: 'string' };

function listOf(given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given;
  throw new TypeError(`a list is needed, not ${JSON.stringify(given)}`);
}

function encodeValue(number: number, shape: ValueShape, value: unknown): readonly Uint8Array[] {
  if (shape.type === 'string' && typeof value === 'string') {
    return [delimited(number, new TextEncoder().encode(value))];
  }
  if (shape.type === 'int32' && typeof value === 'number') return [tag(number, VARINT), varint(BigInt(value))];
  if (shape.type === 'message' && isMessage(value)) return [delimited(number, encodeMessage(shape.shape(), value))];
  throw new TypeError(`no way to encode ${JSON.stringify(value)} as ${shape.type}`);
}

function mapOf(given: unknown): Readonly<Record<string, unknown>> {
  if (isMessage(given)) return given;
  throw new TypeError(`a map is needed, not ${JSON.stringify(given)}`);
}

function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function delimited(number: number, bytes: Uint8Array): Uint8Array {
  return joined([tag(number, LENGTH_DELIMITED), varint(BigInt(bytes.length)), bytes]);
}

function tag(number: number, wireType: number): Uint8Array {
  return varint(BigInt(number * 8 + wireType));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
