import type { RegistryId } from '../model/registry-id';
import { isoTime, type Clock } from '../runtime/clock';
import { readableRegistry } from './readable-registry';
import type { RegistryStore } from './registry-store';

export type WishParts = { readonly registries: RegistryStore; readonly clock: Clock };

/**
 * Asks for a full reading of a registry now. A run that has the registry sees it within two seconds; where there is none,
 * the one who asks starts one, whose first reading serves the request.
 *
 * @returns when it was asked for: the request is served as soon as the row's `lastAttemptAt` is not before it.
 * @throws AppError `UnknownRegistryError`, `RegistryNotReadError`.
 */
export async function requestSync({ registries, clock }: WishParts, registry: RegistryId): Promise<string> {
  await readableRegistry(registries, registry);
  const requestedAt = isoTime(clock.now());
  await registries.request(registry, { requestedAt });
  return requestedAt;
}
