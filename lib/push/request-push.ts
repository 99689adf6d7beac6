import type { EventPublisher } from '../changes/event-publisher';
import { EVENT_SCHEMA, PUSH_EVENT_TYPE, type PushRequestedEvent } from '../changes/pilotless-event';
import { AppError } from '../model/app-error';
import { isoTime, type Clock } from '../runtime/clock';
import type { Log } from '../runtime/log';
import type { Metrics } from '../runtime/metrics';
import type { PushRequest } from './push-request';

export type PushPorts = {
  readonly events: EventPublisher;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly metrics: Metrics;
};

/**
 * Publishes one `Push Requested` event.
 * @throws AppError `PushNotPublishedError`, transient, when the bus did not take it: the changes behind it are then to be
 * merged and requested again.
 */
export async function requestPush(push: PushRequest, { events, clock, log, metrics }: PushPorts): Promise<void> {
  const event = makePushEvent(push, clock.now());
  const failures = await events.publish([event]);
  metrics.add('PushFailures', failures.length);
  metrics.add('PushesRequested', 1 - failures.length);
  const facts = { pushId: push.pushId, full: push.full, all: push.all, configs: push.configsUpdated.length };
  const [failure] = failures;
  if (failure !== undefined) {
    throw new AppError(`Push ${push.pushId} was not published: ${failure.reason}`, {
      code: 'PushNotPublishedError',
      transient: true,
      details: facts,
    });
  }
  log.info('Push requested', { ...facts, reason: push.reason, waitedMs: clock.now() - Date.parse(push.start) });
}

/** The event of a push request; its id is that of the push. */
export function makePushEvent(push: PushRequest, nowMs: number): PushRequestedEvent {
  const metadata = { schema: EVENT_SCHEMA, id: push.pushId, at: isoTime(nowMs), correlationId: push.pushId };
  return { type: PUSH_EVENT_TYPE, detail: { metadata, push } };
}
