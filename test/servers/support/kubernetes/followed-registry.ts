import type { Unreadable } from '../../../../lib/model/registry-row';
import type { ServiceKey } from '../../../../lib/model/service-key';
import type { ServiceSnapshot } from '../../../../lib/model/service-snapshot';
import type { Registry, RegistryReading } from '../../../../lib/registries/registry';

const RESTART_MS = 200;

/**
 * Follows a registry as polling does, as far as a test needs it: applies readings to what is known by the rules of partial
 * readings, and starts a reading anew when one fails.
 */
export class FollowedRegistry {
  readonly snapshots = new Map<ServiceKey, ServiceSnapshot>();
  readonly readings: RegistryReading[] = [];
  readonly errors: string[] = [];
  /** Every key that was ever removed. */
  readonly removals: ServiceKey[] = [];
  unreadable: readonly Unreadable[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #waiters: (() => void)[] = [];

  constructor(registry: Registry) {
    this.#running = this.#run(registry);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  get fullReadings(): number {
    return this.readings.filter(({ type }) => type === 'full').length;
  }

  /** Resolves when the condition holds; asked anew after each reading. @throws Error after 30 s, saying what was there. */
  async until(what: string, condition: (followed: this) => boolean): Promise<void> {
    const deadline = AbortSignal.timeout(30_000);
    while (!condition(this)) {
      await new Promise<void>((resolve, reject) => {
        this.#waiters.push(resolve);
        deadline.addEventListener('abort', () => reject(new Error(`${what}: not so\n${this.#summary()}`)), {
          once: true,
        });
      });
    }
  }

  async #run(registry: Registry): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        for await (const reading of registry.read(this.#stop.signal)) this.#apply(reading);
      } catch (error) {
        this.errors.push(String(error));
        this.#wake();
        await pause(RESTART_MS, this.#stop.signal);
      }
    }
  }

  #apply(reading: RegistryReading): void {
    this.readings.push(reading);
    if (reading.type === 'full') this.#applyFull(reading.snapshots, reading.unreadable);
    else {
      for (const snapshot of reading.upserts) this.snapshots.set(snapshot.key, snapshot);
      for (const key of reading.removals) this.#remove(key);
    }
    this.#wake();
  }

  #applyFull(snapshots: readonly ServiceSnapshot[], unreadable: readonly Unreadable[]): void {
    this.unreadable = unreadable;
    const frozen = ({ sources }: ServiceSnapshot) =>
      sources.some((source) =>
        unreadable.some((one) => one.source === source || (one.source.endsWith('/') && source.startsWith(one.source))),
      );
    const present = new Set(snapshots.map(({ key }) => key));
    for (const [key, known] of this.snapshots) if (!present.has(key) && !frozen(known)) this.#remove(key);
    for (const snapshot of snapshots) if (!frozen(snapshot)) this.snapshots.set(snapshot.key, snapshot);
  }

  #remove(key: ServiceKey): void {
    this.snapshots.delete(key);
    this.removals.push(key);
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  #summary(): string {
    const services = [...this.snapshots.values()].map(
      ({ key, endpoints }) => `${key}: ${endpoints.map(({ addresses }) => addresses.join('+')).join(' ')}`,
    );
    return [...services, ...this.unreadable.map(({ reason }) => reason), ...this.errors].join('\n');
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
