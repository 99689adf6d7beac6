import { describeError, isTransient } from '../model/app-error';
import { deepFreeze } from '../storage/deep-freeze';
import type { EventPublisher, PublishFailure } from './event-publisher';
import { eventBytes } from './event-size';
import { MAX_CALL_BYTES } from './pack-entries';
import type { PilotlessEvent } from './pilotless-event';

/** Takes an event off the bus; what it throws means that the event was not taken. */
export type DeliverEvent = (event: PilotlessEvent) => Promise<void> | void;

/** The bus within one process: hands a copy of each event to its consumer, one after the other. */
export class MemoryEventPublisher implements EventPublisher {
  readonly #deliver: DeliverEvent;

  constructor(deliver: DeliverEvent) {
    this.#deliver = deliver;
  }

  async publish(events: readonly PilotlessEvent[]): Promise<readonly PublishFailure[]> {
    const failures: PublishFailure[] = [];
    for (const event of events) {
      const failure = await this.#send(event);
      if (failure !== undefined) failures.push(failure);
    }
    return failures;
  }

  async #send(event: PilotlessEvent): Promise<PublishFailure | undefined> {
    const bytes = eventBytes(event);
    if (bytes > MAX_CALL_BYTES) {
      return { event, reason: `its ${bytes} bytes are more than the ${MAX_CALL_BYTES} of a call`, transient: false };
    }
    try {
      await this.#deliver(deepFreeze(structuredClone(event)));
      return undefined;
    } catch (error) {
      const { code, message } = describeError(error);
      return { event, reason: `${code}: ${message}`, transient: isTransient(error) };
    }
  }
}
