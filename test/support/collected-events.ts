import type { EventPublisher, PublishFailure } from '../../lib/changes/event-publisher';
import type { PilotlessEvent } from '../../lib/changes/pilotless-event';

/** A bus that keeps what it takes, and can refuse or fail. */
export class CollectedEvents implements EventPublisher {
  readonly taken: PilotlessEvent[] = [];
  /** `refuses`: takes none and says so; `fails`: throws. */
  mood: 'takes' | 'refuses' | 'fails' = 'takes';

  publish(events: readonly PilotlessEvent[]): Promise<readonly PublishFailure[]> {
    if (this.mood === 'fails') return Promise.reject(new Error('the bus is gone'));
    if (this.mood === 'refuses')
      return Promise.resolve(events.map((event) => ({ event, reason: 'throttled', transient: true })));
    this.taken.push(...events);
    return Promise.resolve([]);
  }

  get types(): readonly string[] {
    return this.taken.map(({ type }) => type);
  }
}
