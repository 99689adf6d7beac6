import type { PushRequestedEvent } from '../../lib/changes/pilotless-event';
import { makePushEvent } from '../../lib/push/request-push';
import { pushRequest, START } from './push-requests';

/** An event of that id; the simplest that the bus knows. */
export function pushEvent(pushId: string, name = 'cart.example.com'): PushRequestedEvent {
  const configsUpdated = [{ kind: 'Endpoints', name, namespace: 'shop' } as const];
  return makePushEvent(pushRequest({ pushId, configsUpdated }), Date.parse(START));
}

export function pushEvents(count: number): readonly PushRequestedEvent[] {
  return Array.from({ length: count }, (_, index) => pushEvent(`push-${index}`));
}
