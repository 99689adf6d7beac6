/** What an attribute of an item may hold here; `undefined` members are not stored. Nothing needs sets or null. */
export type AttributeValue =
  | string
  | number
  | boolean
  | Uint8Array
  | readonly AttributeValue[]
  | { readonly [name: string]: AttributeValue | undefined };

/** An item as it is written: attribute name → value. */
export type Item = Readonly<Record<string, AttributeValue | undefined>>;

/** Overhead of a list or map, and of each of its elements. */
const COLLECTION_BYTES = 3;
const ELEMENT_BYTES = 1;

/**
 * The size of an item as DynamoDB counts it against its limit: the UTF-8 bytes of names and values plus the documented
 * overheads (AWS "DynamoDB item sizes and formats", CapacityUnitCalculations). Numbers are documented as approximate:
 * one byte for each two significant digits and one more; a sign is counted as a further byte, which errs upwards.
 */
export function itemBytes(item: Item): number {
  return membersBytes(item, 0);
}

function membersBytes(members: Item, overheadBytes: number): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) bytes += utf8Bytes(name) + valueBytes(value) + overheadBytes;
  }
  return bytes;
}

function valueBytes(value: AttributeValue): number {
  if (typeof value === 'string') return utf8Bytes(value);
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value === 'boolean') return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (isList(value)) {
    return value.reduce<number>((bytes, element) => bytes + valueBytes(element) + ELEMENT_BYTES, COLLECTION_BYTES);
  }
  return COLLECTION_BYTES + membersBytes(value, ELEMENT_BYTES);
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: AttributeValue): value is readonly AttributeValue[] {
  return Array.isArray(value);
}

function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

function numberBytes(value: number): number {
  const digits = Math.abs(value).toExponential().replace(/e.*$/, '').replace('.', '').length;
  return Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0);
}
