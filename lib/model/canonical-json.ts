import { createHash } from 'node:crypto';
import { compareText } from './compare';

/**
 * JSON with object keys in code-unit order and without `undefined` members: equal values give equal text, whatever the
 * order in which they were built. Arrays keep their order; sorting those is the business of the `makeX` functions.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => compareText(a, b))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}

/** The content hash of a value: the first 32 hex digits (128 bits) of the SHA-256 of its canonical JSON. */
export function contentHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}
