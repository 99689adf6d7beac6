/** Order by UTF-16 code unit, the same on every machine and locale; what all canonical lists are sorted by. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The values without doubles, in canonical order. */
export function sortedUnique<T extends string>(values: Iterable<T>): readonly T[] {
  return [...new Set(values)].sort(compareText);
}

/** A copy of the record with its keys in canonical order. */
export function sortedRecord<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => compareText(a, b)));
}
