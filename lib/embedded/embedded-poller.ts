import type { RegistryConfiguration } from '../bootstrap/configuration';
import { describeError } from '../model/app-error';
import { pauseRegistry } from '../polling/pause-registry';
import { pollRegistry } from '../polling/poll-registry';
import type { PollParts } from '../polling/poll-run';
import type { PollSettings } from '../polling/poll-settings';

/** Wait before a run that the tables have broken off is begun again. */
const RESTART_MS = 1000;

/** Polls one registry in this process, without the schedule and the hand-over that functions need. */
export class EmbeddedPoller {
  readonly #parts: PollParts;
  readonly #settings: PollSettings;
  readonly #paused: boolean;
  readonly #newId: () => string;

  constructor(parts: PollParts, configuration: RegistryConfiguration, newId: () => string) {
    this.#parts = parts;
    this.#settings = settingsOf(configuration);
    this.#paused = configuration.paused;
    this.#newId = newId;
  }

  /** Polls until the signal aborts. Never rejects: a run that breaks off is logged and begun again. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#paused) {
          await this.#pause(signal);
          return;
        }
        const { type } = await pollRegistry(this.#parts, this.#settings, this.#options(signal));
        if (type === 'skipped') await this.#parts.clock.delay(RESTART_MS, signal);
      } catch (error) {
        this.#parts.log.error('Poller broke off', { registry: this.#settings.registry, ...describeError(error) });
        await this.#parts.clock.delay(RESTART_MS, signal);
      }
    }
  }

  /** Reads once. Rejects when the tables fail, not when the registry does. */
  async readOnce(signal: AbortSignal): Promise<void> {
    if (this.#paused) await this.#pause(signal);
    else await pollRegistry(this.#parts, this.#settings, { ...this.#options(signal), once: true });
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await pauseRegistry(this.#parts, this.#settings, this.#options(signal));
  }

  /** Nobody else can open the tables, so a lease that is held is left over from a process that has died. */
  #options(signal: AbortSignal) {
    return { owner: this.#newId(), exclusive: true, signal };
  }
}

function settingsOf(configuration: RegistryConfiguration): PollSettings {
  const { id, mode, intervalMs, precedence, configVersion, guard, expireAfterMs } = configuration;
  return {
    registry: id,
    mode,
    intervalMs,
    maxRunMs: Infinity,
    precedence,
    configVersion,
    guard,
    ...(expireAfterMs === undefined ? {} : { expireAfterMs }),
  };
}
