import { AppError } from '../model/app-error';
import type { RegistryId } from '../model/registry-id';
import type { RegistryRow } from '../model/registry-row';
import type { RegistryStore } from './registry-store';

/**
 * The row of a registry that somebody reads, for wishes to be seen.
 * @throws AppError `UnknownRegistryError` when there is none (the message names those that there are);
 * `RegistryNotReadError` when it is paused or has been removed.
 */
export async function readableRegistry(
  registries: Pick<RegistryStore, 'get' | 'list'>,
  registry: RegistryId,
): Promise<RegistryRow> {
  const row = await registries.get(registry);
  if (row === undefined) {
    const known = (await registries.list()).map((other) => other.registry).sort();
    const message = `Registry ${registry} is not known; known: ${known.length === 0 ? 'none' : known.join(', ')}`;
    throw new AppError(message, { code: 'UnknownRegistryError', details: { registry, known } });
  }
  if (row.state === 'paused' || row.state === 'removed') {
    const why = row.state === 'paused' ? 'paused in the configuration' : 'no longer in the configuration';
    const message = `Registry ${registry} is not read: it is ${why}`;
    throw new AppError(message, { code: 'RegistryNotReadError', details: { registry, state: row.state } });
  }
  return row;
}
