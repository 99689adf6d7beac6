import { randomUUID } from 'node:crypto';
import type { Configuration, RegistryConfiguration } from '../bootstrap/configuration';
import { createRegistry } from '../bootstrap/create-registry';
import {
  isServiceChange,
  PUSH_EVENT_TYPE,
  type PushRequestedEvent,
  type ServiceChangeEvent,
} from '../changes/pilotless-event';
import { CatalogClient } from '../discovery/catalog-client';
import { describeError } from '../model/app-error';
import { PushDebouncer } from '../push/push-debouncer';
import type { PushRequest } from '../push/push-request';
import { pushRequestOf, pushRequestOfAll } from '../push/push-request-of';
import { requestPush } from '../push/request-push';
import type { ProviderDefinition } from '../registries/provider-definition';
import type { Registry } from '../registries/registry';
import { isoTime, type Clock } from '../runtime/clock';
import { dynamoDbStores, type Stores } from '../runtime/dynamodb-stores';
import type { Log } from '../runtime/log';
import type { Metrics } from '../runtime/metrics';
import { startDynaliteDatabase, type EmbeddedDatabase } from './dynalite-database';
import { sweepExpired } from './dynamodb-expiry-sweep';
import { EmbeddedPipeline } from './embedded-pipeline';
import { EmbeddedPoller } from './embedded-poller';
import { removeEndpoint, writeEndpoint } from './endpoint-file';
import { EventBus, type EventHandler } from './event-bus';
import { FirstAttempts } from './first-attempts';
import { observedRegistries } from './observed-stores';

