import { durationSchema, formatDuration, parseDuration } from '../../lib/model/duration';

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

describe('durationSchema', () => {
  const schema = durationSchema({ min: '5s', max: '1h', wholeMinutes: true });

  test.each([
    ['5s', 5000],
    ['59s', 59_000],
    ['1m', 60_000],
    ['60s', 60_000],
    ['120s', 120_000],
    ['1h', 3_600_000],
  ])('takes %s', (text, ms) => {
    expect(schema.parse(text)).toBe(ms);
  });

  test.each([
    ['4s', 'out of range'],
    ['4999ms', 'out of range'],
    ['61m', 'out of range'],
    ['90s', 'out of range'],
    [5, 'not a duration'],
    ['5', 'not a duration'],
    [true, 'not a duration'],
  ])('refuses %j as %s and says what is allowed', (value, complaint) => {
    const issues = schema.safeParse(value).error?.issues.map((issue) => issue.message);
    expect(issues).toEqual([
      `${complaint}; allowed: 5s to 1h, written like 100ms, 5s, 15m or 1h; whole minutes from 1m on`,
    ]);
  });
});
