import * as fc from 'fast-check';
import { MAX_CALL_BYTES, MAX_CALL_ENTRIES, packEntries } from '../../lib/changes/pack-entries';

function pack(...sizes: readonly number[]) {
  return packEntries(sizes.map((bytes) => ({ bytes }))).map((call) => call.map(({ bytes }) => bytes));
}

test.each([
  [[], []],
  [Array<number>(10).fill(1), [Array(10).fill(1)]],
  [Array<number>(11).fill(1), [Array(10).fill(1), [1]]],
  [
    [600_000, 400_000, 1],
    [[600_000, 400_000], [1]],
  ],
  [
    [600_000, 400_001],
    [[600_000], [400_001]],
  ],
  [
    [1, 2_000_000, 1],
    [[1], [2_000_000], [1]],
  ],
])('entries of %j bytes go in calls of %j', (sizes, calls) => {
  expect(pack(...sizes)).toEqual(calls);
});

test('nothing is lost or reordered, and every call is within the limits', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: MAX_CALL_BYTES })), (sizes) => {
      const calls = pack(...sizes);
      expect(calls.flat()).toEqual(sizes);
      for (const call of calls) {
        expect(call.length).toBeLessThanOrEqual(MAX_CALL_ENTRIES);
        expect(call.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(MAX_CALL_BYTES);
      }
    }),
  );
});

test('the limits are those of EventBridge', () => {
  expect([MAX_CALL_ENTRIES, MAX_CALL_BYTES]).toEqual([10, 1_000_000]);
});
