import { compareText } from '../model/compare';
import type { RegistryId } from '../model/registry-id';
import type { Held, RegistryRow, RegistryState } from '../model/registry-row';

/** How old a registry's newest good reading may be before its data counts as stale, in milliseconds. */
export const DEFAULT_STALE_AFTER_MS = 5 * 60_000;

/** How fresh and how complete one registry's part of the catalog is. */
export type RegistryFreshness = {
  readonly registry: RegistryId;
  readonly state: RegistryState;
  /** Age of the newest good reading; absent when there was none. */
  readonly ageMs?: number;
  readonly stale: boolean;
  readonly services: number;
  readonly endpoints: number;
  /** How many of its sources could not be read in the last reading. */
  readonly unreadable: number;
  readonly held?: Held;
  readonly lastError?: { readonly code: string; readonly message: string };
};

/** What an answer does not know. "Not known" is never answered as "empty" (istio 38440, 45992, 25100). */
export type Completeness = {
  /** Every registry has been read, lately, wholly, and nothing is held. */
  readonly complete: boolean;
  /** Age of the oldest registry's newest good reading; absent when none has been read. */
  readonly oldestAgeMs?: number;
  readonly neverSynced: readonly RegistryId[];
  readonly failed: readonly RegistryId[];
  readonly degraded: readonly RegistryId[];
  readonly stale: readonly RegistryId[];
  readonly paused: readonly RegistryId[];
  /** Those that are not removed, by id. */
  readonly registries: readonly RegistryFreshness[];
};

/** An answer from the catalog, with how complete it is. */
export type Answer<T> = { readonly data: T; readonly completeness: Completeness };

/** Judges the rows of the registries at the time `nowMs`. Registries that left the configuration do not count. */
export function judgeCompleteness(
  rows: readonly RegistryRow[],
  nowMs: number,
  staleAfterMs: number = DEFAULT_STALE_AFTER_MS,
): Completeness {
  const registries = rows
    .filter((row) => row.state !== 'removed')
    .sort((a, b) => compareText(a.registry, b.registry))
    .map((row) => freshness(row, nowMs, staleAfterMs));
  const ids = (matches: (registry: RegistryFreshness) => boolean) =>
    registries.filter(matches).map(({ registry }) => registry);
  const ages = registries.flatMap(({ ageMs }) => (ageMs === undefined ? [] : [ageMs]));
  return {
    complete: registries.length > 0 && registries.every(({ state, stale }) => state === 'synced' && !stale),
    ...(ages.length === 0 ? {} : { oldestAgeMs: Math.max(...ages) }),
    neverSynced: ids(({ state, ageMs }) => state === 'never-synced' || ageMs === undefined),
    failed: ids(({ state }) => state === 'failed'),
    degraded: ids(({ state }) => state === 'degraded'),
    stale: ids(({ stale }) => stale),
    paused: ids(({ state }) => state === 'paused'),
    registries,
  };
}

function freshness(row: RegistryRow, nowMs: number, staleAfterMs: number): RegistryFreshness {
  const ageMs = row.lastSuccessAt === undefined ? undefined : Math.max(0, nowMs - Date.parse(row.lastSuccessAt));
  return {
    registry: row.registry,
    state: row.state,
    ...(ageMs === undefined ? {} : { ageMs }),
    stale: ageMs !== undefined && ageMs > staleAfterMs,
    services: row.services,
    endpoints: row.endpoints,
    unreadable: row.unreadableCount,
    ...(row.held === undefined ? {} : { held: row.held }),
    ...(row.lastError === undefined ? {} : { lastError: row.lastError }),
  };
}
