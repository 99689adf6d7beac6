import type { QueuedChange } from '../../lib/push/change-queue';
import { pushHandler } from '../../lib/runtime/push-handler';
import type { DeadLetter } from '../../lib/runtime/sqs-dead-letters';
import { CollectedEvents } from '../support/collected-events';
import { CollectedLog } from '../support/collected-log';
import { lambdaContext } from '../support/lambda-context';
import { ManualClock } from '../support/manual-clock';
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import { configKey } from '../support/push-requests';
import { NOT_A_CHANGE, queuedChange } from '../support/queued-changes';

function setUp(waiting: readonly QueuedChange[] = []) {
  const batches = [waiting];
  const removed: QueuedChange[] = [];
  const letters: DeadLetter[] = [];
  const events = new CollectedEvents();
  const metrics = new MemoryMetrics();
  const handler = pushHandler({
    queue: {
      receive: () => Promise.resolve(batches.shift() ?? []),
      remove: (changes) => Promise.resolve(void removed.push(...changes)),
    },
    deadLetters: {
      send: (unreadable) => {
        letters.push(...unreadable);
        return Promise.resolve([]);
      },
    },
    settings: { quietMs: 100, maxMs: 1000 },
    events,
    clock: new ManualClock(),
    log: new CollectedLog(),
    metrics,
  });
  const invoke = (...brought: readonly QueuedChange[]) =>
    handler(
      { Records: brought.map(({ receipt, body }) => ({ messageId: receipt, receiptHandle: receipt, body })) },
      lambdaContext(),
    );
  return { invoke, removed, letters, events, metrics };
}

test('one push of what Lambda brought and of what still waited; the latter is removed afterwards', async () => {
  const { invoke, removed, events, metrics } = setUp([queuedChange('b')]);
  await invoke(queuedChange('a'));

  expect(events.taken).toMatchObject([
    {
      type: 'Push Requested',
      detail: { push: { pushId: 'request-1', configsUpdated: [configKey('a'), configKey('b')] } },
    },
  ]);
  expect(removed).toEqual([queuedChange('b')]);
  expect(metrics.sum('PushRuns')).toBe(1);
});

test('nothing is removed when the push cannot be sent: all of it comes again', async () => {
  const { invoke, removed, events } = setUp([queuedChange('b')]);
  events.mood = 'refuses';

  await expect(invoke(queuedChange('a'))).rejects.toThrow('was not published');
  expect(removed).toEqual([]);
});

test('a message that is no change goes to the dead letters, whoever took it', async () => {
  const other: QueuedChange = { receipt: 'other', body: 'hello' };
  const { invoke, removed, letters, events } = setUp([other]);
  await invoke(queuedChange('a'), NOT_A_CHANGE);

  expect(letters.map(({ subject }) => subject)).toEqual([NOT_A_CHANGE.body, 'hello']);
  expect(removed).toEqual([other]);
  expect(events.types).toEqual(['Push Requested']);
});

test('a batch without a single change requests no push', async () => {
  const { invoke, events } = setUp();
  await invoke(NOT_A_CHANGE);

  expect(events.taken).toEqual([]);
});
