/** Good news at once, bad news after a breath. Milliseconds. */
export type Pace = {
  /** A change that has to wait does so until this long passes without another of the same service. */
  readonly quietMs: number;
  /** At the latest this long after the first. */
  readonly maxMs: number;
};

/** Istio's debounce of endpoints (PILOT_DEBOUNCE_AFTER 100 ms); its maximum is 10 s, ours 1 s. */
export const DEFAULT_PACE: Pace = { quietMs: 100, maxMs: 1_000 };

type Pending = { readonly since: number; readonly due: number };

/**
 * When changes are told, per service. The first change after a quiet time is due at once unless it takes something away
 * (endpoints that come back within a moment, a renamed port whose slice follows); that and further ones are gathered.
 * A pure state machine: the time is always an argument.
 */
export class ChangePacer<Id> {
  readonly #pace: Pace;
  readonly #pending = new Map<Id, Pending>();
  /** When a service was last touched; only as long as that matters. */
  readonly #touched = new Map<Id, number>();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Whether nothing happened to the service of late: then it matters whether the change takes something away. */
  isQuiet(id: Id, nowMs: number): boolean {
    if (this.#pending.has(id)) return false;
    const touched = this.#touched.get(id);
    return touched === undefined || nowMs - touched >= this.#pace.quietMs;
  }

  /** A change of the service, which takes something away or not. */
  touch(id: Id, nowMs: number, takesAway: boolean): void {
    const atOnce = this.isQuiet(id, nowMs) && !takesAway;
    const since = this.#pending.get(id)?.since ?? nowMs;
    this.#touched.set(id, nowMs);
    this.#pending.set(id, {
      since,
      due: atOnce ? nowMs : Math.min(nowMs + this.#pace.quietMs, since + this.#pace.maxMs),
    });
  }

  /** When the next service is due, or `undefined` when none is pending. */
  nextDue(): number | undefined {
    let next: number | undefined;
    for (const { due } of this.#pending.values()) next = next === undefined || due < next ? due : next;
    return next;
  }

  /** The services that are due, which are then no longer pending. */
  take(nowMs: number): readonly Id[] {
    const due = [...this.#pending].filter(([, pending]) => pending.due <= nowMs).map(([id]) => id);
    for (const id of due) this.#pending.delete(id);
    for (const [id, touched] of this.#touched) {
      if (!this.#pending.has(id) && nowMs - touched >= this.#pace.quietMs) this.#touched.delete(id);
    }
    return due;
  }

  /** Forgets what is pending: everything has just been told. */
  clear(): void {
    this.#pending.clear();
  }
}
