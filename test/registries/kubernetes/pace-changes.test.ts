import { ChangePacer, DEFAULT_PACE } from '../../../lib/registries/kubernetes/pace-changes';

const pacer = () => new ChangePacer<string>({ quietMs: 100, maxMs: 1_000 });

test('the pace of Istio, but one second at most', () => {
  expect(DEFAULT_PACE).toEqual({ quietMs: 100, maxMs: 1_000 });
});

test('nothing is due when nothing happened', () => {
  const changes = pacer();
  expect(changes.nextDue()).toBeUndefined();
  expect(changes.take(1_000)).toEqual([]);
});

test('good news after a quiet time is due at once', () => {
  const changes = pacer();
  changes.touch('a', 5_000, false);
  expect(changes.nextDue()).toBe(5_000);
  expect(changes.take(5_000)).toEqual(['a']);
  expect(changes.take(5_000)).toEqual([]);
});

test('bad news waits for quiet', () => {
  const changes = pacer();
  changes.touch('a', 5_000, true);
  expect(changes.nextDue()).toBe(5_100);
  expect(changes.take(5_099)).toEqual([]);
  expect(changes.take(5_100)).toEqual(['a']);
});

test('further news waits for quiet, good or bad', () => {
  const changes = pacer();
  changes.touch('a', 5_000, false);
  changes.take(5_000);
  changes.touch('a', 5_099, false);
  expect(changes.nextDue()).toBe(5_199);
});

test('good news is at once again when it was quiet for long enough', () => {
  const changes = pacer();
  changes.touch('a', 5_000, false);
  changes.take(5_000);
  changes.touch('a', 5_100, false);
  expect(changes.nextDue()).toBe(5_100);
});

test('a second change takes the first with it', () => {
  const changes = pacer();
  changes.touch('a', 5_000, false);
  changes.touch('a', 5_001, true);
  expect(changes.nextDue()).toBe(5_101);
});

test('what never gets quiet is due after the maximum', () => {
  const changes = pacer();
  for (let at = 5_000; at <= 5_990; at += 90) changes.touch('a', at, true);
  expect(changes.nextDue()).toBe(6_000);
  expect(changes.take(6_000)).toEqual(['a']);
});

test('services do not wait for each other', () => {
  const changes = pacer();
  changes.touch('a', 5_000, true);
  changes.touch('b', 5_050, true);
  changes.touch('c', 5_050, false);
  expect(changes.nextDue()).toBe(5_050);
  expect(changes.take(5_100)).toEqual(['a', 'c']);
  expect(changes.nextDue()).toBe(5_150);
});

test('quiet is: nothing pending, and no change of late', () => {
  const changes = pacer();
  expect(changes.isQuiet('a', 5_000)).toBe(true);
  changes.touch('a', 5_000, false);
  expect(changes.isQuiet('a', 9_000)).toBe(false);
  changes.take(5_000);
  expect(changes.isQuiet('a', 5_099)).toBe(false);
  expect(changes.isQuiet('a', 5_100)).toBe(true);
  changes.take(5_100);
  expect(changes.isQuiet('a', 5_050)).toBe(true);
});

test('what has been told otherwise is no longer pending', () => {
  const changes = pacer();
  changes.touch('a', 5_000, true);
  changes.clear();
  expect(changes.nextDue()).toBeUndefined();
  expect(changes.take(9_000)).toEqual([]);
});
