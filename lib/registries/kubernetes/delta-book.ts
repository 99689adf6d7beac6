import { compareText } from '../../model/compare';
import { endpointKey } from '../../model/endpoint';
import type { Note } from '../../model/note';
import type { ServiceKey } from '../../model/service-key';
import type { ServiceSnapshot } from '../../model/service-snapshot';
import type { BuiltService, MirroredState, StateId } from './mirrored-state';
import { ChangePacer, type Pace } from './pace-changes';

/** What was last told of a service. */
type Told = {
  readonly hash: string;
  /** Endpoints that clients could reach, by key. */
  readonly reach: ReadonlySet<string>;
};

export type Deltas = {
  readonly upserts: readonly ServiceSnapshot[];
  readonly removals: readonly ServiceKey[];
};

/**
 * What has been told of each service, and what has to be told next: services that were touched are built anew and told
 * when their pace says so, if they came out otherwise than last told.
 */
export class DeltaBook {
  readonly #state: MirroredState;
  readonly #pacer: ChangePacer<StateId>;
  readonly #told = new Map<StateId, Told>();
  /** Built when touched and still true. */
  readonly #built = new Map<StateId, BuiltService>();
  #notes: Note[] = [];
  /** Before the first account of everything nothing is pending: it will be part of it. */
  #opened = false;

  constructor(state: MirroredState, pace: Pace) {
    this.#state = state;
    this.#pacer = new ChangePacer(pace);
  }

  /** Everything, and nothing is pending afterwards. */
  all(): { readonly snapshots: readonly ServiceSnapshot[]; readonly notes: readonly Note[] } {
    this.#opened = true;
    this.#pacer.clear();
    this.#built.clear();
    this.#told.clear();
    const built = this.#state.serviceIds().map((id) => {
      const service = this.#state.build(id);
      this.#remember(id, service);
      return service;
    });
    this.#notes = [];
    return {
      snapshots: sortedByKey(built.flatMap(({ snapshot }) => snapshot ?? [])),
      notes: built.flatMap(({ notes }) => notes),
    };
  }

  /** Services that the state now sees otherwise. */
  touch(services: ReadonlySet<StateId>, nowMs: number): void {
    if (!this.#opened) return;
    for (const id of services) {
      if (!this.#pacer.isQuiet(id, nowMs)) {
        this.#built.delete(id);
        this.#pacer.touch(id, nowMs, true);
        continue;
      }
      const built = this.#state.build(id);
      const told = this.#told.get(id);
      if (built.snapshot?.hash === told?.hash) {
        this.#notes.push(...built.notes);
        continue;
      }
      this.#built.set(id, built);
      this.#pacer.touch(id, nowMs, told !== undefined && takesAway(told, built));
    }
  }

  /** What is due and differs from what was told, which then counts as told. */
  take(nowMs: number): Deltas {
    const upserts: ServiceSnapshot[] = [];
    const removals: ServiceKey[] = [];
    for (const id of this.#pacer.take(nowMs)) {
      const built = this.#built.get(id) ?? this.#state.build(id);
      this.#built.delete(id);
      this.#notes.push(...built.notes);
      if (built.snapshot?.hash === this.#told.get(id)?.hash) continue;
      if (built.snapshot === undefined) removals.push(built.key);
      else upserts.push(built.snapshot);
      this.#remember(id, built);
    }
    return { upserts: sortedByKey(upserts), removals: removals.sort(compareText) };
  }

  /** Notes on what was built since they were last taken. */
  takeNotes(): readonly Note[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  nextDue(): number | undefined {
    return this.#pacer.nextDue();
  }

  #remember(id: StateId, { snapshot }: BuiltService): void {
    if (snapshot === undefined) this.#told.delete(id);
    else this.#told.set(id, { hash: snapshot.hash, reach: reachOf(snapshot) });
  }
}

/** Whether clients would lose an endpoint that they had. */
function takesAway(told: Told, { snapshot }: BuiltService): boolean {
  if (snapshot === undefined) return true;
  const reach = reachOf(snapshot);
  return [...told.reach].some((key) => !reach.has(key));
}

/** Endpoints that carry traffic: healthy or draining, of a port that the service has (after renaming a port it has none). */
function reachOf({ service, endpoints }: ServiceSnapshot): ReadonlySet<string> {
  const ports = new Set(service.ports.map(({ name }) => name));
  return new Set(
    endpoints
      .filter(({ health, servicePort }) => (health === 'Healthy' || health === 'Draining') && ports.has(servicePort))
      .map(endpointKey),
  );
}

function sortedByKey(snapshots: readonly ServiceSnapshot[]): readonly ServiceSnapshot[] {
  return [...snapshots].sort((a, b) => compareText(a.key, b.key));
}
