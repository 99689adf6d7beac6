import type { Note } from '../../model/note';
import type { Unreadable } from '../../model/registry-row';
import type { Clock } from '../../runtime/clock';
import type { FullReading, RegistryReading } from '../registry';
import type { ApiServer } from './api-server';
import { splitObjectId } from './kube-objects';
import { linkedAbort } from './linked-abort';
import { DeltaBook } from './delta-book';
import type { MirroredState } from './mirrored-state';
import type { Pace } from './pace-changes';
import { resourceSources, type Selection } from './resource-sources';
import { SourceMirror } from './source-mirror';
import { Wakeup } from './wakeup';
import type { WatchTiming } from './watch-timing';

export type ClusterPlan = {
  readonly mode: 'poll' | 'watch';
  readonly selection: Selection;
  /** An empty state, which the reading fills. */
  readonly makeState: () => MirroredState;
  readonly pageSize: number;
  readonly timing: WatchTiming;
  readonly pace: Pace;
};

/**
 * Reads a cluster: one list of each kind, then, in watch mode, whatever changes. The first reading is full, and so is each
 * one after the set of readable sources has changed; all others are deltas. An empty delta says that all streams are alive.
 */
export async function* readCluster(
  api: ApiServer,
  plan: ClusterPlan,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<RegistryReading> {
  const { controller, unlink } = linkedAbort(signal);
  const reading = new ClusterReading(api, plan, clock);
  try {
    await reading.list(controller.signal);
    if (plan.mode === 'watch') reading.follow(controller.signal);
    yield reading.full();
    while (plan.mode === 'watch') {
      const next = await reading.next(controller.signal);
      if (next === undefined) return;
      yield next;
    }
  } finally {
    controller.abort();
    unlink();
    await reading.ended();
  }
}

class ClusterReading {
  readonly #api: ApiServer;
  readonly #plan: ClusterPlan;
  readonly #clock: Clock;
  readonly #mirrors: readonly SourceMirror[];
  readonly #book: DeltaBook;
  readonly #wakeup = new Wakeup();
  #following: readonly Promise<void>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #fullWanted = false;
  #toldAt = 0;

  constructor(api: ApiServer, plan: ClusterPlan, clock: Clock) {
    this.#api = api;
    this.#plan = plan;
    this.#clock = clock;
    const state = plan.makeState();
    this.#book = new DeltaBook(state, plan.pace);
    const around = {
      api,
      clock,
      state,
      pageSize: plan.pageSize,
      timing: plan.timing,
      touched: (services: Parameters<DeltaBook['touch']>[0]) => {
        this.#book.touch(services, clock.now());
        this.#wakeup.wake();
      },
      readabilityChanged: () => {
        this.#fullWanted = true;
        this.#wakeup.wake();
      },
    };
    this.#mirrors = resourceSources(plan.selection).map((source) => new SourceMirror(source, around));
  }

  /** Slices before Pods, so that every Pod that a slice names has been seen unless it is gone since. */
  async list(signal: AbortSignal): Promise<void> {
    for (const last of [false, true]) {
      await allOrNone(
        this.#mirrors.filter(({ source }) => source.last === last).map((mirror) => (own) => mirror.list(own)),
        signal,
      );
    }
  }

  follow(signal: AbortSignal): void {
    this.#following = this.#mirrors.map((mirror) =>
      mirror.follow(signal).catch((error: unknown) => {
        this.#failure ??= { error };
        this.#wakeup.wake();
      }),
    );
  }

  /** Resolves when nothing runs any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#following);
  }

  full(): FullReading {
    this.#fullWanted = false;
    this.#toldAt = this.#clock.now();
    const { snapshots, notes } = this.#book.all();
    return {
      type: 'full',
      snapshots,
      unreadable: this.#mirrors.flatMap(unreadableOf),
      notes: [...this.#mirrors.flatMap(notesOf), ...notes],
      cost: this.#api.takeCost(),
    };
  }

  /** The next reading as soon as there is one, or `undefined` when the signal aborted. @throws when a stream is lost for good. */
  async next(signal: AbortSignal): Promise<RegistryReading | undefined> {
    for (;;) {
      if (signal.aborted) return undefined;
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#fullWanted) return this.full();
      const now = this.#clock.now();
      const { upserts, removals } = this.#book.take(now);
      const heartbeat =
        now - this.#toldAt >= this.#plan.timing.heartbeatMs && this.#mirrors.every(({ alive }) => alive);
      if (upserts.length + removals.length > 0 || heartbeat) {
        this.#toldAt = now;
        return { type: 'delta', upserts, removals, notes: this.#book.takeNotes(), cost: this.#api.takeCost() };
      }
      await this.#wakeup.wait(this.#clock, this.#waitMs(now), signal);
    }
  }

  /** Until something is due, or a sign of life is. */
  #waitMs(now: number): number {
    const { heartbeatMs } = this.#plan.timing;
    const sinceTold = now - this.#toldAt;
    const heartbeat = sinceTold >= heartbeatMs ? heartbeatMs : heartbeatMs - sinceTold;
    const due = this.#book.nextDue();
    return due === undefined ? heartbeat : Math.max(Math.min(due - now, heartbeat), 0);
  }
}

/** Runs all; the first that fails aborts the others and is thrown when they have ended. */
async function allOrNone(tasks: readonly ((signal: AbortSignal) => Promise<void>)[], signal: AbortSignal) {
  const { controller, unlink } = linkedAbort(signal);
  let failure: { readonly error: unknown } | undefined;
  await Promise.all(
    tasks.map((task) =>
      task(controller.signal).catch((error: unknown) => {
        failure ??= { error };
        controller.abort(error);
      }),
    ),
  );
  unlink();
  if (failure !== undefined) throw failure.error;
}

function unreadableOf({ source, readability, undecodable }: SourceMirror): readonly Unreadable[] {
  const forbidden = readability.type === 'forbidden' && source.need === 'essential';
  return [
    ...(forbidden ? [{ source: source.name, reason: readability.reason }] : []),
    ...[...undecodable].map(([id, reason]) => {
      const { namespace, name } = splitObjectId(id);
      return {
        source: `${source.resource}/${namespace}`,
        reason: `${source.resource} ${namespace}/${name}: ${reason}`,
      };
    }),
  ];
}

function notesOf({ source, readability }: SourceMirror): readonly Note[] {
  switch (readability.type) {
    case 'readable':
      return [];
    case 'not-served':
      return [{ code: 'ResourceNotServed', message: `${readability.reason}; read again when it is` }];
    case 'forbidden':
      return source.need === 'essential'
        ? []
        : [
            {
              code: 'PermissionMissing',
              message: `${readability.reason}; endpoints go without what ${source.resource} tell`,
            },
          ];
  }
}
