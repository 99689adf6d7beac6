import type { Conflict, ConflictType, ConflictValue } from '../../model/conflict';
import type { RegistryId } from '../../model/registry-id';
import { sameValue } from '../../model/same-value';
import type { ServiceEntry } from './entries';

/** What one entry says of something. */
export type Claim = { readonly entry: ServiceEntry; readonly value: ConflictValue };

/**
 * The conflict between the first claim, which wins, and those of other entries that say something else; none when all
 * agree. An entry is not in conflict with itself.
 */
export function conflictsOfClaims(
  registry: RegistryId,
  type: ConflictType,
  field: string,
  claims: readonly Claim[],
): readonly Conflict[] {
  const [winner, ...others] = claims;
  if (winner === undefined) return [];
  const losers = others.filter(({ entry, value }) => entry !== winner.entry && !sameValue(value, winner.value));
  const side = ({ entry, value }: Claim) => ({ registry, source: entrySource(entry), value });
  return losers.length === 0 ? [] : [{ type, field, winner: side(winner), losers: losers.map(side) }];
}

/** Names one entry among several of the same source, e.g. `service-entries/hello.yaml#hello-vm`. */
export function entrySource({ source, name }: ServiceEntry): string {
  return `${source}#${name}`;
}
