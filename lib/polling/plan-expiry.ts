import { compareText } from '../model/compare';
import type { ServiceKey } from '../model/service-key';
import type { GuardPolicy } from './poll-settings';
import type { KnownSnapshots } from './removal-guard';

/** A service that loses endpoints because nobody has been able to read its registry for too long. */
export type PlannedTrim = { readonly key: ServiceKey; readonly keep: number };

/** The shortest time between two steps. */
const MIN_STEP_MS = 60_000;

export type ExpiryQuestion = {
  readonly expireAfterMs: number | undefined;
  readonly intervalMs: number;
  /** When the newest good reading was made; `undefined` when there never was one. */
  readonly lastSuccessMs: number | undefined;
  /** When a snapshot was last written. */
  readonly lastChangeMs: number | undefined;
  readonly policy: GuardPolicy;
  readonly nowMs: number;
};

/**
 * The next step of letting a registry's endpoints go (`expireAfter`): gradually, so that a cache does not turn from
 * everything to nothing (envoy-control), and by the guard's rules. Each interval, but at most once a minute, as much leaves
 * as the guard lets go without asking: `maxRemovedPercent` of what is there, or `maxRemoved` if that is more, service by
 * service in their order. Only endpoints leave; the services stay, with their accounts. A registry that was never read
 * well has no age and does not expire. Empty when nothing is to be done.
 */
export function planExpiry(known: KnownSnapshots, question: ExpiryQuestion): readonly PlannedTrim[] {
  if (!isDue(question)) return [];
  const services = [...known.values()].sort((a, b) => compareText(a.key, b.key));
  const total = services.reduce((sum, { endpointCount }) => sum + endpointCount, 0);
  const { maxRemoved, maxRemovedPercent } = question.policy;
  let allowance = Math.max(1, maxRemoved, Math.floor((total * maxRemovedPercent) / 100));
  const trims: PlannedTrim[] = [];
  for (const { key, endpointCount } of services) {
    const leaving = Math.min(endpointCount, allowance);
    if (leaving > 0) trims.push({ key, keep: endpointCount - leaving });
    allowance -= leaving;
  }
  return trims;
}

function isDue({ expireAfterMs, intervalMs, lastSuccessMs, lastChangeMs, nowMs }: ExpiryQuestion): boolean {
  if (expireAfterMs === undefined || lastSuccessMs === undefined) return false;
  if (nowMs - lastSuccessMs < expireAfterMs) return false;
  return lastChangeMs === undefined || nowMs - lastChangeMs >= Math.max(MIN_STEP_MS, intervalMs);
}
