import { LENGTH_DELIMITED, wireFields } from './wire-format';

/**
 * The text of a field of a message that cannot be decoded as a whole, by the numbers of the fields that lead to it: what
 * stands in front of the damage can still be read. `undefined` when there is none.
 */
export function scanTextField(message: Uint8Array, path: readonly number[]): string | undefined {
  try {
    const bytes = path.reduce((inside, number) => fieldBytes(inside, number), message);
    return bytes.length === 0 ? undefined : new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

function fieldBytes(message: Uint8Array, wanted: number): Uint8Array {
  for (const { number, wireType, bytes } of wireFields(message)) {
    if (number === wanted && wireType === LENGTH_DELIMITED) return bytes;
  }
  throw new RangeError(`no field ${wanted}`);
}
