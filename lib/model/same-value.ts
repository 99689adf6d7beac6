/**
 * Whether two values of the model have the same content: what `canonicalJson(a) === canonicalJson(b)` says, without
 * writing either down. The order of an object's members does not matter, and a member that is `undefined` is absent.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  return isRecord(a) && isRecord(b) && !Array.isArray(b) && sameMembers(a, b);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
}

function sameMembers(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  return (
    Object.keys(a).every((name) => sameValue(a[name], own(b, name))) &&
    Object.keys(b).every((name) => b[name] === undefined || own(a, name) !== undefined)
  );
}

/** The member itself, never one of the prototype: a label may be called `constructor`. */
function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
