import type { RegistryRow } from '../../lib/model/registry-row';
import type { ServiceKey } from '../../lib/model/service-key';
import type { StoredSnapshot } from '../../lib/model/service-snapshot';
import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { pollRegistry, type PollOptions, type PollOutcome } from '../../lib/polling/poll-registry';
import type { PollParts } from '../../lib/polling/poll-run';
import { DEFAULT_GUARD, type PollSettings } from '../../lib/polling/poll-settings';
import { MemorySnapshotStore } from '../../lib/snapshots/memory-snapshot-store';
import { CollectedEvents } from './collected-events';
import { CollectedLog } from './collected-log';
import { CollectedMetrics } from './collected-metrics';
import { REGISTRY } from './readings';
import { ScriptedRegistry } from './scripted-registry';
import { VirtualClock } from './virtual-clock';
import { WatchedRegistries, WatchedSnapshots, type Gate, type StoreCall } from './watched-stores';

/** A run of the poller that a test has started. */
export type StartedRun = {
  readonly outcome: Promise<PollOutcome>;
  /** Tells the run to stop and waits for its end. */
  stop(): Promise<PollOutcome>;
};

/**
 * A registry, the tables and a poller in virtual time. The stores are the memory twins; every call to them is in `calls`,
 * and `gate` may make one fail.
 */
export class PollingWorld {
  readonly clock = new VirtualClock();
  readonly registry = new ScriptedRegistry();
  readonly events = new CollectedEvents();
  readonly log = new CollectedLog();
  readonly metrics = new CollectedMetrics();
  readonly calls: StoreCall[] = [];
  gate: Gate = {};
  settings: PollSettings = {
    registry: REGISTRY,
    mode: 'poll',
    intervalMs: 5000,
    maxRunMs: 14 * 60_000,
    precedence: 0,
    configVersion: 'v1',
    guard: DEFAULT_GUARD,
  };
  /** The tables themselves, without anybody at the door. */
  readonly rows = new MemoryRegistryStore();
  readonly snapshots = new MemorySnapshotStore(this.clock);
  readonly #door: Gate = {
    before: async (call) => {
      this.calls.push(call);
      await this.gate.before?.(call);
    },
    after: (call) => this.gate.after?.(call),
  };
  readonly parts: PollParts = {
    registry: this.registry,
    registries: new WatchedRegistries(this.rows, this.#door),
    snapshots: new WatchedSnapshots(this.snapshots, this.#door),
    events: this.events,
    clock: this.clock,
    log: this.log,
    metrics: this.metrics,
    random: () => 1,
  };
  #owners = 0;

  /** Starts a run, as another owner each time. */
  start(options: Partial<PollOptions> = {}, settings: Partial<PollSettings> = {}): StartedRun {
    const stop = new AbortController();
    this.#owners += 1;
    const outcome = pollRegistry(
      this.parts,
      { ...this.settings, ...settings },
      { owner: `run-${this.#owners}`, signal: stop.signal, ...options },
    );
    outcome.catch(() => undefined);
    return {
      outcome,
      stop: () => {
        stop.abort();
        return this.clock.until(outcome);
      },
    };
  }

  /** One reading, from the lease to its release. */
  async readOnce(options: Partial<PollOptions> = {}, settings: Partial<PollSettings> = {}): Promise<PollOutcome> {
    return this.clock.until(this.start({ once: true, ...options }, settings).outcome);
  }

  async row(): Promise<RegistryRow> {
    const row = await this.rows.get(this.settings.registry);
    if (row === undefined) throw new Error('the registry has no row');
    return row;
  }

  /** The stored snapshots by service. */
  async stored(): Promise<ReadonlyMap<ServiceKey, StoredSnapshot>> {
    const { registry } = this.settings;
    const known = await this.snapshots.known(registry);
    const { snapshots } = await this.snapshots.getMany(known.map(({ key }) => ({ registry, key })));
    return new Map(snapshots.map((snapshot) => [snapshot.key, snapshot] as const));
  }

  /** How many endpoints each stored service has, by the name that it was built with. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const entries = [...(await this.stored())].map(([key, { endpoints }]) => [nameOf(key), endpoints.length] as const);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The names of the writes since the last look, e.g. `put shop/web.shop`. */
  writes(): readonly string[] {
    return this.calls.splice(0).flatMap(({ name, write }) => (write ? [name] : []));
  }
}

function nameOf(key: ServiceKey): string {
  return key.replace(/^shop\/(.*)\.shop$/, '$1');
}
