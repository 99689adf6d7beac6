import { durationSchema } from '../../lib/model/duration-schema';

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
