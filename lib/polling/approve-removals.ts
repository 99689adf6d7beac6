import { AppError } from '../model/app-error';
import type { RegistryId } from '../model/registry-id';
import type { Held } from '../model/registry-row';
import { isoTime } from '../runtime/clock';
import { readableRegistry } from './readable-registry';
import type { WishParts } from './request-sync';

/**
 * Lets held removals of a registry go: just those that are held now, and asks for the reading that applies them. When that
 * reading would take away anything else, nothing is let go.
 *
 * @param hash of the removals that the person has seen; when others are held by now, nothing is approved. Absent: whatever
 * is held.
 * @returns what was approved.
 * @throws AppError `UnknownRegistryError`, `RegistryNotReadError`, `NothingHeldError`, `HeldRemovalsChangedError`.
 */
export async function approveRemovals(
  { registries, clock }: WishParts,
  registry: RegistryId,
  hash?: string,
): Promise<Held> {
  const { held } = await readableRegistry(registries, registry);
  if (held === undefined) {
    const message = `Nothing of ${registry} is held back, so there is nothing to approve`;
    throw new AppError(message, { code: 'NothingHeldError', details: { registry } });
  }
  if (hash !== undefined && hash !== held.hash) {
    const message = `Removals ${hash} of ${registry} are not held any more; held now: ${held.hash} (${held.services} services, ${held.endpoints} endpoints). Look at them and approve those`;
    throw new AppError(message, { code: 'HeldRemovalsChangedError', details: { registry, hash, held: held.hash } });
  }
  await registries.request(registry, { approvedHold: held.hash, requestedAt: isoTime(clock.now()) });
  return held;
}
