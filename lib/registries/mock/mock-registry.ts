import { makeRegistryId } from '../../model/registry-id';
import { compareText } from '../../model/compare';
import { serviceKeyOf } from '../../model/service';
import { makeServiceSnapshot, type ServiceSnapshot } from '../../model/service-snapshot';
import type { Clock } from '../../runtime/clock';
import type { FullReading, Registry } from '../registry';
import { applyFaults, sourceOf } from './apply-faults';
import { generateFleet } from './mock-fleet';
import { walkthroughServices, type MockNames, type MockService } from './mock-services';
import type { MockSettings } from './settings';

export type MockRegistryOptions = {
  readonly cluster: string;
  readonly names: MockNames;
  readonly settings: MockSettings;
  readonly clock: Clock;
};

/** Endpoints a service of a fleet whose number of endpoints is not given. */
const ENDPOINTS_PER_SERVICE = 2;

/** Addresses that the fleet of each cluster name has to itself, as far as names go by their numbers. */
const ADDRESSES_PER_CLUSTER = 1_000_000;

/**
 * A registry without anything behind it: two hard-coded test services, or a generated fleet; and everything that can go
 * wrong with a registry, on purpose and repeatably.
 */
export class MockRegistry implements Registry {
  readonly provider = 'Mock';
  readonly cluster: string;
  readonly #options: MockRegistryOptions;
  readonly #services: readonly MockService[];
  /** Hashing a fleet takes its time; what no fault has touched is the same in every reading. */
  readonly #snapshots = new WeakMap<MockService, ServiceSnapshot>();
  #reading = 0;

  constructor(options: MockRegistryOptions) {
    this.cluster = options.cluster;
    this.#options = options;
    this.#services = [...servicesOf(options)].sort((a, b) =>
      compareText(serviceKeyOf(a.service), serviceKeyOf(b.service)),
    );
  }

  async *read(signal: AbortSignal): AsyncGenerator<FullReading, void, void> {
    this.#reading += 1;
    const { clock, settings } = this.#options;
    const { services, unreadable, delayMs } = applyFaults(this.#services, settings.faults ?? [], this.#reading);
    if (delayMs > 0) await clock.delay(delayMs, signal);
    if (signal.aborted) return;
    const snapshots = services.map((service) => this.#snapshotOf(service));
    yield { type: 'full', snapshots, unreadable, notes: [], cost: { requests: 1, bytes: 0 } };
  }

  #snapshotOf(service: MockService): ServiceSnapshot {
    const made = this.#snapshots.get(service);
    if (made !== undefined) return made;
    const registry = makeRegistryId(this.provider, this.cluster);
    const snapshot = makeServiceSnapshot({ ...service, registry, sources: [sourceOf(service)] });
    this.#snapshots.set(service, snapshot);
    return snapshot;
  }
}

function servicesOf({ cluster, names, settings }: MockRegistryOptions): readonly MockService[] {
  const { services, endpoints } = settings;
  if (services === undefined && endpoints === undefined) return walkthroughServices(names);
  const count = services ?? 1;
  const size = { services: count, endpoints: endpoints ?? count * ENDPOINTS_PER_SERVICE };
  return generateFleet(size, names, fleetOffset(cluster));
}

/** `fleet-3` has the fourth million of addresses; a name without a number the first. */
function fleetOffset(cluster: string): number {
  const number = Number(/(\d+)$/.exec(cluster)?.[1] ?? 0);
  return (number % 16) * ADDRESSES_PER_CLUSTER;
}
