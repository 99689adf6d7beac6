import { backOffMs } from '../../lib/polling/back-off';

test.each([
  [1, 1000],
  [2, 2000],
  [3, 4000],
  [6, 32_000],
  [7, 60_000],
  [8, 60_000],
  [5000, 60_000],
])('after %i failures the pause is up to %i ms, and at least half of that', (failures, whole) => {
  expect(backOffMs(failures, 1)).toBe(whole);
  expect(backOffMs(failures, 0)).toBe(whole / 2);
  expect(backOffMs(failures, 0.5)).toBe(whole * 0.75);
});
