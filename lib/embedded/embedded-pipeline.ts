import { aggregateServices } from '../aggregation/aggregate-services';
import type { CatalogStore } from '../catalog/catalog-store';
import { publishChanges } from '../changes/publish-changes';
import { isFailed, type KeyOutcome } from '../model/key-outcome';
import type { RegistryId } from '../model/registry-id';
import type { ServiceKey } from '../model/service-key';
import { reconcile, type ReconcileOutcome } from '../reconciliation/reconcile';
import type { Clock } from '../runtime/clock';
import type { Stores } from '../runtime/dynamodb-stores';
import type { Log } from '../runtime/log';
import type { Metrics } from '../runtime/metrics';
import type { SnapshotStore } from '../snapshots/snapshot-store';
import type { EventBus } from './event-bus';
import { KnownRegistries } from './known-registries';
import { KeyQueue } from './key-queue';
import { observedCatalog, observedSnapshots } from './observed-stores';

export type PipelineParts = {
  readonly stores: Stores;
  readonly bus: EventBus;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** A new id, unlike any before. */
  readonly newId: () => string;
};

/**
 * The stages after polling, chained by calls in place of streams: a written snapshot is aggregated, a written entry is
 * published. Every key goes through queues, so that a burst of writes to one key is one look.
 */
export class EmbeddedPipeline {
  /** Where pollers write: what is written here goes on through the stages. */
  readonly snapshots: SnapshotStore;
  /** Whose snapshots are aggregated: a registry has to be added before its first snapshot is written. */
  readonly registries: KnownRegistries;
  readonly #parts: PipelineParts;
  readonly #catalog: CatalogStore;
  readonly #aggregating: KeyQueue;
  readonly #publishing: KeyQueue;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    const { stores, clock, log } = parts;
    this.registries = new KnownRegistries(stores.registries);
    this.#publishing = new KeyQueue({ stage: 'publish', process: (keys) => this.#publish(keys), clock, log });
    this.#aggregating = new KeyQueue({ stage: 'aggregate', process: (keys) => this.#aggregate(keys), clock, log });
    this.#catalog = observedCatalog(stores.catalog, (key) => this.#publishing.add(key));
    this.snapshots = observedSnapshots(stores.snapshots, (key) => this.#aggregating.add(key));
  }

  /** Looks at every key, and removes registries that are not configured; what a crash left half done is done. */
  reconcile(configured: readonly RegistryId[], signal: AbortSignal): Promise<ReconcileOutcome> {
    const { stores, newId, clock, log, metrics } = this.#parts;
    return reconcile(
      {
        registries: stores.registries,
        snapshots: this.snapshots,
        catalog: stores.catalog,
        published: stores.published,
        aggregate: async (keys) => {
          const outcomes = await this.#aggregate(keys);
          return outcomes.flatMap((outcome) => (outcome.result === 'written' ? [outcome.key] : []));
        },
        publish: async (keys) => {
          const outcomes = await this.#publish(keys);
          for (const { key } of outcomes.filter(isFailed)) this.#publishing.add(key);
        },
        reconcileId: newId(),
        clock,
        log,
        metrics,
      },
      { configured, signal },
    );
  }

  /** Resolves when everything written so far has gone through all stages. */
  async idle(): Promise<void> {
    while (!this.#aggregating.isIdle || !this.#publishing.isIdle) {
      await this.#aggregating.idle();
      await this.#publishing.idle();
    }
  }

  /** Finishes what is under way. Nothing is lost: what still fails is looked at by the next start. */
  async close(): Promise<void> {
    await this.#aggregating.close();
    await this.#publishing.close();
  }

  #aggregate(keys: readonly ServiceKey[]): Promise<readonly KeyOutcome[]> {
    const { stores, clock, log, metrics } = this.#parts;
    const { registries } = this;
    const { snapshots } = stores;
    return aggregateServices(keys, { registries, snapshots, catalog: this.#catalog, clock, log, metrics });
  }

  #publish(keys: readonly ServiceKey[]): Promise<readonly KeyOutcome[]> {
    const { stores, bus, clock, log, metrics } = this.#parts;
    const { catalog, published, changes } = stores;
    return publishChanges(keys, { catalog, published, changes, events: bus, clock, log, metrics });
  }
}
