import { parseConfiguration } from '../../../../lib/bootstrap/parse-configuration';
import { PROVIDERS } from '../../../../lib/bootstrap/providers';
import type { ServiceChangeEvent } from '../../../../lib/changes/pilotless-event';
import { EmbeddedServer } from '../../../../lib/embedded/embedded-server';
import { systemClock } from '../../../../lib/runtime/system-clock';
import { CollectedLog } from '../../../support/collected-log';
import { CollectedMetrics } from '../../../support/collected-metrics';
import { makeServerFolder } from '../processes/server-folder';

const WAIT_MS = 20_000;

/** All stages in this process, with the registries of a configuration document, and the change events as they come. */
export class EmbeddedRun {
  readonly server: EmbeddedServer;
  readonly log: CollectedLog;
  readonly events: ServiceChangeEvent[] = [];
  /** When each event came, by `performance.now()`. */
  readonly eventTimes: number[] = [];
  #changed: () => void = () => undefined;

  private constructor(server: EmbeddedServer, log: CollectedLog) {
    this.server = server;
    this.log = log;
    server.appendServiceHandler((event) => {
      this.events.push(event);
      this.eventTimes.push(performance.now());
      this.#changed();
    });
  }

  /**
   * Resolves when every registry has been read once. The `External` registry that is always there finds an empty folder.
   */
  static async start(document: string): Promise<EmbeddedRun> {
    const { configuration } = parseConfiguration(document, { file: 'test', definitions: PROVIDERS, environment: {} });
    const log = new CollectedLog();
    const run = new EmbeddedRun(
      await EmbeddedServer.open({
        configuration,
        providers: PROVIDERS,
        baseDir: await makeServerFolder('embedded'),
        clock: systemClock,
        log,
        metrics: new CollectedMetrics(),
      }),
      log,
    );
    await run.server.start();
    await run.server.firstReadings(new AbortController().signal);
    return run;
  }

  /** Resolves with the first event from number `from` on that is so. */
  async expectEvent(
    what: string,
    from: number,
    isSo: (event: ServiceChangeEvent) => boolean,
  ): Promise<ServiceChangeEvent> {
    return this.events[await this.#indexOf(what, from, isSo)]!;
  }

  /** Resolves with the time of the first event from number `from` on that is so. */
  async expectTimeOfEvent(what: string, from: number, isSo: (event: ServiceChangeEvent) => boolean): Promise<number> {
    return this.eventTimes[await this.#indexOf(what, from, isSo)]!;
  }

  async #indexOf(what: string, from: number, isSo: (event: ServiceChangeEvent) => boolean): Promise<number> {
    const deadline = AbortSignal.timeout(WAIT_MS);
    for (;;) {
      const index = this.events.findIndex((event, at) => at >= from && isSo(event));
      if (index >= 0) return index;
      await new Promise<void>((resolve, reject) => {
        this.#changed = resolve;
        deadline.onabort = () => reject(new Error(`${what}: no such event after ${WAIT_MS} ms`));
      });
    }
  }
}
