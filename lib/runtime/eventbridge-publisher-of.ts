import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { EventBridgeEventPublisher } from '../changes/eventbridge-event-publisher';
import type { EventPublisher } from '../changes/event-publisher';
import { systemClock as clock } from './system-clock';

/** A function's way to the bus. */
export function eventBridgePublisherOf(busName: string): EventPublisher {
  const client = new EventBridgeClient({ maxAttempts: 1 });
  return new EventBridgeEventPublisher({ client, busName, clock, random: Math.random });
}
