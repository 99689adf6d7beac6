/** Wire types of protobuf (protobuf.dev, "Encoding"). */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/**
 * The text of a field of a message that cannot be decoded as a whole, by the numbers of the fields that lead to it: what
 * stands in front of the damage can still be read. `undefined` when there is none.
 */
export function scanTextField(message: Uint8Array, path: readonly number[]): string | undefined {
  const bytes = path.reduce<Uint8Array | undefined>(
    (inside, field) => (inside === undefined ? undefined : scanField(inside, field)),
    message,
  );
  return bytes === undefined || bytes.length === 0 ? undefined : new TextDecoder().decode(bytes);
}

/** The bytes of the first length-delimited field of that number; cut off where the message is. */
function scanField(message: Uint8Array, wanted: number): Uint8Array | undefined {
  let at: number | undefined = 0;
  while (at !== undefined && at < message.length) {
    const tag = readVarint(message, at);
    if (tag === undefined) return undefined;
    const field = Math.floor(tag.value / 8);
    const wireType = tag.value % 8;
    if (wireType === LENGTH_DELIMITED && field === wanted) {
      const length = readVarint(message, tag.end);
      return length === undefined ? undefined : message.subarray(length.end, length.end + length.value);
    }
    at = endOfField(message, tag.end, wireType);
  }
  return undefined;
}

function endOfField(message: Uint8Array, at: number, wireType: number): number | undefined {
  switch (wireType) {
    case VARINT:
      return readVarint(message, at)?.end;
    case FIXED64:
      return at + 8;
    case FIXED32:
      return at + 4;
    case LENGTH_DELIMITED: {
      const length = readVarint(message, at);
      return length === undefined ? undefined : length.end + length.value;
    }
    default:
      return undefined;
  }
}

/** Lengths and tags have five bytes at most. */
const MAX_VARINT_BYTES = 5;

function readVarint(message: Uint8Array, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
    const byte = message[start + index];
    if (byte === undefined) return undefined;
    value += (byte % 128) * 128 ** index;
    if (byte < 128) return { value, end: start + index + 1 };
  }
  return undefined;
}
