import { compareText } from '../../model/compare';
import type { Note } from '../../model/note';

const SHOWN = 3;

/** One note for all instances of a service that share a problem: the count, and the first few of them. None for none. */
export function noteOfSeveral(code: string, summary: string, problems: readonly string[]): readonly Note[] {
  if (problems.length === 0) return [];
  const shown = [...problems].sort(compareText).slice(0, SHOWN).join('; ');
  const more = problems.length > SHOWN ? `; and ${problems.length - SHOWN} more` : '';
  return [{ code, message: `${summary} (${shown}${more})` }];
}
