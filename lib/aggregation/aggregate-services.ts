import type { CatalogStore } from '../catalog/catalog-store';
import { isTransient } from '../model/app-error';
import { isDeleted, type CatalogRecord } from '../model/catalog-entry';
import { failedKey, isFailed, type FailedKey } from '../model/key-outcome';
import type { RegistryId } from '../model/registry-id';
import type { ServiceKey } from '../model/service-key';
import type { Clock } from '../runtime/clock';
import type { Log } from '../runtime/log';
import type { Metrics } from '../runtime/metrics';
import { eachApart, settleKeys, type Apart } from '../runtime/settle-keys';
import type { SnapshotAddress, SnapshotStore, StoredSnapshots } from '../snapshots/snapshot-store';
import { planCatalogWrite } from './plan-catalog-write';

export type AggregationPorts = {
  /** Whose snapshots there may be. */
  readonly registries: { list(): Promise<readonly { readonly registry: RegistryId }[]> };
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

/** A key and what the catalog has of it. */
type Known = { readonly key: ServiceKey; readonly entry: CatalogRecord | undefined };

/** And what the registries say. */
type Found = Known & StoredSnapshots;

async function lookAt(
  keys: readonly ServiceKey[],
  ports: AggregationPorts,
): Promise<readonly (AggregatedKey | FailedKey)[]> {
  const known = await eachApart(
    keys.map((key) => ({ key })),
    async ({ key }): Promise<Known> => ({ key, entry: await ports.catalog.get(key) }),
  );
  const found = await findSnapshots(known.done, ports);
  const written = await eachApart(found.done, (each) => write(each, ports));
  return [...known.failed, ...found.failed, ...written.failed, ...written.done];
}

/** The snapshots of all keys in few requests; key by key when one of them cannot be read, so that it fails alone. */
async function findSnapshots(
  known: readonly Known[],
  { registries, snapshots }: AggregationPorts,
): Promise<Apart<Found>> {
  try {
    const listed = (await registries.list()).map(({ registry }) => registry);
    const find = async (some: readonly Known[]) =>
      withSnapshots(some, await snapshots.getMany(some.flatMap((each) => addressesOf(each, listed))));
    try {
      return { done: await find(known), failed: [] };
    } catch (error) {
      if (isTransient(error)) throw error;
      const alone = await eachApart(known, (each) => find([each]));
      return { done: alone.done.flat(), failed: alone.failed };
    }
  } catch (error) {
    return { done: [], failed: known.map(({ key }) => failedKey(key, error)) };
  }
}

/** Also those that the entry was made of, even without a row: a lost row is no evidence that a snapshot is gone. */
function addressesOf({ key, entry }: Known, listed: readonly RegistryId[]): readonly SnapshotAddress[] {
  const contributors = entry === undefined || isDeleted(entry) ? [] : entry.registries.map(({ registry }) => registry);
  return [...new Set([...listed, ...contributors])].map((registry) => ({ registry, key }));
}

function withSnapshots(known: readonly Known[], found: StoredSnapshots): readonly Found[] {
  const snapshots = byKey(found.snapshots);
  const tombstones = byKey(found.tombstones);
  return known.map(({ key, entry }) => ({
    key,
    entry,
    snapshots: snapshots.get(key) ?? [],
    tombstones: tombstones.get(key) ?? [],
  }));
}

function byKey<T extends { readonly key: ServiceKey }>(items: readonly T[]): ReadonlyMap<ServiceKey, readonly T[]> {
  const groups = new Map<ServiceKey, T[]>();
  for (const item of items) {
    const group = groups.get(item.key);
    if (group === undefined) groups.set(item.key, [item]);
    else group.push(item);
  }
  return groups;
}

async function write(found: Found, { catalog, clock, log }: AggregationPorts): Promise<AggregatedKey> {
  const { key, entry } = found;
  const plan = planCatalogWrite(key, entry, found, clock.now());
  if (plan === undefined) return { key, result: 'unchanged' };
  const { record, notes } = plan;
  await catalog.put(record, entry?.version);
  const { version, cause } = record;
  log.debug('Catalog entry written', { key, version, pollId: cause.pollId, deleted: isDeleted(record) });
  for (const { code, message } of notes) log.warn('Left out of the catalog', { key, version, code, note: message });
  return { key, result: 'written', version, conflicts: isDeleted(record) ? 0 : record.conflicts.length };
}

function report(outcomes: readonly (AggregatedKey | FailedKey)[], { log, metrics }: AggregationPorts): void {
  const failed = outcomes.filter(isFailed);
  const written = outcomes.filter((outcome) => outcome.result === 'written');
  for (const { key, transient, error } of failed) {
    log.error('Service not aggregated', { key, code: error.code, reason: error.message, transient });
  }
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
