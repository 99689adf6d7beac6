import { formatDuration, parseDuration } from '../../lib/model/duration';

describe('parseDuration', () => {
  test.each([
    ['100ms', 100],
    ['0s', 0],
    ['5s', 5000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['007s', 7000],
  ])('reads %s as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['5', '', 's', '5 s', '5S', '1.5s', '-5s', '1h30m', '5d', ' 5s', '5s\n'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [1, '1ms'],
    [1500, '1500ms'],
    [90_000, '90s'],
    [60_000, '1m'],
    [3_600_000, '1h'],
    [5_400_000, '90m'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
    expect(parseDuration(text)).toBe(ms);
  });
});
