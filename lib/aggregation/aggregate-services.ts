import type { CatalogStore } from '../catalog/catalog-store';
import { isTransient } from '../model/app-error';
import { isDeleted, type CatalogRecord } from '../model/catalog-entry';
import { failedKey, isFailed, type FailedKey } from '../model/key-outcome';
import type { RegistryId } from '../model/registry-id';
import type { ServiceKey } from '../model/service-key';
import type { RegistryStore } from '../polling/registry-store';
import type { Clock } from '../runtime/clock';
import type { Log } from '../runtime/log';
import type { Metrics } from '../runtime/metrics';
import { eachKey, settleKeys, type KeyResults } from '../runtime/settle-keys';
import type { SnapshotStore } from '../snapshots/snapshot-store';
import { planCatalogWrite, type FoundSnapshots } from './plan-catalog-write';

export type AggregationPorts = {
  readonly registries: Pick<RegistryStore, 'list'>;
  readonly snapshots: Pick<SnapshotStore, 'getMany'>;
  readonly catalog: Pick<CatalogStore, 'get' | 'put'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly metrics: Metrics;
};

export type AggregatedKey =
  | { readonly key: ServiceKey; readonly result: 'unchanged' }
  | {
      readonly key: ServiceKey;
      readonly result: 'written';
      readonly version: number;
      /** How many conflicts the entry has. */
      readonly conflicts: number;
    };

/**
 * Makes the catalog say of each key what all registries' snapshots say now. Level-triggered: nothing but the key is taken
 * from whatever led here, so that lost, doubled and reordered deliveries are harmless.
 *
 * The entry is read before the registries and their snapshots, all consistently, and written only if it is still at the
 * version read: whoever writes has seen everything that the entry before was made of. Equal content is no write.
 *
 * @returns what became of each key, in no particular order. A key that fails harms no other one.
 */
export async function aggregateServices(
  keys: Iterable<ServiceKey>,
  ports: AggregationPorts,
): Promise<readonly (AggregatedKey | FailedKey)[]> {
  const outcomes = await settleKeys<AggregatedKey>(keys, (some) => lookAt(some, ports));
  report(outcomes, ports);
  return outcomes;
}

async function lookAt(
  keys: readonly ServiceKey[],
  ports: AggregationPorts,
): Promise<readonly (AggregatedKey | FailedKey)[]> {
  const entries = await eachKey(keys, (key) => ports.catalog.get(key));
  const found = await findSnapshots(entries.values, ports);
  const written = await eachKey(found.values.keys(), (key) =>
    write(key, entries.values.get(key), found.values.get(key), ports),
  );
  return [...entries.failed, ...found.failed, ...written.failed, ...written.values.values()];
}

/** The snapshots of all keys in few requests; key by key when one of them cannot be read, so that it fails alone. */
async function findSnapshots(
  entries: ReadonlyMap<ServiceKey, CatalogRecord | undefined>,
  { registries, snapshots }: AggregationPorts,
): Promise<KeyResults<FoundSnapshots>> {
  const keys = [...entries.keys()];
  try {
    const listed = (await registries.list()).map(({ registry }) => registry);
    const find = async (some: readonly ServiceKey[]) =>
      snapshots.getMany(some.flatMap((key) => addressesOf(key, listed, entries.get(key))));
    try {
      return { values: byKey(keys, await find(keys)), failed: [] };
    } catch (error) {
      if (isTransient(error)) throw error;
      return await eachKey(keys, (key) => find([key]));
    }
  } catch (error) {
    return { values: new Map(), failed: keys.map((key) => failedKey(key, error)) };
  }
}

/** Also those that the entry was made of, even without a row: a lost row is no evidence that a snapshot is gone. */
function addressesOf(key: ServiceKey, listed: readonly RegistryId[], entry: CatalogRecord | undefined) {
  const contributors = entry === undefined || isDeleted(entry) ? [] : entry.registries.map(({ registry }) => registry);
  return [...new Set([...listed, ...contributors])].map((registry) => ({ registry, key }));
}

function byKey(
  keys: readonly ServiceKey[],
  { snapshots, tombstones }: FoundSnapshots,
): Map<ServiceKey, FoundSnapshots> {
  return new Map(
    keys.map((key) => [
      key,
      {
        snapshots: snapshots.filter((snapshot) => snapshot.key === key),
        tombstones: tombstones.filter((tombstone) => tombstone.key === key),
      },
    ]),
  );
}

async function write(
  key: ServiceKey,
  previous: CatalogRecord | undefined,
  found: FoundSnapshots | undefined,
  { catalog, clock, log }: AggregationPorts,
): Promise<AggregatedKey> {
  const plan = found && planCatalogWrite(key, previous, found, clock.now());
  if (plan === undefined) return { key, result: 'unchanged' };
  const { record, notes } = plan;
  await catalog.put(record, previous?.version);
  const { version, cause } = record;
  log.debug('Catalog entry written', { key, version, pollId: cause.pollId, deleted: isDeleted(record) });
  for (const { code, message } of notes) log.warn('Left out of the catalog', { key, version, code, note: message });
  return { key, result: 'written', version, conflicts: isDeleted(record) ? 0 : record.conflicts.length };
}

function report(outcomes: readonly (AggregatedKey | FailedKey)[], { log, metrics }: AggregationPorts): void {
  const failed = outcomes.filter(isFailed);
  const written = outcomes.filter((outcome) => outcome.result === 'written');
  for (const { key, error, transient } of failed) log.error('Service not aggregated', { key, ...error, transient });
  metrics.add('AggregateRuns', 1);
  metrics.add('AggregateFailures', failed.length);
  metrics.add('CatalogWrites', written.length);
  metrics.add(
    'Conflicts',
    written.reduce((sum, { conflicts }) => sum + conflicts, 0),
  );
  metrics.add('ItemsTooLarge', failed.filter(({ error }) => error.code === 'ItemTooLargeError').length);
  log.info('Services aggregated', {
    keys: outcomes.length,
    written: written.length,
    unchanged: outcomes.length - written.length - failed.length,
    failed: failed.length,
  });
}
