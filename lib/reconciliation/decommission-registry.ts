import type { RegistryId } from '../model/registry-id';
import type { RegistryRow } from '../model/registry-row';
import type { RegistryStore } from '../polling/registry-store';
import { isoTime, type Clock } from '../runtime/clock';
import type { SnapshotStore } from '../snapshots/snapshot-store';

export type DecommissionParts = {
  readonly registries: RegistryStore;
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
  /** Names this reconciliation as holder of the lease and in what it writes. */
  readonly reconcileId: string;
};

/** How long the lease of a decommissioning lasts; nobody contends for a registry that is not configured. */
const LEASE_MS = 30_000;

/** The rows of registries that left the configuration and are not yet `removed`. */
export function leftConfiguration(
  rows: readonly RegistryRow[],
  configured: readonly RegistryId[],
): readonly RegistryRow[] {
  return rows.filter((row) => row.state !== 'removed' && !configured.includes(row.registry));
}

/**
 * Takes a registry's snapshots out of the catalog: a new generation shuts out a poller that still runs, then every
 * snapshot becomes a tombstone, then the row turns `removed`. Goes on where it stopped when it is called again.
 *
 * @returns the number of snapshots removed; `undefined` when the lease changed hands meanwhile, or the signal aborted.
 */
export async function decommissionRegistry(
  row: RegistryRow,
  { registries, snapshots, clock, reconcileId }: DecommissionParts,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const { registry, precedence, mode, configVersion } = row;
  const taken = await registries.acquire({
    registry,
    owner: reconcileId,
    leaseUntil: isoTime(clock.now() + LEASE_MS),
    runStartedAt: isoTime(clock.now()),
    precedence,
    mode,
    configVersion,
    ...(row.leaseOwner === undefined ? {} : { broken: { owner: row.leaseOwner, renewals: row.leaseRenewals } }),
  });
  if (taken === undefined) return undefined;
  const fence = { registry, owner: reconcileId, generation: taken.generation };
  const known = await snapshots.known(registry);
  for (const { key } of known) {
    if (signal?.aborted === true) {
      await registries.release(fence, {});
      return undefined;
    }
    const removedAt = isoTime(clock.now());
    await snapshots.remove({ key, registry, generation: taken.generation, pollId: reconcileId, removedAt });
  }
  await registries.release(fence, {
    state: 'removed',
    services: 0,
    endpoints: 0,
    unreadable: [],
    unreadableCount: 0,
    held: undefined,
    lastError: undefined,
    lastChangeAt: isoTime(clock.now()),
  });
  return known.length;
}
