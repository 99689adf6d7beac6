import type { PilotlessEvent } from './pilotless-event';

export type PublishFailure = { readonly event: PilotlessEvent; readonly reason: string };

/** The way to the bus. At least once, in no order that consumers could rely on. */
export interface EventPublisher {
  /**
   * Sends the events; those that the bus did not take, even after retries, come back, and only those.
   * Throws only when nothing at all can be said (the caller then counts all as not sent).
   */
  publish(events: readonly PilotlessEvent[]): Promise<readonly PublishFailure[]>;
}
