import type { RegistryId } from '../../lib/model/registry-id';
import type { RegistryRow } from '../../lib/model/registry-row';
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
  readonly fence?: Fence;
  readonly patch?: RegistryRowPatch;
  readonly put?: StoredSnapshot;
  readonly removed?: SnapshotTombstone;
};

/** Stands before and behind each call of a store: may throw in either place, and so before or after it took effect. */
export type Gate = {
  before?(call: StoreCall): void | Promise<void>;
  after?(call: StoreCall): void;
};

async function through<T>(gate: Gate, call: StoreCall, act: () => Promise<T>): Promise<T> {
  await gate.before?.(call);
  const result = await act();
  gate.after?.(call);
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
    return through(this.#gate, { name: `put ${snapshot.key}`, write: true, put: snapshot }, () =>
      this.#inner.put(snapshot),
    );
  }

  remove(tombstone: SnapshotTombstone): Promise<void> {
    const call = { name: `remove ${tombstone.key}`, write: true, removed: tombstone };
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
