import type { RegistryRow, RegistryState, Unreadable } from '../model/registry-row';
import type { ServiceKey } from '../model/service-key';
import type { StoredSnapshot } from '../model/service-snapshot';
import type { ItemTooLargeError } from '../model/store-errors';
import { SNAPSHOT_SCHEMA, type KnownSnapshot } from '../snapshots/snapshot-store';
import { CountHistory } from './count-history';
import type { Hold, ReleaseReason } from './decide-removals';
import type { KnownSnapshots } from './removal-guard';

/** A snapshot that was too large to be stored; the last good one stands. */
export type RefusedSnapshot = { readonly hash: string; readonly error: ItemTooLargeError };

/**
 * What a run remembers from reading to reading. It starts with what the tables say, and `known` follows them write by
 * write: what could not be written is not known, so that the next full reading brings it again.
 */
export class RunMemory {
  /** The registry's state after the last attempt. */
  state: RegistryState;
  /** What is held, which the row tells only in part. */
  hold: Hold | undefined;
  /** Why a hold has ended that the row still tells of. */
  released: ReleaseReason | undefined;
  /** What the last full reading could not read. */
  unreadable: readonly Unreadable[] = [];
  /** Attempts in a row that failed, or whose writes did. */
  troubles = 0;
  /** When the newest good reading was made, in milliseconds. */
  lastSuccessMs: number | undefined;
  /** When a snapshot was last written, in milliseconds. */
  lastChangeMs: number | undefined;
  /** Snapshots that were too large to be stored. */
  readonly refused = new Map<ServiceKey, RefusedSnapshot>();
  /** Services whose last write failed, so that nobody knows whether it took effect. */
  readonly unsure = new Set<ServiceKey>();
  /** Held services that were written as a union, with the hash of what the registry said of them. */
  readonly united = new Map<ServiceKey, string>();
  /** What the services had within the last minute. */
  readonly counts = new CountHistory();
  readonly #known = new Map<ServiceKey, KnownSnapshot>();

  constructor(row: RegistryRow) {
    this.state = row.state;
    this.hold = row.held === undefined ? undefined : { held: row.held, removals: undefined, suspects: new Set() };
    this.lastSuccessMs = row.lastSuccessAt === undefined ? undefined : Date.parse(row.lastSuccessAt);
    this.lastChangeMs = row.lastChangeAt === undefined ? undefined : Date.parse(row.lastChangeAt);
  }

  /** What the table holds, read consistently when the run begins. */
  learn(known: readonly KnownSnapshot[]): void {
    for (const snapshot of known) this.#known.set(snapshot.key, snapshot);
  }

  get known(): KnownSnapshots {
    return this.#known;
  }

  get endpoints(): number {
    return [...this.#known.values()].reduce((sum, { endpointCount }) => sum + endpointCount, 0);
  }

  written(snapshot: StoredSnapshot, atMs: number): void {
    this.#changed(snapshot.key, snapshot.endpoints.length, atMs);
    this.#known.set(snapshot.key, knownOf(snapshot));
    this.refused.delete(snapshot.key);
  }

  removed(key: ServiceKey, atMs: number): void {
    this.#changed(key, undefined, atMs);
    this.#known.delete(key);
    this.refused.delete(key);
  }

  /** What turned out to stand in the table of the services that were unsure. */
  settle(found: readonly StoredSnapshot[]): void {
    for (const key of this.unsure) this.#known.delete(key);
    for (const snapshot of found) this.#known.set(snapshot.key, knownOf(snapshot));
    this.unsure.clear();
  }

  #changed(key: ServiceKey, after: number | undefined, atMs: number): void {
    this.lastChangeMs = atMs;
    const before = this.#known.get(key)?.endpointCount;
    if (before !== undefined && before !== after) this.counts.changed(key, before, atMs);
  }
}

function knownOf({ key, hash, precedence, sources, endpoints, endpointAccounts }: StoredSnapshot): KnownSnapshot {
  return {
    key,
    hash,
    precedence,
    schema: SNAPSHOT_SCHEMA,
    sources,
    endpointCount: endpoints.length,
    endpointAccounts,
  };
}
