import { randomUUID } from 'node:crypto';
import { aggregateServices } from '../../lib/aggregation/aggregate-services';
import { mergeService } from '../../lib/aggregation/merge-service';
import { MemoryCatalogStore } from '../../lib/catalog/memory-catalog-store';
import { diffEntry } from '../../lib/changes/diff-entry';
import { MemoryChangeStore } from '../../lib/changes/memory-change-store';
import { MemoryEventPublisher } from '../../lib/changes/memory-event-publisher';
import { MemoryPublishedStore } from '../../lib/changes/memory-published-store';
import { isServiceChange, PUSH_EVENT_TYPE } from '../../lib/changes/pilotless-event';
import { publishChanges } from '../../lib/changes/publish-changes';
import { textTable } from '../../lib/cli/text-table';
import { isFailed, type KeyOutcome } from '../../lib/model/key-outcome';
import { makeRegistryId } from '../../lib/model/registry-id';
import type { ServiceKey } from '../../lib/model/service-key';
import type { StoredSnapshot } from '../../lib/model/service-snapshot';
import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { pollRegistry } from '../../lib/polling/poll-registry';
import { DEFAULT_GUARD } from '../../lib/polling/poll-settings';
import { PushDebouncer } from '../../lib/push/push-debouncer';
import { pushRequestOf } from '../../lib/push/push-request-of';
import { requestPush } from '../../lib/push/request-push';
import { MockRegistry } from '../../lib/registries/mock/mock-registry';
import type { Log } from '../../lib/runtime/log';
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import { isoTime } from '../../lib/runtime/clock';
import { systemClock as clock } from '../../lib/runtime/system-clock';
import { MemorySnapshotStore } from '../../lib/snapshots/memory-snapshot-store';
import {
  WatchedChanges,
  WatchedRecords,
  WatchedRegistries,
  WatchedSnapshots,
  type Gate,
} from '../support/watched-stores';

/**
 * `npm run bench`: a fleet of 5,000 services and 75,000 endpoints in two registries goes through all stages on the memory
 * twins, from empty, and once more unchanged. Times and memory are for reading; it fails (exit code 1) when the unchanged
 * reading writes anything but the registries' rows.
 */

const CLUSTERS = ['fleet-1', 'fleet-2'];

/** Of each cluster; the services are the same in both. */
const FLEET = { services: 5000, endpoints: 37_500 };

/** What merging and comparing are measured with: two endpoints a service and cluster. */
const SMALL_FLEET = { services: 1000, endpoints: 2000 };

const QUIET_MS = 100;
const LONGEST_MS = 10_000;
const KIB = 1024;
const MIB = KIB * KIB;

const COUNTED = ['registries', 'snapshots', 'catalog', 'published', 'changes', 'events', 'pushes'] as const;

type Counted = (typeof COUNTED)[number];

/** A stage's name, its milliseconds by the wall and of computing (on a busy machine these differ), what it wrote, and the largest heap seen during it. */
type Measured = {
  readonly stage: string;
  readonly ms: number;
  readonly cpuMs: number;
  readonly writes: ReadonlyMap<Counted, number>;
  readonly heap: number;
};

/** Two lines a service would hide the figures; what goes wrong is to be seen. */
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, facts) => print(`warning: ${message} ${JSON.stringify(facts)}`),
  error: (message, facts) => print(`error: ${message} ${JSON.stringify(facts)}`),
};

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Counts writes, and looks at the heap now and then: timers do not run while the memory twins answer. */
class Meter {
  readonly #writes = new Map<Counted, number>();
  #heap = 0;

