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
export class EmbeddedConsul {
  readonly server: EmbeddedServer;
  readonly events: ServiceChangeEvent[] = [];
  #changed: () => void = () => undefined;

  private constructor(server: EmbeddedServer) {
    this.server = server;
    server.appendServiceHandler((event) => {
      this.events.push(event);
      this.#changed();
    });
  }

  /** Resolves when every registry has been read once. The document goes without `External`, which finds an empty folder. */
  static async start(document: string): Promise<EmbeddedConsul> {
    const { configuration } = parseConfiguration(document, { file: 'test', definitions: PROVIDERS, environment: {} });
    const embedded = new EmbeddedConsul(
      await EmbeddedServer.open({
        configuration,
        providers: PROVIDERS,
        baseDir: await makeServerFolder('embedded'),
        clock: systemClock,
        log: new CollectedLog(),
        metrics: new CollectedMetrics(),
      }),
    );
    await embedded.server.start();
    await embedded.server.firstReadings(new AbortController().signal);
    return embedded;
  }

  /** Resolves with the first event from number `from` on that is so. */
  async expectEvent(
    what: string,
    from: number,
    isSo: (event: ServiceChangeEvent) => boolean,
  ): Promise<ServiceChangeEvent> {
    const deadline = AbortSignal.timeout(WAIT_MS);
    for (;;) {
      const event = this.events.slice(from).find(isSo);
      if (event !== undefined) return event;
      await new Promise<void>((resolve, reject) => {
        this.#changed = resolve;
        deadline.onabort = () => reject(new Error(`${what}: no such event after ${WAIT_MS} ms`));
      });
    }
  }
}
