import type { RegistryRow } from '../model/registry-row';
import type { PollSettings } from './poll-settings';
import { takeLease, type LeaseOptions, type LeaseParts } from './take-lease';

/**
 * Sees to it that the registry's row says that it is paused: it is not read, and its data stays as it is. A run that still
 * reads is asked to hand over, as by any change of the configuration. Where that is done already nothing is written, so
 * that a paused registry costs one read a firing.
 *
 * @returns false when another run keeps the registry.
 */
export async function pauseRegistry(
  parts: LeaseParts,
  settings: PollSettings,
  options: LeaseOptions,
): Promise<boolean> {
  if (isPaused(await parts.registries.get(settings.registry), settings)) return true;
  const row = await takeLease(parts, settings, options);
  if (row === undefined) return false;
  const { registry, generation } = row;
  await parts.registries.release({ registry, owner: options.owner, generation }, { state: 'paused' });
  return true;
}

/** By these settings: others are still to be written into the row. */
function isPaused(row: RegistryRow | undefined, { configVersion }: PollSettings): boolean {
  return row?.state === 'paused' && row.leaseOwner === undefined && row.configVersion === configVersion;
}
