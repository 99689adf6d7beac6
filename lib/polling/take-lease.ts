import type { RegistryRow } from '../model/registry-row';
import { isoTime, type Clock } from '../runtime/clock';
import type { PollSettings } from './poll-settings';
import type { RegistryStore } from './registry-store';

/** How long a lease lasts without being renewed (DESIGN "Lease and fence"). */
export const LEASE_MS = 30_000;

/** How long a contender waits for the hand-over it asked for (DESIGN "Pace"). */
const HANDOVER_WAIT_MS = 20_000;

/** A run this close to its end is asked to hand over, so that there is no gap (DESIGN "Pace"). */
const HANDOVER_MARGIN_MS = 60_000;

/** How often a waiting contender looks at the row. */
const LOOK_MS = 1000;

export type LeaseParts = { readonly registries: RegistryStore; readonly clock: Clock };

export type LeaseOptions = {
  /** Names this run among all that ever were. */
  readonly owner: string;
  /**
   * Nobody else can open the database (embedded): a lease that is held is left over from a process that has died, and is
   * broken at once.
   * @default false
   */
  readonly exclusive?: boolean;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
};

/**
 * Takes the lease of a registry for a new run, or finds out that there is no need.
 *
 * | the row                                    | what a contender does                                                       |
 * |--------------------------------------------|-----------------------------------------------------------------------------|
 * | no row, or no owner                        | takes the lease                                                             |
 * | held, `exclusive`                          | breaks it                                                                   |
 * | held, young run of the same configuration  | leaves at once                                                              |
 * | held, run of another configuration, or one | asks for the hand-over and waits up to 20 s for it                          |
 * | older than `maxRun` − 1 min                |                                                                             |
 * | held, `leaseUntil` has passed              | watches the renewals: one more, and it leaves; none for 30 s by its own     |
 * |                                            | clock, and it breaks the lease. The times in the row are only a reason to   |
 * |                                            | look, since the clocks of two machines differ                               |
 *
 * @returns the row with the new generation; `undefined` when another run has the registry.
 */
export async function takeLease(
  { registries, clock }: LeaseParts,
  settings: PollSettings,
  options: LeaseOptions,
): Promise<RegistryRow | undefined> {
  const { registry } = settings;
  const acquire = (broken?: RegistryRow): Promise<RegistryRow | undefined> =>
    registries.acquire({
      registry,
      owner: options.owner,
      leaseUntil: isoTime(clock.now() + LEASE_MS),
      runStartedAt: isoTime(clock.now()),
      precedence: settings.precedence,
      mode: settings.mode,
      configVersion: settings.configVersion,
      ...(broken?.leaseOwner === undefined
        ? {}
        : { broken: { owner: broken.leaseOwner, renewals: broken.leaseRenewals } }),
    });

  const found = await registries.get(registry);
  if (found === undefined || isFree(found)) return acquire();
  if (options.exclusive === true) return acquire(found);
  const overdue = hasPassed(found.leaseUntil, clock.now());
  const handover = mustHandOver(found, settings, clock.now());
  if (handover) await registries.request(registry, { handover: options.owner });
  if (!handover && !overdue) return undefined;

  const patienceMs = overdue ? LEASE_MS : HANDOVER_WAIT_MS;
  const startedMs = clock.now();
  while (clock.now() - startedMs < patienceMs) {
    await clock.delay(LOOK_MS, options.signal);
    if (options.signal?.aborted === true) return undefined;
    const now = await registries.get(registry);
    if (now === undefined || isFree(now)) return acquire();
    if (now.generation !== found.generation) return undefined;
    if (!handover && now.leaseRenewals !== found.leaseRenewals) return undefined;
  }
  return overdue ? acquire(found) : undefined;
}

function isFree(row: RegistryRow): boolean {
  return row.leaseOwner === undefined;
}

function hasPassed(time: string | undefined, nowMs: number): boolean {
  return time !== undefined && Date.parse(time) <= nowMs;
}

function mustHandOver(row: RegistryRow, settings: PollSettings, nowMs: number): boolean {
  const ageMs = row.runStartedAt === undefined ? 0 : nowMs - Date.parse(row.runStartedAt);
  return row.configVersion !== settings.configVersion || ageMs >= settings.maxRunMs - HANDOVER_MARGIN_MS;
}
