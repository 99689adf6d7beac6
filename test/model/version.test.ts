import { nextVersion } from '../../lib/model/version';

test.each([
  ['of a new key tells the time', undefined, 1000, 1000],
  ['grows with the time', 900, 1000, 1000],
  ['grows by one within a millisecond', 1000, 1000, 1001],
  ['grows by one when the clock went back', 2000, 1000, 2001],
  ['is 1 at least', undefined, 0, 1],
])('a version %s', (_what, previous, nowMs, version) => {
  expect(nextVersion(previous, nowMs)).toBe(version);
});
