import type { Note } from '../../model/note';
import type { Path, Problem } from './problem';

/** What the rules say of one entry: problems make it invalid, notes are things that it probably did not mean. */
export type Validation = { readonly problems: readonly Problem[]; readonly notes: readonly Note[] };

/** The problem, if it is one. */
export function problemIf(wrong: boolean, path: Path, value: unknown, rule: string): readonly Problem[] {
  return wrong ? [{ path, value, rule }] : [];
}

/** A value whose fault, if any, another check has put into words. */
export function problemOfFault(fault: string | undefined, path: Path, value: unknown): readonly Problem[] {
  return fault === undefined ? [] : [{ path, value, rule: fault }];
}

/** Highest port number of TCP and UDP (RFC 9293). */
const MAX_PORT = 65_535;

export function portNumberProblems(path: Path, number: number): readonly Problem[] {
  return problemIf(number < 1 || number > MAX_PORT, path, number, `must be a port number from 1 to ${MAX_PORT}`);
}

/** What a port may be called, for the end of a sentence. */
export const PORT_NAME = 'a port name: 1 to 63 letters, digits and "-", starting and ending with a letter or digit';

/** The values that have stood before, with their positions. */
export function repetitions<T>(values: readonly T[]): readonly { readonly index: number; readonly value: T }[] {
  const seen = new Set<T>();
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [{ index, value }];
    seen.add(value);
    return [];
  });
}
