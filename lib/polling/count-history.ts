import type { ServiceKey } from '../model/service-key';
import type { EarlierCounts } from './removal-guard';

/** How far the removal guard looks back (DESIGN "Removal guard": the deltas of the last minute). */
const WINDOW_MS = 60_000;

/** How many endpoints the services of a registry had, for a minute. */
export class CountHistory {
  #changes: { readonly atMs: number; readonly key: ServiceKey; readonly before: number }[] = [];

  /** The number of a service's endpoints changes from `before`. */
  changed(key: ServiceKey, before: number, atMs: number): void {
    this.#changes.push({ atMs, key, before });
  }

  /** What the services had at the beginning of the minute before `nowMs`, where their numbers have changed in it. */
  before(nowMs: number): EarlierCounts {
    this.#changes = this.#changes.filter(({ atMs }) => nowMs - atMs < WINDOW_MS);
    const counts = new Map<ServiceKey, number>();
    for (const { key, before } of this.#changes) if (!counts.has(key)) counts.set(key, before);
    return counts;
  }

  forget(): void {
    this.#changes = [];
  }
}
