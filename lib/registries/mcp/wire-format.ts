/** Wire types of protobuf (protobuf.dev, "Encoding"). Groups (3 and 4) are not used by any message here. */
export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
export const FIXED32 = 5;

/** A field as it stands in a message, not looked into. */
export type WireField = {
  readonly number: number;
  readonly wireType: number;
  /** What a field of another type than `VARINT` holds, as far as it is there. */
  readonly bytes: Uint8Array;
  /** What a `VARINT` holds. */
  readonly value: bigint;
  /** False when the message ends within the field; no other follows. */
  readonly whole: boolean;
};

/**
 * The fields of a message one after the other.
 * @throws RangeError at a place where no field can be.
 */
export function* wireFields(message: Uint8Array): Generator<WireField, void, void> {
  let at = 0;
  while (at < message.length) {
    const tag = readVarint(message, at, MAX_NUMBER_BYTES);
    const wireType = Number(tag.value) % 8;
    const { value, start, end } = contentOf(message, tag.end, wireType);
    yield {
      number: Math.floor(Number(tag.value) / 8),
      wireType,
      bytes: message.subarray(start, end),
      value,
      whole: end <= message.length,
    };
    at = end;
  }
}

type Content = { readonly value: bigint; readonly start: number; readonly end: number };

function contentOf(message: Uint8Array, at: number, wireType: number): Content {
  switch (wireType) {
    case VARINT: {
      const { value, end } = readVarint(message, at, MAX_VALUE_BYTES);
      return { value, start: at, end };
    }
    case FIXED64:
      return { value: 0n, start: at, end: at + 8 };
    case FIXED32:
      return { value: 0n, start: at, end: at + 4 };
    case LENGTH_DELIMITED: {
      const length = readVarint(message, at, MAX_NUMBER_BYTES);
      return { value: 0n, start: length.end, end: length.end + Number(length.value) };
    }
    default:
      throw new RangeError(`wire type ${wireType} at byte ${at}`);
  }
}

/** Tags and lengths are 32-bit numbers: five bytes at most. Values may have ten. */
const MAX_NUMBER_BYTES = 5;
const MAX_VALUE_BYTES = 10;

function readVarint(
  message: Uint8Array,
  start: number,
  maxBytes: number,
): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let index = 0; index < maxBytes; index += 1) {
    const byte = message[start + index];
    if (byte === undefined) break;
    value += BigInt(byte % 128) << BigInt(7 * index);
    if (byte < 128) return { value, end: start + index + 1 };
  }
  throw new RangeError(`a number that does not end, at byte ${start}`);
}

/** A tag, a length or a value as it goes over the wire. */
export function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest >= 128n) {
    bytes.push(Number(rest % 128n) + 128);
    rest >>= 7n;
  }
  return Uint8Array.from([...bytes, Number(rest)]);
}
