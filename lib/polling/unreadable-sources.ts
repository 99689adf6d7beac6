import type { Unreadable } from '../model/registry-row';

/** Tells whether a service with these sources was built, or may have been, from one that could not be read. */
export type UnreadableTest = (sources: readonly string[]) => boolean;

/**
 * A source is unreadable when it is named, or when a named one that ends in `/` stands above it. A service that names no
 * source at all counts as unreadable as soon as anything is: it cannot be told what it was built from.
 */
export function unreadableTest(unreadable: readonly Unreadable[]): UnreadableTest {
  if (unreadable.length === 0) return () => false;
  const named = new Set(unreadable.map(({ source }) => source));
  const above = [...named].filter((source) => source.endsWith('/'));
  const covers = (source: string): boolean => named.has(source) || above.some((folder) => source.startsWith(folder));
  return (sources) => sources.length === 0 || sources.some(covers);
}
