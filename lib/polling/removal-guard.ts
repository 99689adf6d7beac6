import { contentHash } from '../model/canonical-json';
import { compareText } from '../model/compare';
import { endpointKey, type Endpoint } from '../model/endpoint';
import type { Held } from '../model/registry-row';
import type { ServiceKey } from '../model/service-key';
import type { KnownSnapshot } from '../snapshots/snapshot-store';
import type { GuardPolicy } from './poll-settings';

/** What a reading would take away from one service. */
export type Removal = {
  /** How many endpoints fewer it would have. */
  readonly endpoints: number;
  /** What would be left: how many endpoints, and a name for just these; `undefined` when the service itself is missing. */
  readonly left: { readonly count: number; readonly hash: string } | undefined;
};

export type Removals = ReadonlyMap<ServiceKey, Removal>;

/** The registry's snapshots as they stand in the table, by service. */
export type KnownSnapshots = ReadonlyMap<ServiceKey, KnownSnapshot>;

/** What the registry's services had at the beginning of the last minute, where their numbers have changed since. */
export type EarlierCounts = ReadonlyMap<ServiceKey, number>;

/** How much a registry would lose, of how much. */
export type Loss = {
  readonly services: number;
  readonly endpoints: number;
  readonly ofServices: number;
  readonly ofEndpoints: number;
};

/** How many of the held services the registry's row names. */
const SAMPLE_SIZE = 10;

/** Whether the loss is over both of the policy's limits; exactly at a limit is not over it. */
export function exceedsGuard(loss: Loss, policy: GuardPolicy): boolean {
  const over = (lost: number, of: number): boolean =>
    lost > policy.maxRemoved && lost * 100 > policy.maxRemovedPercent * of;
  return over(loss.services, loss.ofServices) || over(loss.endpoints, loss.ofEndpoints);
}

/** How many endpoints services would have; `undefined` for one that would be gone. */
export type CountsAfter = ReadonlyMap<ServiceKey, number | undefined>;

/**
 * Whether a reading after which its services have these numbers (others stay as they are) takes too much away: by itself,
 * or together with what the registry has lost within the last minute. Otherwise one that falls to pieces would be emptied
 * in portions, each of them below the limits. Over the minute the net loss of each service counts, so that endpoints which
 * come and go in a rolling restart do not add up.
 */
export function takesTooMuch(
  known: KnownSnapshots,
  after: CountsAfter,
  earlier: EarlierCounts,
  policy: GuardPolicy,
): boolean {
  return (
    exceedsGuard(measureLoss(known, after, NOTHING_EARLIER), policy) ||
    exceedsGuard(measureLoss(known, after, earlier), policy)
  );
}

const NOTHING_EARLIER: EarlierCounts = new Map();

/** What the registry loses from what it had `earlier`, or has now where that is not said. */
export function measureLoss(known: KnownSnapshots, after: CountsAfter, earlier: EarlierCounts): Loss {
  const loss = { services: 0, endpoints: 0, ofServices: 0, ofEndpoints: 0 };
  const count = (before: number, then: number | undefined): void => {
    loss.ofServices += 1;
    loss.ofEndpoints += before;
    loss.services += then === undefined ? 1 : 0;
    loss.endpoints += Math.max(0, before - (then ?? 0));
  };
  for (const { key, endpointCount } of known.values()) {
    count(earlier.get(key) ?? endpointCount, after.has(key) ? after.get(key) : endpointCount);
  }
  for (const [key, before] of earlier) if (!known.has(key)) count(before, after.get(key));
  return loss;
}

/** What becomes of a known service that the registry does not have any more. */
export function missing(known: KnownSnapshot): Removal {
  return { endpoints: known.endpointCount, left: undefined };
}

/** What becomes of a known service that has fewer endpoints than before. */
export function shrinking(known: KnownSnapshot, endpoints: readonly Endpoint[]): Removal {
  const hash = contentHash(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint.port]));
  return { endpoints: known.endpointCount - endpoints.length, left: { count: endpoints.length, hash } };
}

/**
 * Names a set of removals. Two readings agree when they would take away the same: the same services missing, and the same
 * endpoints left of those that shrink. What else a reading brings plays no part.
 */
export function hashRemovals(removals: Removals): string {
  return contentHash(sorted(removals).map(([key, { left }]) => [key, left?.hash]));
}

/** What the registry's row says of held removals. */
export function describeRemovals(removals: Removals): Pick<Held, 'services' | 'endpoints' | 'sample' | 'hash'> {
  const all = sorted(removals);
  return {
    services: all.filter(([, { left }]) => left === undefined).length,
    endpoints: all.reduce((sum, [, { endpoints }]) => sum + endpoints, 0),
    sample: all.slice(0, SAMPLE_SIZE).map(([key]) => key),
    hash: hashRemovals(removals),
  };
}

function sorted(removals: Removals): readonly (readonly [ServiceKey, Removal])[] {
  return [...removals].sort(([a], [b]) => compareText(a, b));
}
