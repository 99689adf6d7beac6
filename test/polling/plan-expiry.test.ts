import { planExpiry, type ExpiryQuestion } from '../../lib/polling/plan-expiry';
import { DEFAULT_GUARD } from '../../lib/polling/poll-settings';
import { keyOf, known, seen } from '../support/readings';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');
const MINUTE = 60_000;

const due: ExpiryQuestion = {
  expireAfterMs: 10 * MINUTE,
  intervalMs: 5000,
  lastSuccessMs: NOW - 10 * MINUTE,
  lastChangeMs: NOW - 10 * MINUTE,
  policy: DEFAULT_GUARD,
  nowMs: NOW,
};

describe('nothing expires', () => {
  const before = known(seen('a', 5));
  test.each([
    ['unless it is configured', { expireAfterMs: undefined }],
    ['before its time', { lastSuccessMs: NOW - 10 * MINUTE + 1 }],
    ['when the registry was never read well', { lastSuccessMs: undefined }],
    ['within a minute of the last step', { lastChangeMs: NOW - MINUTE + 1 }],
    ['within an interval of the last step', { intervalMs: 5 * MINUTE, lastChangeMs: NOW - 5 * MINUTE + 1 }],
  ])('%s', (_, more) => {
    expect(planExpiry(before, { ...due, ...more })).toEqual([]);
  });

  test.each([
    ['at its time', {}],
    ['a minute after the last step', { lastChangeMs: NOW - MINUTE }],
    ['an interval after the last step', { intervalMs: 5 * MINUTE, lastChangeMs: NOW - 5 * MINUTE }],
    ['when nothing was ever written', { lastChangeMs: undefined }],
  ])('but something does %s', (_, more) => {
    expect(planExpiry(before, { ...due, ...more })).toEqual([{ key: keyOf('a'), keep: 0 }]);
  });
});

describe('pitfall 29: a cache that turns from everything to nothing', () => {
  test('a step takes the share that the guard lets go, service by service', () => {
    const before = known(seen('c', 50), seen('a', 20), seen('b', 30));
    expect(planExpiry(before, due)).toEqual([
      { key: keyOf('a'), keep: 0 },
      { key: keyOf('b'), keep: 20 },
    ]);
  });

  test('services without endpoints are passed over', () => {
    expect(planExpiry(known(seen('a', 0), seen('b', 3)), due)).toEqual([{ key: keyOf('b'), keep: 0 }]);
  });

  test.each([
    ['maxRemoved when the share is less', { maxRemoved: 10, maxRemovedPercent: 30 }, 20, 10],
    ['the share when that is more', { maxRemoved: 10, maxRemovedPercent: 30 }, 50, 35],
    ['a share rounded down', { maxRemoved: 0, maxRemovedPercent: 30 }, 9, 7],
    ['one at least', { maxRemoved: 0, maxRemovedPercent: 0 }, 5, 4],
  ])('it takes %s', (_, limits, endpoints, keep) => {
    const policy = { ...DEFAULT_GUARD, ...limits };
    expect(planExpiry(known(seen('a', endpoints)), { ...due, policy })).toEqual([{ key: keyOf('a'), keep }]);
  });

  test('after enough steps no endpoint is left, and every service still is', () => {
    let counts = new Map([
      [keyOf('a'), 100],
      [keyOf('b'), 7],
    ]);
    let steps = 0;
    for (; [...counts.values()].some((count) => count > 0); steps += 1) {
      const now = known(...[...counts].map(([key, count]) => seen(key.slice('shop/'.length, -'.shop'.length), count)));
      counts = new Map([...counts, ...planExpiry(now, due).map(({ key, keep }) => [key, keep] as const)]);
      expect(steps).toBeLessThan(20);
    }
    expect(steps).toBe(7);
    expect(counts.size).toBe(2);
  });
});
