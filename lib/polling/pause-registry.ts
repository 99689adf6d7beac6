import type { PollSettings } from './poll-settings';
import { takeLease, type LeaseOptions, type LeaseParts } from './take-lease';

/**
 * Says in the registry's row that it is paused: it is not read, and its data stays as it is. A run that still reads is
 * asked to hand over, as by any change of the configuration.
 *
 * @returns false when another run keeps the registry.
 */
export async function pauseRegistry(
  parts: LeaseParts,
  settings: PollSettings,
  options: LeaseOptions,
): Promise<boolean> {
  const row = await takeLease(parts, settings, options);
  if (row === undefined) return false;
  const { registry, generation } = row;
  await parts.registries.release({ registry, owner: options.owner, generation }, { state: 'paused' });
  return true;
}
