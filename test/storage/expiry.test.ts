import { expiryAfter, expirySeconds, isExpired } from '../../lib/storage/expiry';

const NOON_MS = Date.parse('2026-11-30T12:00:00.000Z');
const NOON = NOON_MS / 1000;

describe('expiry', () => {
  test.each([
    ['2026-11-30T12:00:00.000Z', 1, NOON + 86_400],
    ['2026-11-30T12:00:00.000Z', 14, NOON + 14 * 86_400],
    ['2026-11-30T11:59:59.001Z', 7, NOON + 7 * 86_400],
  ])('of %s after %i days is a whole second, not earlier', (time, days, seconds) => {
    expect(expiryAfter(time, days)).toBe(seconds);
  });

  test.each([
    ['before its second', NOON_MS - 1, false],
    ['at its second', NOON_MS, true],
    ['after it', NOON_MS + 1000, true],
  ])('an item %s has expired or not', (_when, nowMs, expired) => {
    expect(isExpired({ expiresAt: NOON }, nowMs)).toBe(expired);
  });

  test('an item without expiry never expires', () => {
    expect(isExpired({}, Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  test('is compared in whole seconds', () => {
    expect([NOON_MS - 1, NOON_MS, NOON_MS + 999].map(expirySeconds)).toEqual([NOON - 1, NOON, NOON]);
  });
});
