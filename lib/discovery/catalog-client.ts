import type { CatalogStore } from '../catalog/catalog-store';
import type { ChangeRecord, ChangeStore } from '../changes/change-store';
import { contentHash } from '../model/canonical-json';
import { isDeleted, type CatalogEntry } from '../model/catalog-entry';
import { compareText } from '../model/compare';
import type { RegistryRow } from '../model/registry-row';
import { instancesOf, type ServiceInstance } from '../model/service-instance';
import { canonicalHostname, parseServiceKey, type ServiceKey } from '../model/service-key';
import type { RegistryStore } from '../polling/registry-store';
import { isoTime, type Clock } from '../runtime/clock';
import { judgeCompleteness, type Answer, type Completeness } from './completeness';
import type { ServiceDiscovery } from './service-discovery';

export type CatalogClientParts = {
  readonly catalog: CatalogStore;
  readonly registries: Pick<RegistryStore, 'list'>;
  readonly changes: ChangeStore;
  readonly clock: Clock;
  readonly staleAfterMs?: number;
};

/** Which changes to read: of one service, or of all since a time. */
export type ChangeQuery = {
  readonly key?: ServiceKey;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly limit?: number;
};

/** Reads the catalog, its registries and its history: the public face of the library. Writes nothing. */
export class CatalogClient implements ServiceDiscovery {
  readonly #parts: CatalogClientParts;

  constructor(parts: CatalogClientParts) {
    this.#parts = parts;
  }

  async services(): Promise<Answer<readonly CatalogEntry[]>> {
    return this.#answer(async () => byKey(await collect(this.#parts.catalog.list())));
  }

  /** The services of a namespace, by host name. */
  async servicesOfNamespace(namespace: string): Promise<Answer<readonly CatalogEntry[]>> {
    return this.#answer(async () => byKey(await collect(this.#parts.catalog.listNamespace(namespace))));
  }

  async getService(key: ServiceKey): Promise<Answer<CatalogEntry | undefined>> {
    return this.#answer(() => this.#entry(key));
  }

  /**
   * Services by what a person types: a key (`namespace/hostname`), a host name, or the short name that stands before the
   * first dot of a host name (`hello`, also `namespace/hello`). Several namespaces may have the same name.
   */
  async findServices(text: string): Promise<Answer<readonly CatalogEntry[]>> {
    return this.#answer(() => this.#find(text));
  }

  async instancesByPort(key: ServiceKey, portNumber: number): Promise<Answer<readonly ServiceInstance[]>> {
    return this.#answer(async () => {
      const entry = await this.#entry(key);
      return entry === undefined ? [] : instancesOf(entry, portNumber);
    });
  }

  async getServiceAccounts(key: ServiceKey): Promise<Answer<readonly string[]>> {
    return this.#answer(async () => (await this.#entry(key))?.serviceAccounts ?? []);
  }

  async hasSynced(): Promise<boolean> {
    const { registries, neverSynced } = await this.completeness();
    return registries.length > 0 && neverSynced.length === 0;
  }

  async registries(): Promise<readonly RegistryRow[]> {
    const rows = await this.#parts.registries.list();
    return [...rows].sort((a, b) => a.precedence - b.precedence || compareText(a.registry, b.registry));
  }

  async completeness(): Promise<Completeness> {
    const { registries, clock, staleAfterMs } = this.#parts;
    return judgeCompleteness(await registries.list(), clock.now(), staleAfterMs);
  }

  /** Changes since a time, oldest first; with a limit the newest ones of them. */
  async changes(query: ChangeQuery): Promise<readonly ChangeRecord[]> {
    const since = isoTime(query.sinceMs);
    const found =
      query.key === undefined
        ? await collect(this.#parts.changes.since(since, isoTime(this.#parts.clock.now())))
        : (await collect(this.#parts.changes.history(query.key)))
            .filter((record) => record.publishedAt >= since)
            .reverse();
    return query.limit === undefined ? found : found.slice(-query.limit);
  }

  async #entry(key: ServiceKey): Promise<CatalogEntry | undefined> {
    const record = await this.#parts.catalog.get(key);
    return record === undefined || isDeleted(record) ? undefined : record;
  }

  async #find(text: string): Promise<readonly CatalogEntry[]> {
    if (text.includes('/')) {
      const { key, namespace, hostname } = parseServiceKey(text);
      const exact = await this.#entry(key);
      if (exact !== undefined) return [exact];
      return byKey((await collect(this.#parts.catalog.listNamespace(namespace))).filter(hasShortName(hostname)));
    }
    const hostname = canonicalHostname(text);
    const exact = await collect(this.#parts.catalog.listHostname(hostname));
    if (exact.length > 0) return byKey(exact);
    return byKey((await collect(this.#parts.catalog.list())).filter(hasShortName(hostname)));
  }

  /** The registries are read before the data, so that an answer is never said to be more complete than it is. */
  async #answer<T>(read: () => Promise<T>): Promise<Answer<T>> {
    const completeness = await this.completeness();
    return { data: await read(), completeness };
  }
}

/** Names a view of several services by its content: equal views have equal names, wherever and whenever they were read. */
export function viewHash(entries: readonly CatalogEntry[]): string {
  return contentHash(byKey(entries).map(({ key, hash }) => [key, hash]));
}

function hasShortName(name: string): (entry: CatalogEntry) => boolean {
  return (entry) => entry.hostname.startsWith(`${name}.`) || entry.name === name;
}

function byKey(entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
  return [...entries].sort((a, b) => compareText(a.key, b.key));
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
