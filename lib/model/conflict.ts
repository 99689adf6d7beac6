import { canonicalJson } from './canonical-json';
import { compareText } from './compare';
import type { Labels } from './labels';
import type { RegistryId } from './registry-id';

export const CONFLICT_TYPES = [
  'ResolutionConflict',
  'LocationConflict',
  'ExportToConflict',
  'AddressConflict',
  'LabelsConflict',
  'PortConflict',
  'ProtocolConflict',
  'EndpointResolutionConflict',
] as const;

export type ConflictType = (typeof CONFLICT_TYPES)[number];

export type ConflictValue = string | readonly string[] | Labels;

/** One side of a conflict: who says what. `source` tells two sources of one registry apart (a manifest, a service name). */
export type ConflictSide = { readonly registry: RegistryId; readonly source?: string; readonly value: ConflictValue };

/** Two or more sources that say different things of one service. The winner's word is what the catalog entry holds. */
export type Conflict = {
  readonly type: ConflictType;
  /** What they disagree on, e.g. `resolution` or `ports/TCP/80`. */
  readonly field: string;
  readonly winner: ConflictSide;
  readonly losers: readonly ConflictSide[];
};

/** By field, then type, then content: the canonical order of conflicts. */
export function compareConflicts(a: Conflict, b: Conflict): number {
  return (
    compareText(a.field, b.field) || compareText(a.type, b.type) || compareText(canonicalJson(a), canonicalJson(b))
  );
}
