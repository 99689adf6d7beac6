import { publicationIndex, publicationRange } from '../../lib/changes/publication-time';
import { CART } from '../support/store-samples';

const NOW = Date.parse('2026-11-30T12:34:56.000Z');

describe('publicationIndex', () => {
  test('puts a change into its UTC hour, in order of time, service and version', () => {
    expect(publicationIndex({ key: CART, version: 7, publishedAt: '2026-11-30T12:59:59.999Z' })).toEqual({
      publishedHour: '2026-11-30T12',
      publishedOrder: '2026-11-30T12:59:59.999Z#shop/cart.example.com#7',
    });
  });

  test('takes the time in another spelling', () => {
    expect(publicationIndex({ key: CART, version: 7, publishedAt: '2026-12-01T00:30:00+02:00' })).toEqual({
      publishedHour: '2026-11-30T22',
      publishedOrder: '2026-11-30T22:30:00.000Z#shop/cart.example.com#7',
    });
  });

  test('refuses what is no time', () => {
    expect(() => publicationIndex({ key: CART, version: 7, publishedAt: 'soon' })).toThrow(
      'publishedAt "soon" is not a time',
    );
  });
});

describe('publicationRange', () => {
  test.each([
    ['within an hour', '2026-11-30T10:10:00Z', '2026-11-30T10:20:00Z', ['T10']],
    ['to the last moment of an hour', '2026-11-30T10:10:00Z', '2026-11-30T10:59:59.999Z', ['T10']],
    ['over the edge of an hour', '2026-11-30T10:59:59.999Z', '2026-11-30T11:00:00Z', ['T10', 'T11']],
    ['from the edge of an hour', '2026-11-30T10:00:00Z', '2026-11-30T12:00:00Z', ['T10', 'T11', 'T12']],
    ['backwards within an hour', '2026-11-30T10:20:00Z', '2026-11-30T10:10:00Z', []],
    ['backwards over hours', '2026-11-30T11:20:00Z', '2026-11-30T10:30:00Z', []],
  ])('%s looks into those hours', (_case, since, until, hours) => {
    expect(publicationRange(since, until, NOW).hours).toEqual(hours.map((hour) => `2026-11-30${hour}`));
  });

  test('includes both ends', () => {
    expect(publicationRange('2026-11-30T10:10:00Z', '2026-11-30T10:20:00Z', NOW)).toMatchObject({
      first: '2026-11-30T10:10:00.000Z',
      last: '2026-11-30T10:20:00.000Z$',
    });
  });

  test('does not look for changes older than they are kept', () => {
    const { hours, first } = publicationRange('1970-01-01T00:00:00Z', '2026-11-30T12:34:56Z', NOW);
    expect(first).toBe('2026-11-16T12:34:56.000Z');
    expect([hours.length, hours[0], hours.at(-1)]).toEqual([14 * 24 + 1, '2026-11-16T12', '2026-11-30T12']);
  });

  test('does not look further ahead than clocks may differ', () => {
    const { hours, last } = publicationRange('2026-11-30T12:00:00Z', '9999-01-01T00:00:00Z', NOW);
    expect(last).toBe('2026-11-30T13:34:56.000Z$');
    expect(hours).toEqual(['2026-11-30T12', '2026-11-30T13']);
  });
});