  count(what: Counted): void {
    const count = (this.#writes.get(what) ?? 0) + 1;
    this.#writes.set(what, count);
    if (count % 100 === 0) this.#look();
  }

  async measure(stage: string, work: () => Promise<void>): Promise<Measured> {
    this.#writes.clear();
    this.#heap = 0;
    this.#look();
    const start = performance.now();
    const cpu = process.cpuUsage();
    await work();
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    this.#look();
    return { stage, ms, cpuMs: (user + system) / 1000, writes: new Map(this.#writes), heap: this.#heap };
  }

  #look(): void {
    this.#heap = Math.max(this.#heap, process.memoryUsage().heapUsed);
  }
}

/** All stages on memory twins, each run when it is told to, with the keys that the stage before has written. */
class Fleet {
  readonly #meter = new Meter();
  readonly #metrics = new MemoryMetrics();
  readonly #written = new Set<ServiceKey>();
  readonly #changed = new Set<ServiceKey>();
  readonly #stores = {
    registries: new WatchedRegistries(new MemoryRegistryStore(), this.#door('registries')),
    snapshots: new WatchedSnapshots(new MemorySnapshotStore(clock), this.#door('snapshots', this.#written)),
    catalog: new WatchedRecords(new MemoryCatalogStore(clock), 'catalog', this.#door('catalog', this.#changed)),
    published: new WatchedRecords(new MemoryPublishedStore(clock), 'published', this.#door('published')),
    changes: new WatchedChanges(new MemoryChangeStore(clock), this.#door('changes')),
  };
  readonly #events = new MemoryEventPublisher((event) => {
    this.#meter.count(event.type === PUSH_EVENT_TYPE ? 'pushes' : 'events');
    if (isServiceChange(event)) this.#pushes.add(pushRequestOf(event.detail, randomUUID()));
  });
  readonly #parts = { ...this.#stores, events: this.#events, clock, log, metrics: this.#metrics };
  readonly #pushes = new PushDebouncer({
    settings: { quietMs: QUIET_MS, maxMs: LONGEST_MS },
    clock,
    log,
    push: (request) => requestPush(request, this.#parts),
  });
  readonly #registries = CLUSTERS.map((cluster) => mockRegistry(cluster, FLEET));

  /** Reads both registries and lets what they say through all stages. */
  async goThrough(): Promise<readonly Measured[]> {
    const measured: Measured[] = [];
    for (const registry of this.#registries) {
      measured.push(await this.#meter.measure(`poll Mock/${registry.cluster}`, () => this.#poll(registry)));
    }
    measured.push(
      await this.#meter.measure('aggregate', async () => {
        expectDone(await aggregateServices(taken(this.#written), this.#parts));
      }),
      await this.#meter.measure('publish', async () => {
        expectDone(await publishChanges(taken(this.#changed), this.#parts));
      }),
      await this.#meter.measure('push', () => this.#pushes.flush()),
    );
    return measured;
  }

  async #poll(registry: MockRegistry): Promise<void> {
    const id = makeRegistryId('Mock', registry.cluster);
    await pollRegistry(
      { ...this.#parts, registry, random: Math.random },
      {
        registry: id,
        mode: 'poll',
        intervalMs: 5000,
        maxRunMs: Infinity,
        precedence: CLUSTERS.indexOf(registry.cluster),
        configVersion: 'bench',
        guard: DEFAULT_GUARD,
      },
      { owner: randomUUID(), exclusive: true, once: true },
    );
  }

  #door(table: Counted, keys?: Set<ServiceKey>): Gate {
    return {
      after: ({ write, key }) => {
        if (!write) return;
        this.#meter.count(table);
        if (key !== undefined) keys?.add(key);
      },
    };
  }
}

function mockRegistry(cluster: string, settings: typeof FLEET): MockRegistry {
  return new MockRegistry({
    cluster,
    names: { domainSuffix: 'cluster.local', trustDomain: 'cluster.local' },
    settings,
    clock,
  });
}

function taken(keys: Set<ServiceKey>): readonly ServiceKey[] {
  const all = [...keys];
  keys.clear();
  return all;
}

function expectDone(outcomes: readonly KeyOutcome[]): void {
  const failed = outcomes.find(isFailed);
  if (failed !== undefined) throw new Error(`${failed.key}: ${failed.error.message}`);
}

/** What the clusters say of each service, as it would be stored. */
async function storedByService(settings: typeof FLEET): Promise<readonly (readonly StoredSnapshot[])[]> {
  const byKey = new Map<ServiceKey, StoredSnapshot[]>();
  for (const [precedence, cluster] of CLUSTERS.entries()) {
    for await (const { snapshots } of mockRegistry(cluster, settings).read(new AbortController().signal)) {
      for (const snapshot of snapshots) {
        const bookkeeping = { precedence, generation: 1, pollId: 'bench', observedAt: isoTime(clock.now()) };
        const stored = { ...snapshot, endpointAccounts: [], ...bookkeeping };
        byKey.set(snapshot.key, [...(byKey.get(snapshot.key) ?? []), stored]);
      }
    }
  }
  return [...byKey.values()];
}

/** Milliseconds of merging, and of merging and comparing with what the first cluster alone gives. */
async function measurePure(): Promise<void> {
  const small = await storedByService(SMALL_FLEET);
  const before = small.map((snapshots) => mergeService(snapshots.slice(0, 1))?.service);
  const smallMs = timed(() => {
    for (const [index, snapshots] of small.entries()) diffEntry(before[index], mergeService(snapshots)?.service);
  });
  print(
    `merge and diff of ${small.length} services, 2 clusters, 2 endpoints in each: ${smallMs.toFixed(0)} ms of computing`,
  );
  const large = await storedByService(FLEET);
  const largeMs = timed(() => {
    for (const snapshots of large) mergeService(snapshots);
  });
  print(`merge of ${large.length} services, 75,000 endpoints: ${largeMs.toFixed(0)} ms of computing`);
}

/** Milliseconds of computing, of the best of three runs: the first ones are before the compiler has warmed up. */
function timed(work: () => void): number {
  const run = (): number => {
    const start = process.cpuUsage();
    work();
    return process.cpuUsage(start).user / 1000;
  };
  return Math.min(run(), run(), run());
}

function report(title: string, measured: readonly Measured[]): void {
  const rows = measured.map(({ stage, ms, cpuMs, writes, heap }) => [
    stage,
    ms.toFixed(0),
    cpuMs.toFixed(0),
    ...COUNTED.map((what) => String(writes.get(what) ?? 0)),
    (heap / MIB).toFixed(0),
  ]);
  print(`\n${title}\n${textTable(['stage', 'ms', 'cpu ms', ...COUNTED, 'heap MiB'], rows)}`);
}

async function main(): Promise<void> {
  await measurePure();
  const fleet = new Fleet();
  report('From empty: 2 registries, 5,000 services, 75,000 endpoints', await fleet.goThrough());
  const again = await fleet.goThrough();
  report('Once more, unchanged', again);
  print(`\nPeak resident memory: ${(process.resourceUsage().maxRSS / KIB).toFixed(0)} MiB`);

  const idle = COUNTED.filter((what) => what !== 'registries');
  const superfluous = idle.filter((what) => again.some(({ writes }) => writes.has(what)));
  if (superfluous.length === 0) return;
  print(`The unchanged reading wrote ${superfluous.join(', ')}; it has to write nothing but the registries' rows`);
  process.exitCode = 1;
}

void main();
