import type { Note } from '../model/note';
import type { ProviderId } from '../model/provider-id';
import type { Unreadable } from '../model/registry-row';
import type { ServiceKey } from '../model/service-key';
import type { ServiceSnapshot } from '../model/service-snapshot';

/** What one reading asked of the registry. Zero is a fact, not "unknown". */
export type ReadingCost = { readonly requests: number; readonly bytes: number };

/**
 * Everything that the registry holds. Complete when nothing is unreadable, else partial: of a service that names an
 * unreadable source, now or when it was last written, nothing changes, whether it is missing or looks different; unless
 * that source was `seenInPart`. The sources of the last writing have to be compared, since what a source that cannot be
 * read contributed before is not in the snapshot now. For the same reason a snapshot is written anew when nothing but its
 * sources has changed.
 */
export type FullReading = {
  readonly type: 'full';
  readonly snapshots: readonly ServiceSnapshot[];
  readonly unreadable: readonly Unreadable[];
  readonly notes: readonly Note[];
  readonly cost: ReadingCost;
};

/** What has changed since the reading before. Removals are explicit; nothing is concluded from absence. */
export type DeltaReading = {
  readonly type: 'delta';
  readonly upserts: readonly ServiceSnapshot[];
  readonly removals: readonly ServiceKey[];
  readonly notes: readonly Note[];
  readonly cost: ReadingCost;
};

export type RegistryReading = FullReading | DeltaReading;

/**
 * One source of services: a provider plus a cluster name (Istio `serviceregistry.Instance`).
 *
 * A provider only knows how to read. Pace, time limits, retries and what is written belong to `lib/polling`.
 */
export interface Registry {
  readonly provider: ProviderId;
  readonly cluster: string;

  /**
   * The first reading is full. May end after it (polling) or go on until the signal aborts (watching); later readings are
   * deltas, or full ones where the provider had to start anew.
   *
   * Throws when the registry could not be read: nothing is concluded from a failed reading. Answers that only look empty
   * (truncated, filtered, stale, a login page) are failures. Ends without an error, or throws the signal's reason, when
   * the signal aborts.
   */
  read(signal: AbortSignal): AsyncIterable<RegistryReading>;
}
