import type { Conflict, ConflictSide, ConflictType } from '../model/conflict';

/** The conflict as a list of one, or of none when nobody loses. */
export function conflictWith(
  losers: readonly ConflictSide[],
  conflict: { readonly type: ConflictType; readonly field: string; readonly winner: ConflictSide },
): readonly Conflict[] {
  return losers.length === 0 ? [] : [{ ...conflict, losers }];
}
