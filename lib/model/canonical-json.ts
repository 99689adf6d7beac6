import { hash } from 'node:crypto';

/** Texts that stand in JSON as they are: printable ASCII without quotes and backslashes. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

/** How many member names are remembered in their JSON form: those of the model, and the labels of most fleets. */
const REMEMBERED_NAMES = 1000;

const rememberedNames = new Map<string, string>();

/**
 * JSON with object keys in code-unit order and without `undefined` members: equal values give equal text, whatever the
 * order in which they were built. Arrays keep their order; sorting those is the business of the `makeX` functions.
 *
 * Everything that is read, merged or written passes through here (some 20 members an endpoint), hence the plain loops and
 * the short cuts for names and texts: they take a third of the time that `JSON.stringify` of each needs.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  if (Array.isArray(value)) return arrayText(value);
  if (isRecord(value)) return recordText(value);
  return JSON.stringify(value ?? null);
}

/** The content hash of a value: the first 32 hex digits (128 bits) of the SHA-256 of its canonical JSON. */
export function contentHash(value: unknown): string {
  return hash('sha256', canonicalJson(value)).slice(0, 32);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function stringText(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

function arrayText(items: readonly unknown[]): string {
  let text = '';
  for (const item of items) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
  return `[${text}]`;
}

function recordText(record: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const name of sortedNames(record)) {
    const member = record[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${nameText(name)}${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Labels and much else are in order already, and seeing that is cheaper than sorting. */
function sortedNames(record: object): readonly string[] {
  const names = Object.keys(record);
  let previous = '';
  for (const name of names) {
    // The default order of sort() is that of compareText.
    if (name < previous) return names.sort();
    previous = name;
  }
  return names;
}

/** The name in quotes, with its colon. */
function nameText(name: string): string {
  const known = rememberedNames.get(name);
  if (known !== undefined) return known;
  const text = `${stringText(name)}:`;
  if (rememberedNames.size < REMEMBERED_NAMES) rememberedNames.set(name, text);
  return text;
}
