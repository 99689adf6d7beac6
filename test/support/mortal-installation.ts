import { aggregateServices } from '../../lib/aggregation/aggregate-services';
import { MemoryCatalogStore } from '../../lib/catalog/memory-catalog-store';
import { MemoryChangeStore } from '../../lib/changes/memory-change-store';
import { MemoryEventPublisher } from '../../lib/changes/memory-event-publisher';
import { MemoryPublishedStore } from '../../lib/changes/memory-published-store';
import { isServiceChange, type ServiceChangeEvent } from '../../lib/changes/pilotless-event';
import { publishChanges } from '../../lib/changes/publish-changes';
import type { CatalogRecord } from '../../lib/model/catalog-entry';
import type { RegistryId } from '../../lib/model/registry-id';
import type { ServiceKey } from '../../lib/model/service-key';
import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { pollRegistry } from '../../lib/polling/poll-registry';
import type { GuardPolicy } from '../../lib/polling/poll-settings';
import { reconcile } from '../../lib/reconciliation/reconcile';
import { MemorySnapshotStore } from '../../lib/snapshots/memory-snapshot-store';
import { CollectedLog } from './collected-log';
import { CollectedMetrics } from './collected-metrics';
import { ScriptedRegistry, type Script } from './scripted-registry';
import { VirtualClock } from './virtual-clock';
import {
  through,
  WatchedChanges,
  WatchedRecords,
  WatchedRegistries,
  WatchedSnapshots,
  type Gate,
  type StoreCall,
} from './watched-stores';

/** The end of a process, at a write: of no kind that the code could know. */
export class Crash extends Error {}

/** At which write of its life a process dies, counted over all tables and the bus, and whether the write takes effect. */
export type CrashPoint = { readonly atWrite: number; readonly moment: 'before' | 'after' };

/** A hold would make the outcome depend on the time that passes. */
const NEVER_HOLDS: GuardPolicy = {
  maxRemovedPercent: 100,
  maxRemoved: 1_000_000,
  confirmations: 1,
  minHoldMs: 0,
  maxHoldMs: 0,
};

/** What outlives a process: the tables, what was put on the bus, and the time. */
export class Installation {
  readonly clock = new VirtualClock();
  readonly registries = new MemoryRegistryStore();
  readonly snapshots = new MemorySnapshotStore(this.clock);
  readonly catalog = new MemoryCatalogStore(this.clock);
  readonly published = new MemoryPublishedStore(this.clock);
  readonly changes = new MemoryChangeStore(this.clock);
  /** The changes of services on the bus, in the order in which they came. */
  readonly told: ServiceChangeEvent[] = [];
  /** Names no two runs or reconciliations alike. */
  ids = 0;

  newId(): string {
    this.ids += 1;
    return `id-${this.ids}`;
  }

  /** Every record of the catalog or of Published, by key. */
  async records(table: 'catalog' | 'published'): Promise<ReadonlyMap<ServiceKey, CatalogRecord>> {
    const found = new Map<ServiceKey, CatalogRecord>();
    for await (const { key } of this[table].versions()) {
      const record = await this[table].get(key);
      if (record !== undefined) found.set(key, record);
    }
    return found;
  }
}

/** One process with all stages. Once it has died, nothing that it still tries to do has any effect. */
export class MortalProcess {
  /** Keys whose snapshots were written, and whose entries were: what streams would deliver. */
  readonly snapshotStream: ServiceKey[] = [];
  readonly catalogStream: ServiceKey[] = [];
  /** The write that it died at, e.g. `before catalog put`; `undefined` while it lives. */
  diedAt: string | undefined;
  readonly #installation: Installation;
  readonly #crash: CrashPoint | undefined;
  readonly #ambient;
  readonly #stores;
  readonly #events: MemoryEventPublisher;
  #writes = 0;
  #fatal: StoreCall | undefined;

  constructor(installation: Installation, crash: CrashPoint | undefined) {
    this.#installation = installation;
    this.#crash = crash;
    this.#ambient = { clock: installation.clock, log: new CollectedLog(), metrics: new CollectedMetrics() };
    const gate: Gate = { before: (call) => this.#before(call), after: (call) => this.#after(call) };
    this.#stores = {
      registries: new WatchedRegistries(installation.registries, gate),
      snapshots: new WatchedSnapshots(installation.snapshots, gate),
      catalog: new WatchedRecords(installation.catalog, 'catalog', gate),
      published: new WatchedRecords(installation.published, 'published', gate),
      changes: new WatchedChanges(installation.changes, gate),
    };
    this.#events = new MemoryEventPublisher((event) =>
      through(gate, { name: 'event', write: true }, () => {
        if (isServiceChange(event)) installation.told.push(event);
        return Promise.resolve();
      }),
    );
  }

  /** Reads the registry once. @throws Crash */
  poll(registry: RegistryId, precedence: number, script: Script): Promise<void> {
    const scripted = new ScriptedRegistry();
    scripted.script = script;
    const { registries, snapshots } = this.#stores;
    const parts = { registry: scripted, registries, snapshots, events: this.#events, random: () => 1 };
    const run = pollRegistry(
      { ...parts, ...this.#ambient },
      {
        ...{ registry, precedence, mode: 'poll', intervalMs: 5000, maxRunMs: Infinity },
        ...{ configVersion: 'v1', guard: NEVER_HOLDS },
      },
      { owner: this.#installation.newId(), exclusive: true, once: true },
    );
    return this.#living(this.#installation.clock.until(run));
  }

  /** @throws Crash */
  aggregate(keys: readonly ServiceKey[]): Promise<void> {
    return this.#living(aggregateServices(keys, { ...this.#stores, ...this.#ambient }));
  }

  /** @throws Crash */
  publish(keys: readonly ServiceKey[]): Promise<void> {
    return this.#living(publishChanges(keys, { ...this.#stores, events: this.#events, ...this.#ambient }));
  }

  /** Looks at every key. @throws Crash */
  reconcile(configured: readonly RegistryId[]): Promise<void> {
    const parts = {
      ...this.#stores,
      ...this.#ambient,
      reconcileId: this.#installation.newId(),
      publish: (keys: readonly ServiceKey[]) => this.publish(keys),
      aggregate: async (keys: readonly ServiceKey[]) => {
        const outcomes = await aggregateServices(keys, { ...this.#stores, ...this.#ambient });
        return outcomes.flatMap(({ key, result }) => (result === 'written' ? [key] : []));
      },
    };
    return this.#living(reconcile(parts, { configured }));
  }

  async #living(work: Promise<unknown>): Promise<void> {
    await work;
    if (this.diedAt !== undefined) throw new Crash(this.diedAt);
  }

  #before(call: StoreCall): void {
    if (this.diedAt !== undefined) throw new Crash(this.diedAt);
    if (!call.write) return;
    this.#writes += 1;
    if (this.#writes !== this.#crash?.atWrite) return;
    this.#fatal = call;
    if (this.#crash.moment === 'before') this.#die(call);
  }

  #after(call: StoreCall): void {
    if (this.#fatal === call) this.#die(call);
    if (this.diedAt !== undefined) throw new Crash(this.diedAt);
    this.#deliver(call);
  }

  #deliver({ name, key }: StoreCall): void {
    if (key === undefined) return;
    if (/^(put|remove) /.test(name)) this.snapshotStream.push(key);
    if (name === 'catalog put') this.catalogStream.push(key);
  }

  #die({ name }: StoreCall): never {
    this.diedAt = `${this.#crash?.moment ?? ''} ${name.replace(/^(put|remove) .*/, 'snapshot $1')}`;
    throw new Crash(this.diedAt);
  }
}
