import type { RegistryId } from '../model/registry-id';
import type { RegistryStore } from '../polling/registry-store';

/**
 * The registries that have a row, kept in memory: only this process makes rows, and none ever goes. So the aggregation of a
 * service does not have to ask the table whose snapshots there may be.
 */
export class KnownRegistries {
  readonly #store: Pick<RegistryStore, 'list'>;
  readonly #known = new Set<RegistryId>();
  #loaded: Promise<void> | undefined;

  constructor(store: Pick<RegistryStore, 'list'>) {
    this.#store = store;
  }

  add(registry: RegistryId): void {
    this.#known.add(registry);
  }

  /** As complete as the table. @throws what the table throws, until it has been read once. */
  async list(): Promise<readonly { readonly registry: RegistryId }[]> {
    this.#loaded ??= this.#load();
    await this.#loaded;
    return [...this.#known].map((registry) => ({ registry }));
  }

  async #load(): Promise<void> {
    try {
      for (const { registry } of await this.#store.list()) this.#known.add(registry);
    } catch (error) {
      this.#loaded = undefined;
      throw error;
    }
  }
}