export type EmbeddedServerOptions = {
  readonly configuration: Configuration;
  readonly providers: readonly ProviderDefinition[];
  /** Folder that relative paths of the configuration are relative to. */
  readonly baseDir: string;
  /** Loopback port of the tables; any free one when absent or 0. */
  readonly port?: number;
  /** Keeps the tables in this folder; in memory when absent. */
  readonly dataDir?: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

type MadeRegistry = { readonly configuration: RegistryConfiguration; readonly registry: Registry };

/** How often everything is looked at anew, as by the schedule of the `reconcile` function. */
const RECONCILE_EVERY_MS = 15 * 60_000;

/** How long `stop` waits for a registry's reading to end; what it has not written is read again by the next start. */
const STOP_GRACE_MS = 3000;

/** How long `firstReadings` waits for a registry that hangs: one unreachable cluster must not stop all (istio 30838). */
const FIRST_READINGS_MS = 5000;

/**
 * All stages in one process: the same code as the functions on AWS, on tables of its own, chained by calls.
 *
 * Opening it makes the tables and the registries; nothing is read before `start` or `readOnce`, so that handlers that are
 * appended in between miss no event.
 */
export class EmbeddedServer {
  /** The catalog and what is known of its registries. */
  readonly catalog: CatalogClient;
  /** URL of the tables, for any DynamoDB client. */
  readonly endpoint: string;
  readonly #options: EmbeddedServerOptions;
  readonly #database: EmbeddedDatabase;
  readonly #stores: Stores;
  readonly #bus: EventBus;
  readonly #pipeline: EmbeddedPipeline;
  readonly #pushes: PushDebouncer;
  readonly #pollers: readonly EmbeddedPoller[];
  readonly #firstAttempts: FirstAttempts;
  readonly #stopping = new AbortController();
  /** Requests that wait for the first readings; `undefined` when none have to. */
  #early: PushRequest[] | undefined;
  #running: Promise<unknown> = Promise.resolve();

  /** @throws AppError when the tables cannot be opened or a registry refuses its settings. */
  static async open(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
    const { configuration, providers, baseDir } = options;
    const registries = await Promise.all(
      configuration.registries.map(async (registry) => ({
        configuration: registry,
        registry: await createRegistry(registry, providers, baseDir),
      })),
    );
    const database = await startDynaliteDatabase(options);
    if (options.dataDir !== undefined) await writeEndpoint(options.dataDir, database.endpoint);
    return new EmbeddedServer(options, database, registries);
  }

  private constructor(options: EmbeddedServerOptions, database: EmbeddedDatabase, registries: readonly MadeRegistry[]) {
    const { configuration, clock, log, metrics } = options;
    const stores = dynamoDbStores(database.client, database.tableNames, clock);
    this.#options = options;
    this.#stores = stores;
    this.#database = database;
    this.endpoint = database.endpoint;
    this.catalog = new CatalogClient({ ...stores, clock });
    this.#bus = new EventBus(log);
    this.#pipeline = new EmbeddedPipeline({ stores, bus: this.#bus, clock, log, metrics, newId: randomUUID });
    this.#firstAttempts = new FirstAttempts(configuration.registries.map(({ id }) => id));
    this.#pushes = new PushDebouncer({
      settings: configuration.push,
      clock,
      log,
      push: (request) => requestPush(request, { events: this.#bus, clock, log, metrics }),
    });
    this.#bus.append((event) => {
      if (isServiceChange(event)) this.#push(pushRequestOf(event.detail, randomUUID()));
    });
    const polling = {
      registries: observedRegistries(stores.registries, {
        acquired: (registry) => this.#pipeline.registries.add(registry),
        attempted: (registry) => this.#firstAttempts.saw(registry),
      }),
      snapshots: this.#pipeline.snapshots,
      events: this.#bus,
      clock,
      log,
      metrics,
      random: Math.random,
    };
    this.#pollers = registries.map(
      ({ registry, configuration: own }) => new EmbeddedPoller({ ...polling, registry }, own, randomUUID),
    );
  }
  /** The handler is called with every event of the bus. */
  appendEventHandler(handler: EventHandler): void {
    this.#bus.append(handler);
  }

  /** The handler is called with every change of a service (Istio's `AppendServiceHandler`). */
  appendServiceHandler(handler: (event: ServiceChangeEvent) => void | Promise<void>): void {
    this.#bus.append((event) => (isServiceChange(event) ? handler(event) : undefined));
  }

  /** The handler is called with every push request. */
  appendPushHandler(handler: (event: PushRequestedEvent) => void | Promise<void>): void {
    this.#bus.append((event) => (event.type === PUSH_EVENT_TYPE ? handler(event) : undefined));
  }

  /**
   * Starts all pollers, and looks at every key that a stopped or crashed server has left. Whoever listened to that server
   * may have missed its last push, so that a catalog which was there before is pushed as a whole.
   */
  async start(): Promise<void> {
    const { signal } = this.#stopping;
    this.#early = [];
    if (await this.#hasCatalog()) {
      this.#push(pushRequestOfAll('global', isoTime(this.#options.clock.now()), randomUUID()));
    }
    this.#running = Promise.all([this.#reconcileForEver(signal), ...this.#pollers.map((poller) => poller.run(signal))]);
    void this.firstReadings(signal).then(() => this.#pushEarly());
  }

  /** Reads every registry once and waits until everything read has gone through all stages. */
  async readOnce(signal: AbortSignal): Promise<void> {
    await this.#reconcile(signal);
    await Promise.all(this.#pollers.map((poller) => poller.readOnce(signal)));
    await this.#pipeline.idle();
    await this.#pushes.flush();
  }

  /** Resolves when every registry has been tried once and what they gave is in the catalog; at the latest after 5 s. */
  async firstReadings(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const enough = new AbortController();
    const limit = clock.delay(FIRST_READINGS_MS, AbortSignal.any([signal, enough.signal]));
    await Promise.race([this.#firstAttempts.all().then(() => this.#pipeline.idle()), limit]);
    enough.abort();
  }

  /** Ends readings, finishes what is under way and closes the tables. Nothing that was read and written is lost. */
  async stop(): Promise<void> {
    const { clock, dataDir } = this.#options;
    this.#stopping.abort();
    const enough = new AbortController();
    await Promise.race([this.#running, clock.delay(STOP_GRACE_MS, enough.signal)]);
    enough.abort();
    await this.#pipeline.close();
    this.#pushEarly();
    await this.#pushes.flush();
    if (dataDir !== undefined) await removeEndpoint(dataDir);
    await this.#database.close();
  }

  /** Nothing is pushed before the first readings: a listener gets one push of what there is, not one a registry. */
  #push(request: PushRequest): void {
    if (this.#early === undefined) this.#pushes.add(request);
    else this.#early.push(request);
  }

  #pushEarly(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const request of early) this.#pushes.add(request);
  }

  async #hasCatalog(): Promise<boolean> {
    for await (const _ of this.#stores.catalog.versions()) return true;
    return false;
  }

  async #reconcileForEver(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#reconcile(signal);
      await this.#options.clock.delay(RECONCILE_EVERY_MS, signal);
    }
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    const { configuration, clock, log } = this.#options;
    try {
      await this.#pipeline.reconcile(
        configuration.registries.map(({ id }) => id),
        signal,
      );
      await sweepExpired(this.#database.client, this.#database.tableNames, clock);
    } catch (error) {
      log.error('Reconciliation broke off', describeError(error));
    }
  }
}
