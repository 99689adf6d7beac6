import { createHash } from 'node:crypto';

/**
 * JSON with object keys in code-unit order and without `undefined` members: equal values give equal text, whatever the
 * order in which they were built. Arrays keep their order; sorting those is the business of the `makeX` functions.
 *
 * Everything that is read, merged or written passes through here (some 20 members an endpoint), hence the plain loops.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return arrayText(value);
  if (isRecord(value)) return recordText(value);
  return JSON.stringify(value ?? null);
}

/** The content hash of a value: the first 32 hex digits (128 bits) of the SHA-256 of its canonical JSON. */
export function contentHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function arrayText(items: readonly unknown[]): string {
  let text = '';
  for (const item of items) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
  return `[${text}]`;
}

function recordText(record: Readonly<Record<string, unknown>>): string {
  let text = '';
  // The default order of sort() is that of compareText.
  for (const name of Object.keys(record).sort()) {
    const member = record[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}
