import { dueMs, gather, PushDebouncer } from '../../lib/push/push-debouncer';
import type { PushRequest } from '../../lib/push/push-request';
import { CollectedLog } from '../support/collected-log';
import { configKey, pushRequest } from '../support/push-requests';
import { VirtualClock } from '../support/virtual-clock';

const settings = { quietMs: 100, maxMs: 1000 };

function setUp(push?: (request: PushRequest) => Promise<void>) {
  const clock = new VirtualClock();
  const log = new CollectedLog();
  const start = clock.now();
  const pushed: { readonly at: number; readonly request: PushRequest }[] = [];
  const debouncer = new PushDebouncer({
    settings,
    clock,
    log,
    push: async (request) => {
      pushed.push({ at: clock.now() - start, request });
      await push?.(request);
    },
  });
  return { clock, log, debouncer, pushed };
}

describe('gathering', () => {
  test('the first and the last request give the times', () => {
    const first = gather(undefined, pushRequest(), 10);
    expect(first).toEqual({ request: pushRequest(), firstMs: 10, lastMs: 10 });
    const second = gather(first, pushRequest({ configsUpdated: [configKey('b')] }), 30);
    expect(second).toMatchObject({ firstMs: 10, lastMs: 30 });
    expect(second.request.configsUpdated).toEqual([configKey('a'), configKey('b')]);
  });

  test.each([
    [0, 0, 100],
    [0, 899, 999],
    [0, 900, 1000],
    [0, 950, 1000],
  ])('gathered from %d to %d ms is due at %d ms', (firstMs, lastMs, due) => {
    expect(dueMs({ request: pushRequest(), firstMs, lastMs }, settings)).toBe(due);
  });
});

describe('PushDebouncer', () => {
  test('pitfall 24: a burst is one push, when it has been quiet', async () => {
    const { clock, debouncer, pushed } = setUp();
    for (let number = 0; number < 5; number += 1) {
      debouncer.add(pushRequest({ configsUpdated: [configKey(`s${number}`)] }));
      await clock.advance(50);
    }
    await clock.advance(1000);
    expect(pushed.map(({ at }) => at)).toEqual([300]);
    expect(pushed[0]?.request).toMatchObject({ reason: { endpoint: 5 } });
    expect(pushed[0]?.request.configsUpdated).toHaveLength(5);
  });

  test('a burst without an end is pushed at the latest after max', async () => {
    const { clock, debouncer, pushed } = setUp();
    for (let number = 0; number < 30; number += 1) {
      debouncer.add(pushRequest());
      await clock.advance(50);
    }
    await clock.advance(1000);
    expect(pushed.map(({ at }) => at)).toEqual([1000, 1550]);
    expect(pushed.map(({ request }) => request.reason.endpoint)).toEqual([20, 10]);
  });

  test('two bursts are two pushes', async () => {
    const { clock, debouncer, pushed } = setUp();
    debouncer.add(pushRequest());
    await clock.advance(100);
    debouncer.add(pushRequest());
    await clock.advance(100);
    expect(pushed.map(({ at }) => at)).toEqual([100, 200]);
  });

  test('what comes while a push is under way is pushed after it, never at the same time', async () => {
    let running = 0;
    let most = 0;
    const { clock, debouncer, pushed } = setUp(async () => {
      running += 1;
      most = Math.max(most, running);
      await clock.delay(500);
      running -= 1;
    });
    debouncer.add(pushRequest());
    await clock.advance(150);
    debouncer.add(pushRequest());
    await clock.advance(2000);
    expect(pushed.map(({ at }) => at)).toEqual([100, 600]);
    expect(most).toBe(1);
  });

  test('flushing pushes what was gathered at once, and waits for it', async () => {
    const { clock, debouncer, pushed } = setUp();
    debouncer.add(pushRequest());
    await debouncer.flush();
    expect(pushed.map(({ at }) => at)).toEqual([0]);
    await clock.advance(1000);
    expect(pushed).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('what comes after a flush waits for a quiet of its own', async () => {
    const { clock, debouncer, pushed } = setUp();
    debouncer.add(pushRequest());
    await clock.advance(50);
    const flushed = debouncer.flush();
    debouncer.add(pushRequest({ configsUpdated: [configKey('b')] }));
    await flushed;
    await clock.advance(1000);
    expect(pushed.map(({ at, request }) => [at, request.configsUpdated])).toEqual([
      [50, [configKey('a')]],
      [150, [configKey('b')]],
    ]);
  });

  test('flushing nothing pushes nothing', async () => {
    const { debouncer, pushed } = setUp();
    await debouncer.flush();
    expect(pushed).toEqual([]);
  });

  test('a push that fails is logged, gathered again and pushed with what comes', async () => {
    let failures = 1;
    const { clock, log, debouncer, pushed } = setUp(() => {
      failures -= 1;
      return failures < 0 ? Promise.resolve() : Promise.reject(new Error('bus is down'));
    });
    debouncer.add(pushRequest());
    await clock.advance(100);
    debouncer.add(pushRequest({ configsUpdated: [configKey('b')] }));
    await clock.advance(1000);
    expect(pushed.map(({ at }) => at)).toEqual([100, 200]);
    expect(pushed[1]?.request).toMatchObject({
      configsUpdated: [configKey('a'), configKey('b')],
      reason: { endpoint: 2 },
    });
    expect(log.lines).toEqual([
      {
        level: 'error',
        message: 'Push failed, gathered again',
        facts: { pushId: 'push-1', code: 'Error', message: 'bus is down' },
      },
    ]);
  });
});
