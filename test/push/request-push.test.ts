import type { PilotlessEvent } from '../../lib/changes/pilotless-event';
import { requestPush } from '../../lib/push/request-push';
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import { CollectedLog } from '../support/collected-log';
import { ManualClock } from '../support/manual-clock';
import { pushRequest, START } from '../support/push-requests';

function setUp(reason?: string) {
  const sent: PilotlessEvent[] = [];
  const ports = {
    events: {
      publish: (events: readonly PilotlessEvent[]) => {
        sent.push(...events);
        return Promise.resolve(reason === undefined ? [] : events.map((event) => ({ event, reason, transient: true })));
      },
    },
    clock: new ManualClock(Date.parse(START) + 250),
    log: new CollectedLog(),
    metrics: new MemoryMetrics(),
  };
  return { sent, ports };
}

test('one event tells of the push; its id is that of the push', async () => {
  const { sent, ports } = setUp();
  await requestPush(pushRequest(), ports);
  expect(sent).toEqual([
    {
      type: 'Push Requested',
      detail: {
        metadata: { schema: 1, id: 'push-1', at: '2026-01-01T00:00:00.250Z', correlationId: 'push-1' },
        push: pushRequest(),
      },
    },
  ]);
  expect(ports.metrics.last('PushesRequested')).toBe(1);
  expect(ports.metrics.last('PushFailures')).toBe(0);
  expect(ports.log.lines).toEqual([
    {
      level: 'info',
      message: 'Push requested',
      facts: { pushId: 'push-1', full: false, all: false, configs: 1, reason: { endpoint: 1 }, waitedMs: 250 },
    },
  ]);
});

test('a push that the bus does not take is a transient error that names it', async () => {
  const { ports } = setUp('ThrottlingException');
  await expect(requestPush(pushRequest(), ports)).rejects.toMatchObject({
    code: 'PushNotPublishedError',
    transient: true,
    message: 'Push push-1 was not published: ThrottlingException',
  });
  expect(ports.metrics.last('PushesRequested')).toBe(0);
  expect(ports.metrics.last('PushFailures')).toBe(1);
  expect(ports.log.lines).toEqual([]);
});
