import type { EventPublisher, PublishFailure } from '../changes/event-publisher';
import type { PilotlessEvent } from '../changes/pilotless-event';
import { describeError } from '../model/app-error';
import type { Log } from '../runtime/log';

/** Called with each event; what it throws is logged and harms nobody else. */
export type EventHandler = (event: PilotlessEvent) => void | Promise<void>;

/** What stands in for the event bus in one process: every event goes to every handler, in the order of publication. */
export class EventBus implements EventPublisher {
  readonly #handlers: EventHandler[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  append(handler: EventHandler): void {
    this.#handlers.push(handler);
  }

  async publish(events: readonly PilotlessEvent[]): Promise<readonly PublishFailure[]> {
    for (const event of events) {
      for (const handler of this.#handlers) await this.#deliver(event, handler);
    }
    return [];
  }

  async #deliver(event: PilotlessEvent, handler: EventHandler): Promise<void> {
    try {
      await handler(event);
    } catch (error) {
      this.#log.error('Event handler failed', {
        event: event.detail.metadata.id,
        type: event.type,
        ...describeError(error),
      });
    }
  }
}
