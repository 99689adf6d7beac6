import type { EventPublisher, PublishFailure } from '../../lib/changes/event-publisher';
import type { PilotlessEvent } from '../../lib/changes/pilotless-event';

/** A bus that keeps what it takes, and can refuse or fail. */
export class CollectedEvents implements EventPublisher {
  readonly taken: PilotlessEvent[] = [];
  /** `refuses`: takes none for now and says so; `rejects`: will never take them; `fails`: throws. */
  mood: 'takes' | 'refuses' | 'rejects' | 'fails' = 'takes';

  publish(events: readonly PilotlessEvent[]): Promise<readonly PublishFailure[]> {
    if (this.mood === 'fails') return Promise.reject(new Error('the bus is gone'));
    if (this.mood !== 'takes') {
      const transient = this.mood === 'refuses';
      return Promise.resolve(
        events.map((event) => ({ event, reason: transient ? 'throttled' : 'malformed', transient })),
      );
    }
    this.taken.push(...events);
    return Promise.resolve([]);
  }

  get types(): readonly string[] {
    return this.taken.map(({ type }) => type);
  }
}
