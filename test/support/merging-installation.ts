import type { ServiceChangeEvent } from '../../lib/changes/pilotless-event';
import { isDeleted, type CatalogEntry } from '../../lib/model/catalog-entry';
import type { RegistryId } from '../../lib/model/registry-id';
import type { ServiceKey } from '../../lib/model/service-key';
import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import { mergePushRequests } from '../../lib/push/merge-push-requests';
import { pushRequestOf } from '../../lib/push/push-request-of';
import type { PushRequest } from '../../lib/push/push-request';
import { Installation, MortalProcess } from './mortal-installation';
import { full } from './readings';

/** What readings led to: the changes told, and the one push request that they merge into. */
export type Outcome = {
  readonly events: readonly ServiceChangeEvent[];
  readonly push: PushRequest | undefined;
};

/** Registries that a test reads one by one, all stages behind them, and what comes out: catalog, events, pushes. */
export class MergingInstallation {
  readonly #installation = new Installation();
  readonly #process = new MortalProcess(this.#installation, undefined);
  readonly #precedence: readonly RegistryId[];

  /** @param registries in the order of their precedence */
  constructor(...registries: readonly RegistryId[]) {
    this.#precedence = registries;
  }

  /** Reads the registries in this order; all that they led to. A list is a full reading, an error a failed one. */
  async read(told: Readonly<Partial<Record<RegistryId, readonly ServiceSnapshot[] | Error>>>): Promise<Outcome> {
    const before = this.#installation.told.length;
    await this.#installation.clock.advance(1000);
    for (const registry of this.#precedence) {
      const script = told[registry];
      if (script === undefined) continue;
      await this.#process.poll(
        registry,
        this.#precedence.indexOf(registry),
        script instanceof Error ? script : full(script),
      );
    }
    await this.#process.aggregate(this.#process.snapshotStream.splice(0));
    await this.#process.publish(this.#process.catalogStream.splice(0));
    const events = this.#installation.told.slice(before);
    const [first, ...others] = events.map(({ detail }) => pushRequestOf(detail, detail.metadata.id));
    return { events, push: first === undefined ? undefined : mergePushRequests(first, ...others) };
  }

  /** `undefined` when the service is not in the catalog. */
  async entry(key: ServiceKey): Promise<CatalogEntry | undefined> {
    const record = await this.#installation.catalog.get(key);
    return record === undefined || isDeleted(record) ? undefined : record;
  }

  /** Every entry, without what tells when it came. */
  async catalog(): Promise<readonly unknown[]> {
    const records = [...(await this.#installation.records('catalog')).values()];
    return records.flatMap((record) => (isDeleted(record) ? [] : [{ key: record.key, hash: record.hash }]));
  }
}
