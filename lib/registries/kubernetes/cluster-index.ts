/** Many-to-many index from a key to the ids behind it; empty entries do not stay. */
export class ClusterIndex<Key, Id> {
  readonly #entries = new Map<Key, Set<Id>>();

  add(key: Key, id: Id): void {
    const ids = this.#entries.get(key);
    if (ids === undefined) this.#entries.set(key, new Set([id]));
    else ids.add(id);
  }

  delete(key: Key, id: Id): void {
    const ids = this.#entries.get(key);
    if (ids === undefined) return;
    ids.delete(id);
    if (ids.size === 0) this.#entries.delete(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get(key: Key): Iterable<Id> {
    return this.#entries.get(key) ?? [];
  }

  keys(): Iterable<Key> {
    return this.#entries.keys();
  }
}
