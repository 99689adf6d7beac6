import { endpointKey } from '../../lib/model/endpoint';
import type { ServiceKey } from '../../lib/model/service-key';
import type { StoredSnapshot } from '../../lib/model/service-snapshot';
import type { GuardPolicy } from '../../lib/polling/poll-settings';
import type { FullReading, RegistryReading } from '../../lib/registries/registry';
import type { StoreCall } from './watched-stores';

/** A reading that the poller was given; without `reading` it failed. */
type Given = {
  readonly at: number;
  readonly reading: RegistryReading | undefined;
  /** What was stored when it was given. */
  readonly services: number;
  readonly endpoints: number;
};

/** Something that left the tables: a service, or some of its endpoints. */
type Loss = {
  readonly key: ServiceKey;
  readonly endpoints: readonly string[];
  readonly service: boolean;
  /** How many endpoints fewer there are; those that were replaced by others are no loss in number. */
  readonly fewer: number;
};

/**
 * Holds every write of a poller against the readings that it was given, by rules of its own that know nothing of how the
 * poller decides:
 *
 * - what leaves is missing from the newest reading, and that reading could read everything that it was last seen in;
 * - what leaves together with more than the guard's limits was missing from the last so many complete readings in a row,
 *   long enough; or something has been held for `maxHold`.
 */
export class Evidence {
  readonly violations: string[] = [];
  readonly #policy: GuardPolicy;
  /** How much earlier than the poller's own sight of a hold may it end: one interval. */
  readonly #toleranceMs: number;
  readonly #stored = new Map<ServiceKey, StoredSnapshot>();
  readonly #given: Given[] = [];
  #losses: Loss[] = [];
  #heldSince: number | undefined;

  constructor(policy: GuardPolicy, toleranceMs: number) {
    this.#policy = policy;
    this.#toleranceMs = toleranceMs;
  }

  get stored(): ReadonlyMap<ServiceKey, StoredSnapshot> {
    return this.#stored;
  }

  /** The poller is about to see this reading, or an error; `held` tells whether its row says by now that something is held. */
  give(reading: RegistryReading | undefined, at: number, held: boolean): void {
    const endpoints = [...this.#stored.values()].reduce((sum, snapshot) => sum + snapshot.endpoints.length, 0);
    // What is held by now and was not at the last reading is held since that one.
    this.#heldSince = held ? (this.#heldSince ?? this.#given.at(-1)?.at ?? at) : undefined;
    this.#given.push({ at, reading, services: this.#stored.size, endpoints });
    this.#losses = [];
  }

  /** A call to the tables took effect. */
  took({ put, removed }: StoreCall): void {
    const key = put?.key ?? removed?.key;
    if (key === undefined) return;
    const loss = this.#lossBy(key, put);
    if (put === undefined) this.#stored.delete(key);
    else this.#stored.set(key, put);
    if (loss === undefined) return;
    this.#losses.push(loss);
    this.#judgeReading(loss, key);
    if (this.#isMass() && !this.#removals().every((each) => this.#isConfirmed(each)) && !this.#hasExpired()) {
      this.violations.push(`${key}: a mass removal that nothing confirmed`);
    }
  }

  #lossBy(
    key: ServiceKey,
    put: StoredSnapshot | undefined,
  ): (Loss & { readonly sources: readonly string[] }) | undefined {
    const before = this.#stored.get(key);
    if (before === undefined) return undefined;
    const after = new Set(put?.endpoints.map(endpointKey));
    const endpoints = before.endpoints.map(endpointKey).filter((endpoint) => !after.has(endpoint));
    if (put !== undefined && endpoints.length === 0) return undefined;
    const fewer = Math.max(0, before.endpoints.length - (put?.endpoints.length ?? 0));
    return { key, endpoints, service: put === undefined, fewer, sources: before.sources };
  }

  #judgeReading(loss: Loss & { readonly sources?: readonly string[] }, key: ServiceKey): void {
    const reading = this.#given.at(-1)?.reading;
    if (reading === undefined) this.violations.push(`${key}: something left by a failed reading`);
    else if (!lacks(reading, loss)) this.violations.push(`${key}: something left that the reading has`);
    const lastFull = this.#given.findLast((given) => given.reading?.type === 'full')?.reading;
    const unreadable = lastFull?.type === 'full' ? lastFull.unreadable.map(({ source }) => source) : [];
    if ((loss.sources ?? []).some((source) => unreadable.includes(source))) {
      this.violations.push(`${key}: something left whose source was unreadable`);
    }
  }

  /** What counts as taken away: an endpoint that another one replaces in the same writing does not. */
  #removals(): readonly Loss[] {
    return this.#losses.filter(({ service, fewer }) => service || fewer > 0);
  }

  #isMass(): boolean {
    const given = this.#given.at(-1);
    const over = (lost: number, of: number): boolean =>
      lost > this.#policy.maxRemoved && lost * 100 > this.#policy.maxRemovedPercent * of;
    const services = this.#losses.filter(({ service }) => service).length;
    const endpoints = this.#losses.reduce((sum, loss) => sum + loss.fewer, 0);
    return over(services, given?.services ?? 0) || over(endpoints, given?.endpoints ?? 0);
  }

  #isConfirmed(loss: Loss): boolean {
    const fulls = this.#given.filter(({ reading }) => reading?.type !== 'delta');
    const isLacking = ({ reading }: Given): boolean =>
      reading !== undefined && isComplete(reading) && lacks(reading, loss);
    const row = fulls.slice(fulls.findLastIndex((given) => !isLacking(given)) + 1);
    const spanMs = (row.at(-1)?.at ?? 0) - (row[0]?.at ?? 0);
    return row.length >= this.#policy.confirmations && spanMs >= this.#policy.minHoldMs;
  }

  #hasExpired(): boolean {
    const now = this.#given.at(-1)?.at ?? 0;
    return this.#heldSince !== undefined && now - this.#heldSince >= this.#policy.maxHoldMs - this.#toleranceMs;
  }
}

function isComplete(reading: RegistryReading): reading is FullReading {
  return reading.type === 'full' && reading.unreadable.length === 0;
}

/** Whether the reading says that it is gone: by its absence from a full one, by name in a delta. */
function lacks(reading: RegistryReading, { key, endpoints, service }: Loss): boolean {
  const told = (reading.type === 'full' ? reading.snapshots : reading.upserts).find((snapshot) => snapshot.key === key);
  if (told === undefined) return reading.type === 'full' || reading.removals.includes(key);
  const has = new Set(told.endpoints.map(endpointKey));
  return !service && endpoints.every((endpoint) => !has.has(endpoint));
}
