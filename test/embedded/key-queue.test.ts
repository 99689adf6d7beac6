import { KEY_BATCH, KeyQueue, MAX_ATTEMPTS } from '../../lib/embedded/key-queue';
import { AppError } from '../../lib/model/app-error';
import { failedKey, type KeyOutcome } from '../../lib/model/key-outcome';
import type { ServiceKey } from '../../lib/model/service-key';
import { CollectedLog } from '../support/collected-log';
import { VirtualClock } from '../support/virtual-clock';

const A: ServiceKey = 'ns/a';
const B: ServiceKey = 'ns/b';

const passing = (key: ServiceKey): KeyOutcome => ({ key, result: 'written' });
const transient = new AppError('later', { code: 'LaterError', transient: true });
const permanent = new AppError('never', { code: 'NeverError' });

function setUp(look: (key: ServiceKey, queue: KeyQueue) => KeyOutcome = passing) {
  const clock = new VirtualClock();
  const log = new CollectedLog();
  const batches: (readonly ServiceKey[])[] = [];
  const queue: KeyQueue = new KeyQueue({
    stage: 'aggregate',
    clock,
    log,
    process: (keys) => {
      batches.push(keys);
      return Promise.resolve(keys.map((key) => look(key, queue)));
    },
  });
  return { queue, clock, log, batches };
}

describe('KeyQueue', () => {
  test('keys that are added together are looked at together, each once', async () => {
    const { queue, batches } = setUp();
    for (const key of [A, B, A]) queue.add(key);
    await queue.idle();
    expect(batches).toEqual([[A, B]]);
    expect(queue.isIdle).toBe(true);
  });

  test('a key that is added while it is being looked at is looked at once more', async () => {
    let added = false;
    const { queue, batches } = setUp((key, self) => {
      if (!added) self.add(A);
      added = true;
      return passing(key);
    });
    queue.add(A);
    await queue.idle();
    expect(batches).toEqual([[A], [A]]);
  });

  test('no more keys than a batch are looked at together', async () => {
    const { queue, batches } = setUp();
    for (let number = 0; number <= KEY_BATCH; number += 1) queue.add(`ns/${number}`);
    await queue.idle();
    expect(batches.map((batch) => batch.length)).toEqual([KEY_BATCH, 1]);
  });

  test('a transient failure is tried again, later and later, and harms no other key', async () => {
    let failures = 3;
    const { queue, clock, log, batches } = setUp((key) => {
      if (key === B) return passing(key);
      failures -= 1;
      return failures < 0 ? passing(key) : failedKey(key, transient);
    });
    const start = clock.now();
    queue.add(A);
    queue.add(B);
    await clock.until(queue.idle());
    expect(batches).toEqual([[A, B], [A], [A], [A]]);
    expect(clock.now() - start).toBe(100 + 200 + 400);
    expect(log.lines[0]).toEqual({
      level: 'warn',
      message: 'Key failed, trying again',
      facts: { stage: 'aggregate', service: A, code: 'LaterError', message: 'later', attempt: 1 },
    });
  });

  test('the queue is not idle while a key waits for another attempt', async () => {
    let fails = true;
    const { queue, clock } = setUp((key) => (fails ? failedKey(key, transient) : passing(key)));
    queue.add(A);
    await clock.advance(0);
    expect(queue.isIdle).toBe(false);
    fails = false;
    await clock.advance(100);
    expect(queue.isIdle).toBe(true);
  });

  test('a permanent failure is given up at once, with its reason', async () => {
    const { queue, log, batches } = setUp((key) => failedKey(key, permanent));
    queue.add(A);
    await queue.idle();
    expect(batches).toEqual([[A]]);
    expect(log.lines).toEqual([
      {
        level: 'error',
        message: 'Key given up until the next reconciliation',
        facts: { stage: 'aggregate', service: A, code: 'NeverError', message: 'never', attempt: 1 },
      },
    ]);
  });

  test('a key that keeps failing is given up after so many attempts, and starts afresh when it is added again', async () => {
    const { queue, clock, log, batches } = setUp((key) => failedKey(key, transient));
    queue.add(A);
    await clock.until(queue.idle());
    expect(batches).toHaveLength(MAX_ATTEMPTS);
    expect(log.messages('error')).toEqual(['Key given up until the next reconciliation']);
    queue.add(A);
    await clock.until(queue.idle());
    expect(batches).toHaveLength(2 * MAX_ATTEMPTS);
  });

  test('a look that rejects is a failure of all its keys', async () => {
    const clock = new VirtualClock();
    const log = new CollectedLog();
    const looked: ServiceKey[] = [];
    const queue = new KeyQueue({
      stage: 'publish',
      clock,
      log,
      process: (keys) => {
        looked.push(...keys);
        return looked.length === 2 ? Promise.reject(transient) : Promise.resolve(keys.map(passing));
      },
    });
    queue.add(A);
    queue.add(B);
    await clock.until(queue.idle());
    expect(looked).toEqual([A, B, A, B]);
    expect(log.messages('warn')).toHaveLength(2);
  });

  test('closing looks at what waits and does not wait for further attempts', async () => {
    const { queue, clock, log, batches } = setUp((key) => (key === A ? failedKey(key, transient) : passing(key)));
    queue.add(A);
    await clock.advance(0);
    queue.add(B);
    await queue.close();
    expect(batches.flat()).toContain(B);
    expect(log.messages('error')).toEqual(['Key given up until the next reconciliation']);
    expect(clock.pending).toBe(0);
  });
});
