import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfiguration } from '../../lib/bootstrap/parse-configuration';
import { PROVIDERS } from '../../lib/bootstrap/providers';
import type { PilotlessEvent } from '../../lib/changes/pilotless-event';
import { EmbeddedServer } from '../../lib/embedded/embedded-server';
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import { systemClock } from '../../lib/runtime/system-clock';
import { CollectedLog } from './collected-log';

const SAMPLES = join(__dirname, '../../infra/service-entries');

/** How long a test waits for what has to come; only a test that fails waits so long. */
const PATIENCE_MS = 30_000;

/** How often the registries of a test are read. */
export const INTERVAL_MS = 100;

/** What belongs together comes within a few milliseconds here, and each test waits this long for its push. */
const PUSH = { quietMs: 20, maxMs: 10_000 };

/** A copy of the sample manifests, and servers that read them beside the Mock registry. */
export class EmbeddedWorld {
  readonly folder: string;
  readonly log = new CollectedLog();
  readonly events: PilotlessEvent[] = [];
  readonly #servers: EmbeddedServer[] = [];
  #changed: () => void = () => undefined;

  static async make(): Promise<EmbeddedWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'pilotless-'));
    await cp(SAMPLES, join(folder, 'service-entries'), { recursive: true });
    return new EmbeddedWorld(folder);
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Path of a manifest. */
  manifest(name: string): string {
    return join(this.folder, 'service-entries', name);
  }

  get dataDir(): string {
    return join(this.folder, 'state');
  }

  /** Opens a server; nothing runs yet. Its events are collected. */
  async open(options: { readonly keep?: boolean; readonly document?: string } = {}): Promise<EmbeddedServer> {
    const { configuration } = parseConfiguration(
      options.document ?? 'registries: [{ provider: Mock, cluster: demo }]',
      {
        file: 'test',
        definitions: PROVIDERS,
        environment: {},
        intervalMs: INTERVAL_MS,
      },
    );
    const server = await EmbeddedServer.open({
      configuration: { ...configuration, push: PUSH },
      providers: PROVIDERS,
      baseDir: this.folder,
      ...(options.keep === true ? { dataDir: this.dataDir } : {}),
      clock: systemClock,
      log: this.log,
      metrics: new MemoryMetrics(),
    });
    server.appendEventHandler((event) => {
      this.events.push(event);
      this.#changed();
    });
    this.#servers.push(server);
    return server;
  }

  /** Resolves when the events so far hold what is looked for. */
  async until(what: string, holds: (events: readonly PilotlessEvent[]) => boolean): Promise<void> {
    let patience: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      patience = setTimeout(
        () => reject(new Error(`${what} did not come; events: ${this.types.join(', ')}`)),
        PATIENCE_MS,
      );
      this.#changed = () => {
        if (holds(this.events)) resolve();
      };
      this.#changed();
    }).finally(() => {
      clearTimeout(patience);
      this.#changed = () => undefined;
    });
  }

  get types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }

  async end(): Promise<void> {
    for (const server of this.#servers) await server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
