/** Wire types of protobuf (protobuf.dev, "Encoding"). Groups (3 and 4) are not used by any message here. */
export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
export const FIXED32 = 5;

/** A field as it stands in a message, not looked into. */
export type WireField = {
  readonly number: number;
  readonly wireType: number;
  /** What a length-delimited field holds, as far as it is there; empty for others. */
  readonly bytes: Uint8Array;
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
    const tag = readVarint(message, at);
    const wireType = tag.value % 8;
    const { start, end } = extentOf(message, tag.end, wireType);
    yield {
      number: Math.floor(tag.value / 8),
      wireType,
      bytes: wireType === LENGTH_DELIMITED ? message.subarray(start, end) : NO_BYTES,
      whole: end <= message.length,
    };
    at = end;
  }
}

const NO_BYTES = new Uint8Array();

function extentOf(message: Uint8Array, at: number, wireType: number): { readonly start: number; readonly end: number } {
  switch (wireType) {
    case VARINT:
      return { start: at, end: endOfVarint(message, at) };
    case FIXED64:
      return { start: at, end: at + 8 };
    case FIXED32:
      return { start: at, end: at + 4 };
    case LENGTH_DELIMITED: {
      const length = readVarint(message, at);
      return { start: length.end, end: length.end + length.value };
    }
    default:
      throw new RangeError(`wire type ${wireType} at byte ${at}`);
  }
}

/** Tags and lengths are 32-bit numbers: five bytes at most. Values may have ten. */
const MAX_NUMBER_BYTES = 5;
const MAX_VALUE_BYTES = 10;

function readVarint(message: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let index = 0; index < MAX_NUMBER_BYTES; index += 1) {
    const byte = message[start + index];
    if (byte === undefined) break;
    value += (byte % 128) * 128 ** index;
    if (byte < 128) return { value, end: start + index + 1 };
  }
  throw new RangeError(`a number that does not end, at byte ${start}`);
}

function endOfVarint(message: Uint8Array, start: number): number {
  for (let index = 0; index < MAX_VALUE_BYTES; index += 1) {
    const byte = message[start + index];
    if (byte === undefined) break;
    if (byte < 128) return start + index + 1;
  }
  throw new RangeError(`a value that does not end, at byte ${start}`);
}
