import type { CatalogStore } from '../catalog/catalog-store';
import type { ServiceKey } from '../model/service-key';
import type { RegistryId } from '../model/registry-id';
import type { RegistryStore } from '../polling/registry-store';
import type { SnapshotStore } from '../snapshots/snapshot-store';

/** The stores of an installation in one process tell of what is written to them: that is what streams are on AWS. */

/** A snapshot store that names each key whose snapshot was written or removed. */
export function observedSnapshots(store: SnapshotStore, written: (key: ServiceKey) => void): SnapshotStore {
  return {
    known: (registry) => store.known(registry),
    getMany: (addresses) => store.getMany(addresses),
    put: async (snapshot) => {
      await store.put(snapshot);
      written(snapshot.key);
    },
    remove: async (tombstone) => {
      await store.remove(tombstone);
      written(tombstone.key);
    },
  };
}

/** A catalog store that names each key whose record was written. */
export function observedCatalog(store: CatalogStore, written: (key: ServiceKey) => void): CatalogStore {
  return {
    get: (key) => store.get(key),
    versions: () => store.versions(),
    list: () => store.list(),
    listNamespace: (namespace) => store.listNamespace(namespace),
    listHostname: (hostname) => store.listHostname(hostname),
    put: async (record, expected) => {
      await store.put(record, expected);
      written(record.key);
    },
  };
}

export type RegistryObserver = {
  /** A run has the registry, which has a row from now on. */
  readonly acquired: (registry: RegistryId) => void;
  /** The registry's row says that it was read, well or not. */
  readonly attempted: (registry: RegistryId) => void;
};

/** A registry store that tells of each registry what becomes of it. */
export function observedRegistries(store: RegistryStore, { acquired, attempted }: RegistryObserver): RegistryStore {
  return {
    get: (registry) => store.get(registry),
    list: () => store.list(),
    acquire: async (request) => {
      const row = await store.acquire(request);
      acquired(request.registry);
      return row;
    },
    request: (registry, wish) => store.request(registry, wish),
    update: async (fence, patch) => {
      const row = await store.update(fence, patch);
      if (patch.lastAttemptAt !== undefined) attempted(fence.registry);
      return row;
    },
    release: async (fence, patch) => {
      await store.release(fence, patch);
      if (patch.lastAttemptAt !== undefined) attempted(fence.registry);
    },
  };
}
