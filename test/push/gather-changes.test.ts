import type { QueuedChange } from '../../lib/push/change-queue';
import { gatherChanges } from '../../lib/push/gather-changes';
import { ManualClock } from '../support/manual-clock';
import { configKey } from '../support/push-requests';
import { NOT_A_CHANGE, queuedChange } from '../support/queued-changes';

const settings = { quietMs: 100, maxMs: 1000 };

/** Gathers while the queue gives these batches one after the other, and then nothing. */
async function gather(
  first: readonly QueuedChange[],
  later: readonly (readonly QueuedChange[])[] = [],
  { signal = new AbortController().signal, limits = settings } = {},
) {
  const clock = new ManualClock(0);
  const batches = [...later];
  const asked: number[] = [];
  const queue = {
    receive: () => {
      asked.push(clock.now());
      return Promise.resolve(batches.shift() ?? []);
    },
  };
  const gathered = await gatherChanges(first, 'push-1', { queue, settings: limits, clock }, signal);
  return { ...gathered, asked, endedAt: clock.now() };
}

test('one change is a request of its own once it has been quiet', async () => {
  const { request, taken, endedAt } = await gather([queuedChange('a')]);

  expect(request).toMatchObject({ pushId: 'push-1', full: false, configsUpdated: [configKey('a')] });
  expect(taken).toEqual([queuedChange('a')]);
  expect(endedAt).toBe(100);
});

test('pitfall 24: a burst is one request of everything that waits', async () => {
  const burst = Array.from({ length: 30 }, (_, index) => queuedChange(`s${index}`));
  const { request, taken } = await gather(burst.slice(0, 10), [burst.slice(10, 20), burst.slice(20, 30)]);

  expect(request?.configsUpdated).toHaveLength(30);
  expect(taken).toEqual(burst);
});

test('what comes before it has been quiet for long enough belongs to it, and starts the waiting anew', async () => {
  const { request, endedAt } = await gather([queuedChange('a')], [[], [queuedChange('b', 'full')]]);

  expect(request).toMatchObject({ full: true, configsUpdated: [configKey('a'), configKey('b', 'ServiceEntry')] });
  expect(endedAt).toBe(150);
});

test('a stream of changes that never ends is cut off', async () => {
  const stream = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? [] : [queuedChange(`s${index}`)]));
  const { endedAt, request } = await gather([queuedChange('a')], stream);

  expect(endedAt).toBe(1000);
  expect(request?.configsUpdated).toHaveLength(20);
});

test('the queue is not asked more often than every 50 ms when it is empty', async () => {
  const { asked } = await gather([queuedChange('a')]);

  expect(asked).toEqual([0, 50]);
});

test('a debounce of nothing pushes at once', async () => {
  const { asked, request } = await gather([queuedChange('a')], [[queuedChange('b')]], {
    limits: { quietMs: 0, maxMs: 0 },
  });

  expect(asked).toEqual([]);
  expect(request?.configsUpdated).toEqual([configKey('a')]);
});

test('ends when the time is up', async () => {
  const { asked, request } = await gather([queuedChange('a')], [], { signal: AbortSignal.abort() });

  expect(asked).toEqual([]);
  expect(request).toBeDefined();
});

test('pitfall 3: a message that is no change harms no other one, and is told apart', async () => {
  const { request, taken, unreadable } = await gather([NOT_A_CHANGE, queuedChange('a')]);

  expect(request?.configsUpdated).toEqual([configKey('a')]);
  expect(taken).toEqual([NOT_A_CHANGE, queuedChange('a')]);
  expect(unreadable).toMatchObject([{ subject: NOT_A_CHANGE.body, error: { code: 'ChangeUnreadableError' } }]);
});

test('of a long message that is no change the first thousand characters are told', async () => {
  const { unreadable } = await gather([{ receipt: 'long', body: 'x'.repeat(1001) }]);

  expect(unreadable.map(({ subject }) => subject)).toEqual(['x'.repeat(1000)]);
});

test('pitfall 23: no request is made of nothing', async () => {
  const { request, asked, unreadable } = await gather([NOT_A_CHANGE]);

  expect(request).toBeUndefined();
  expect(asked).toEqual([]);
  expect(unreadable).toHaveLength(1);
});
