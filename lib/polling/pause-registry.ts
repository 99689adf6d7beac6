import type { Clock } from '../runtime/clock';
import { takeLease, type LeaseOptions } from './take-lease';
import type { PollSettings } from './poll-settings';
import type { RegistryStore } from './registry-store';

export type PauseParts = { readonly registries: RegistryStore; readonly clock: Clock };

/**
 * Makes sure that a registry whose configuration says `paused` is not being read: takes over from a run that still reads
 * it, and says so in its row. Its data stays as it is. Writes nothing when that has been done before.
 *
 * @returns whether the registry rests now; false when a run has not handed over yet.
 */
export async function pauseRegistry(
  parts: PauseParts,
  settings: PollSettings,
  options: LeaseOptions,
): Promise<boolean> {
  const { registry, configVersion } = settings;
  const found = await parts.registries.get(registry);
  if (found?.state === 'paused' && found.configVersion === configVersion && found.leaseOwner === undefined) return true;
  const row = await takeLease(parts, settings, options);
  if (row === undefined) return false;
  await parts.registries.release({ registry, owner: options.owner, generation: row.generation }, { state: 'paused' });
  return true;
}
