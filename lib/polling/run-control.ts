import type { RegistryRow } from '../model/registry-row';

/** Why a run ended: it was asked for one reading, its time was over, another run took over, or it was told to stop. */
export type EndReason = 'once' | 'max-run' | 'handover' | 'superseded' | 'stopped';

/** What a run is told to do while it reads and waits: read everything now, or end. */
export class RunControl {
  /** A watch is open and tells of every change: what is known is as new as now. */
  watching = false;
  readonly #ending = new AbortController();
  #fullReading = new AbortController();
  #reason: EndReason | undefined;
  #requestServed: string | undefined;

  /** Aborts when the run has to end. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Aborts when a full reading is wanted before its time, and when the run has to end. */
  get interrupted(): AbortSignal {
    return this.#fullReading.signal;
  }

  /** Why the run ends; `undefined` while it does not. */
  get reason(): EndReason | undefined {
    return this.#reason;
  }

  /** @returns the reason that counts: the first one. */
  end(reason: EndReason): EndReason {
    this.#reason ??= reason;
    this.#ending.abort();
    this.#fullReading.abort();
    return this.#reason;
  }

  /** A full reading begins: it serves every request that stood in the row by now. */
  beginFullReading(row: RegistryRow): void {
    this.#requestServed = row.requestedAt;
    if (!this.ending.aborted) this.#fullReading = new AbortController();
  }

  /**
   * Looks for what others have asked for. A request is known by its value and not compared with the time of the last
   * reading, since it was written by another machine's clock.
   */
  consider(row: RegistryRow): void {
    if (row.handover !== undefined) this.end('handover');
    if (this.isUnserved(row)) this.#fullReading.abort();
  }

  /** Whether the row asks for a reading that no reading of this run has served. */
  isUnserved(row: RegistryRow | undefined): boolean {
    return row?.requestedAt !== undefined && row.requestedAt !== this.#requestServed;
  }
}
