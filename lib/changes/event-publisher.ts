import type { PilotlessEvent } from './pilotless-event';

/** An event that the bus did not take. */
export type PublishFailure = {
  readonly event: PilotlessEvent;
  /** What the bus said, in the end. */
  readonly reason: string;
  /** Whether sending it again later may help. */
  readonly transient: boolean;
};

/** The way to the bus. At least once, in no order that consumers could rely on. */
export interface EventPublisher {
  /**
   * Sends the events; those that the bus did not take, even after retries, come back, and only those, in their order.
   * Throws only when nothing at all can be said (the caller then counts all as not sent).
   */
  publish(events: readonly PilotlessEvent[]): Promise<readonly PublishFailure[]>;
}
