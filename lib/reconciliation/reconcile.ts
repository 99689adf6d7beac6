import type { CatalogStore } from '../catalog/catalog-store';
import type { PublishedStore } from '../changes/published-store';
import { compareText } from '../model/compare';
import type { RegistryId } from '../model/registry-id';
import type { ServiceKey } from '../model/service-key';
import type { Log } from '../runtime/log';
import type { Metrics } from '../runtime/metrics';
import { decommissionRegistry, leftConfiguration, type DecommissionParts } from './decommission-registry';

export type ReconcileParts = DecommissionParts & {
  readonly catalog: Pick<CatalogStore, 'versions'>;
  readonly published: Pick<PublishedStore, 'versions'>;
  /** Merges these keys anew; returns those of them whose entries were written. */
  readonly aggregate: (keys: readonly ServiceKey[]) => Promise<readonly ServiceKey[]>;
  /** Publishes what is not yet published of these keys. */
  readonly publish: (keys: readonly ServiceKey[]) => Promise<void>;
  readonly log: Log;
  readonly metrics: Metrics;
};

export type ReconcileRequest = {
  /** The registries of the configuration; what any other registry brought is removed. */
  readonly configured: readonly RegistryId[];
  /** Goes on after this key: where an earlier reconciliation stopped. */
  readonly after?: ServiceKey;
  /** Stops between two pages when it aborts. */
  readonly signal?: AbortSignal;
};

export type ReconcileOutcome = {
  readonly keys: number;
  /** Keys that were out of step; zero in health. */
  readonly repaired: number;
  readonly removedRegistries: readonly RegistryId[];
  /** Whether every key was looked at; otherwise go on after `last`. */
  readonly complete: boolean;
  readonly last?: ServiceKey;
};

/** Keys looked at together. */
const PAGE = 100;

/**
 * Looks at every key that any table knows, and repairs what is out of step: entries that are not what their snapshots
 * merge to, changes that were never published, snapshots of registries that left the configuration. Since every stage
 * computes its result anew, looking is repairing.
 */
export async function reconcile(parts: ReconcileParts, request: ReconcileRequest): Promise<ReconcileOutcome> {
  const removedRegistries = await decommission(parts, request);
  const versions = await readVersions(parts);
  const keys = (await allKeys(parts, versions)).filter((key) => request.after === undefined || key > request.after);
  let repaired = 0;
  let looked = 0;
  while (looked < keys.length && request.signal?.aborted !== true) {
    const page = keys.slice(looked, looked + PAGE);
    const written = await parts.aggregate(page);
    const unpublished = page.filter((key) => versions.catalog.get(key) !== versions.published.get(key));
    const behind = [...new Set([...written, ...unpublished])];
    if (behind.length > 0) await parts.publish(behind);
    repaired += behind.length;
    looked += page.length;
  }
  const complete = looked === keys.length;
  const last = keys[looked - 1] ?? request.after;
  parts.metrics.add('KeysRepaired', repaired);
  parts.log.info('Reconciled', { keys: looked, repaired, removedRegistries, complete });
  return { keys: looked, repaired, removedRegistries, complete, ...(last === undefined ? {} : { last }) };
}

async function decommission(parts: ReconcileParts, request: ReconcileRequest): Promise<readonly RegistryId[]> {
  const removed: RegistryId[] = [];
  for (const row of leftConfiguration(await parts.registries.list(), request.configured)) {
    const snapshots = await decommissionRegistry(row, parts, request.signal);
    if (snapshots === undefined) continue;
    removed.push(row.registry);
    parts.log.info('Registry removed', { registry: row.registry, snapshots });
  }
  return removed;
}

type Versions = {
  readonly catalog: ReadonlyMap<ServiceKey, number>;
  readonly published: ReadonlyMap<ServiceKey, number>;
};

async function readVersions({ catalog, published }: ReconcileParts): Promise<Versions> {
  const read = async (store: Pick<CatalogStore, 'versions'>): Promise<ReadonlyMap<ServiceKey, number>> => {
    const found = new Map<ServiceKey, number>();
    for await (const { key, version } of store.versions()) found.set(key, version);
    return found;
  };
  return { catalog: await read(catalog), published: await read(published) };
}

async function allKeys({ registries, snapshots }: ReconcileParts, versions: Versions): Promise<readonly ServiceKey[]> {
  const keys = new Set<ServiceKey>([...versions.catalog.keys(), ...versions.published.keys()]);
  for (const { registry } of await registries.list()) {
    for (const { key } of await snapshots.known(registry)) keys.add(key);
  }
  return [...keys].sort(compareText);
}
