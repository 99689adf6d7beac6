import type { RegistryRow } from '../model/registry-row';
import { isoTime, type Clock } from '../runtime/clock';
import type { Fence, RegistryRowPatch, RegistryStore } from './registry-store';
import { supersededRun } from './superseded-run';
import { LEASE_MS } from './take-lease';

/** How often a lease is renewed (DESIGN "Lease and fence"). */
const RENEW_MS = 10_000;

/**
 * After so long without a renewal a run makes sure of its lease before it writes a snapshot: ten seconds before anybody can
 * have broken it, since a write takes its time too.
 */
const CONFIRM_MS = LEASE_MS - 10_000;

/** How soon a renewal that failed is tried again. */
const RETRY_MS = 1000;

/**
 * The registry's row in the hands of the run that has its lease. Whatever is written renews the lease and brings back what
 * others have asked for; what can wait goes along with the next writing. Writes happen one after the other.
 */
export class Lease {
  readonly fence: Fence;
  readonly #registries: RegistryStore;
  readonly #clock: Clock;
  readonly #onRow: (row: RegistryRow) => void;
  #row: RegistryRow;
  #waiting: RegistryRowPatch = {};
  #last: Promise<unknown> = Promise.resolve();
  #renewedMs: number;
  #dueMs: number;

  constructor(
    { registries, clock }: { readonly registries: RegistryStore; readonly clock: Clock },
    row: RegistryRow,
    owner: string,
    onRow: (row: RegistryRow) => void,
  ) {
    this.fence = { registry: row.registry, owner, generation: row.generation };
    this.#registries = registries;
    this.#clock = clock;
    this.#onRow = onRow;
    this.#row = row;
    this.#renewedMs = clock.now();
    this.#dueMs = clock.now() + RENEW_MS;
  }

  /** The row as it was last written or looked at, with what others had asked for by then. */
  get row(): RegistryRow {
    return this.#row;
  }

  /** Time until the lease has to be renewed, in milliseconds; zero or less when it is due. */
  get dueInMs(): number {
    return this.#dueMs - this.#clock.now();
  }

  /** Leaves the patch for the next writing. */
  note(patch: RegistryRowPatch): void {
    this.#waiting = { ...this.#waiting, ...patch };
  }

  /**
   * Writes the patch and what was noted. What could not be written is kept for the next time.
   * @throws SupersededError when another run has taken over; what the store throws.
   */
  async write(patch: RegistryRowPatch): Promise<void> {
    this.note(patch);
    const writing = this.#last.then(() => this.#write());
    this.#last = writing.catch(() => undefined);
    await writing;
  }

  /**
   * Makes sure that this run still has the registry. The fence of a snapshot knows only who wrote it last; a run that was
   * asleep must not touch those that its successor found unchanged.
   * @throws SupersededError when it has not; what the store throws when that cannot be said.
   */
  async confirm(): Promise<void> {
    if (this.#clock.now() - this.#renewedMs >= CONFIRM_MS) await this.write({});
  }

  /**
   * Looks at the row for what others have asked for. A look that a writing overtakes tells nothing that the writing did not.
   * @throws SupersededError when another run has taken over; what the store throws.
   */
  async look(): Promise<void> {
    const before = this.#row;
    const row = await this.#registries.get(this.fence.registry);
    if (this.#row !== before) return;
    const { owner, generation } = this.fence;
    if (row?.leaseOwner !== owner || row.generation !== generation) throw supersededRun(this.fence);
    this.#row = row;
    this.#onRow(row);
  }

  /** Gives the lease back, with what was noted. @throws SupersededError; what the store throws. */
  async release(): Promise<void> {
    await this.#last;
    await this.#registries.release(this.fence, this.#waiting);
  }

  async #write(): Promise<void> {
    const patch = this.#waiting;
    const nowMs = this.#clock.now();
    this.#waiting = {};
    try {
      this.#row = await this.#registries.update(this.fence, { ...patch, leaseUntil: isoTime(nowMs + LEASE_MS) });
      this.#renewedMs = nowMs;
      this.#dueMs = nowMs + RENEW_MS;
    } catch (error) {
      this.#waiting = { ...patch, ...this.#waiting };
      this.#dueMs = this.#clock.now() + RETRY_MS;
      throw error;
    }
    this.#onRow(this.#row);
  }
}
