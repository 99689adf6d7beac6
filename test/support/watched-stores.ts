import type { CatalogStore, KeyedVersion } from '../../lib/catalog/catalog-store';
import type { ChangeRecord, ChangeStore } from '../../lib/changes/change-store';
import type { PublishedStore } from '../../lib/changes/published-store';
import type { CatalogRecord } from '../../lib/model/catalog-entry';
import type { RegistryId } from '../../lib/model/registry-id';
import type { RegistryRow } from '../../lib/model/registry-row';
import type { ServiceKey } from '../../lib/model/service-key';
import type { SnapshotTombstone, StoredSnapshot } from '../../lib/model/service-snapshot';
import type { Fence, LeaseRequest, RegistryRowPatch, RegistryStore } from '../../lib/polling/registry-store';
import type {
  KnownSnapshot,
  SnapshotAddress,
  SnapshotStore,
  StoredSnapshots,
} from '../../lib/snapshots/snapshot-store';

/** A call to a store: `put shop/web.shop`. */
export type StoreCall = {
  readonly name: string;
  readonly write: boolean;
  readonly fence?: Fence | undefined;
  /** Of what is written. */
  readonly key?: ServiceKey | undefined;
  readonly patch?: RegistryRowPatch;
  readonly put?: StoredSnapshot;
  readonly removed?: SnapshotTombstone;
};

/** Stands before and behind each call of a store: may throw in either place, and so before or after it took effect. */
export type Gate = {
  before?(call: StoreCall): void | Promise<void>;
  after?(call: StoreCall): void | Promise<void>;
};

/** Takes a call through the gate. */
export async function through<T>(gate: Gate, call: StoreCall, act: () => Promise<T>): Promise<T> {
  await gate.before?.(call);
  const result = await act();
  await gate.after?.(call);
  return result;
}

/** A snapshot store with somebody at its door. */
export class WatchedSnapshots implements SnapshotStore {
  readonly #inner: SnapshotStore;
  readonly #gate: Gate;

  constructor(inner: SnapshotStore, gate: Gate) {
    this.#inner = inner;
    this.#gate = gate;
  }

  known(registry: RegistryId): Promise<readonly KnownSnapshot[]> {
    return through(this.#gate, { name: 'known', write: false }, () => this.#inner.known(registry));
  }

  getMany(addresses: readonly SnapshotAddress[]): Promise<StoredSnapshots> {
    return through(this.#gate, { name: 'getMany', write: false }, () => this.#inner.getMany(addresses));
  }

  put(snapshot: StoredSnapshot): Promise<void> {
    const { key } = snapshot;
    return through(this.#gate, { name: `put ${key}`, write: true, key, put: snapshot }, () =>
      this.#inner.put(snapshot),
    );
  }

  remove(tombstone: SnapshotTombstone): Promise<void> {
    const { key } = tombstone;
    const call = { name: `remove ${key}`, write: true, key, removed: tombstone };
    return through(this.#gate, call, () => this.#inner.remove(tombstone));
  }
}

/** A registry store with somebody at its door. */
export class WatchedRegistries implements RegistryStore {
  readonly #inner: RegistryStore;
  readonly #gate: Gate;

  constructor(inner: RegistryStore, gate: Gate) {
    this.#inner = inner;
    this.#gate = gate;
  }

  get(registry: RegistryId): Promise<RegistryRow | undefined> {
    return through(this.#gate, { name: 'get', write: false }, () => this.#inner.get(registry));
  }

  list(): Promise<readonly RegistryRow[]> {
    return through(this.#gate, { name: 'list', write: false }, () => this.#inner.list());
  }

  acquire(request: LeaseRequest): Promise<RegistryRow | undefined> {
    return through(this.#gate, { name: 'acquire', write: true }, () => this.#inner.acquire(request));
  }

  update(fence: Fence, patch: RegistryRowPatch): Promise<RegistryRow> {
    return through(this.#gate, { name: 'update', write: true, fence, patch }, () => this.#inner.update(fence, patch));
  }

  release(fence: Fence, patch: RegistryRowPatch): Promise<void> {
    return through(this.#gate, { name: 'release', write: true, fence, patch }, () => this.#inner.release(fence, patch));
  }

  request(registry: RegistryId, wish: Parameters<RegistryStore['request']>[1]): Promise<RegistryRow | undefined> {
    return through(this.#gate, { name: 'request', write: true }, () => this.#inner.request(registry, wish));
  }
}

/** A catalog or Published store, as far as the stages use it, with somebody at its door. */
export class WatchedRecords implements Pick<CatalogStore & PublishedStore, 'get' | 'put' | 'versions'> {
  readonly #inner: PublishedStore;
  readonly #table: 'catalog' | 'published';
  readonly #gate: Gate;

  constructor(inner: PublishedStore, table: 'catalog' | 'published', gate: Gate) {
    this.#inner = inner;
    this.#table = table;
    this.#gate = gate;
  }

  get(key: ServiceKey): Promise<CatalogRecord | undefined> {
    return through(this.#gate, { name: `${this.#table} get`, write: false }, () => this.#inner.get(key));
  }

  put(record: CatalogRecord, expected: number | undefined): Promise<void> {
    return through(this.#gate, { name: `${this.#table} put`, write: true, key: record.key }, () =>
      this.#inner.put(record, expected),
    );
  }

  async *versions(): AsyncIterable<KeyedVersion> {
    await this.#gate.before?.({ name: `${this.#table} versions`, write: false });
    yield* this.#inner.versions();
  }
}

/** A change store with somebody at its door. */
export class WatchedChanges implements ChangeStore {
  readonly #inner: ChangeStore;
  readonly #gate: Gate;

  constructor(inner: ChangeStore, gate: Gate) {
    this.#inner = inner;
    this.#gate = gate;
  }

  put(record: ChangeRecord): Promise<void> {
    return through(this.#gate, { name: 'change put', write: true }, () => this.#inner.put(record));
  }

  async *history(key: ServiceKey, options?: { readonly limit?: number }): AsyncIterable<ChangeRecord> {
    await this.#gate.before?.({ name: 'change history', write: false });
    yield* this.#inner.history(key, options);
  }

  async *since(since: string, until: string): AsyncIterable<ChangeRecord> {
    await this.#gate.before?.({ name: 'change since', write: false });
    yield* this.#inner.since(since, until);
  }
}
