import { DEFAULT_GUARD } from '../../lib/polling/poll-settings';
import {
  describeRemovals,
  exceedsGuard,
  hashRemovals,
  measureLoss,
  missing,
  shrinking,
  takesTooMuch,
  type Removal,
  type Removals,
} from '../../lib/polling/removal-guard';
import { endpoints, fleet, keyOf, known, knownOf, seen } from '../support/readings';
import { endpoint } from '../support/stored-snapshots';

describe('the limits', () => {
  const none = { services: 0, endpoints: 0, ofServices: 100, ofEndpoints: 1000 };
  test.each([
    ['nothing', none, false],
    ['services at the percentage', { ...none, services: 30 }, false],
    ['services over it', { ...none, services: 31 }, true],
    ['services over it, but few', { ...none, services: 10, ofServices: 10 }, false],
    ['services over it, and one more', { ...none, services: 11, ofServices: 11 }, true],
    ['endpoints at the percentage', { ...none, endpoints: 300 }, false],
    ['endpoints over it', { ...none, endpoints: 301 }, true],
    ['endpoints over it, but few', { ...none, endpoints: 10, ofEndpoints: 10 }, false],
    ['endpoints over it, and one more', { ...none, endpoints: 11, ofEndpoints: 11 }, true],
  ])('%s', (_, loss, expected) => {
    expect(exceedsGuard(loss, DEFAULT_GUARD)).toBe(expected);
  });

  test.each([
    [0, 0, 1, true],
    [0, 100, 1, false],
    [1, 0, 1, false],
    [0, 0, 0, false],
  ])(
    'maxRemoved %i, maxRemovedPercent %i: losing %i is too much: %s',
    (maxRemoved, maxRemovedPercent, services, expected) => {
      const loss = { ...none, services, ofServices: services };
      expect(exceedsGuard(loss, { ...DEFAULT_GUARD, maxRemoved, maxRemovedPercent })).toBe(expected);
    },
  );

  test('a fraction of a percent is a limit like any other', () => {
    const policy = { ...DEFAULT_GUARD, maxRemoved: 0, maxRemovedPercent: 0.5 };
    expect(exceedsGuard({ ...none, services: 1, ofServices: 200 }, policy)).toBe(false);
    expect(exceedsGuard({ ...none, services: 1, ofServices: 199 }, policy)).toBe(true);
  });
});

describe('the loss', () => {
  const before = known(seen('a', 4), seen('b', 3), seen('c', 0));
  test.each([
    ['nothing named', [], [], { services: 0, endpoints: 0, ofServices: 3, ofEndpoints: 7 }],
    ['one gone', [['a', undefined]], [], { services: 1, endpoints: 4, ofServices: 3, ofEndpoints: 7 }],
    ['one shrunk', [['a', 1]], [], { services: 0, endpoints: 3, ofServices: 3, ofEndpoints: 7 }],
    [
      'one grown does not make up for it',
      [
        ['a', 1],
        ['b', 9],
      ],
      [],
      { services: 0, endpoints: 3, ofServices: 3, ofEndpoints: 7 },
    ],
    ['an empty one gone', [['c', undefined]], [], { services: 1, endpoints: 0, ofServices: 3, ofEndpoints: 7 }],
    ['lost in the last minute', [], [['a', 10]], { services: 0, endpoints: 6, ofServices: 3, ofEndpoints: 13 }],
    ['gained in the last minute', [], [['a', 1]], { services: 0, endpoints: 0, ofServices: 3, ofEndpoints: 4 }],
    [
      'gained in it and lost again',
      [['a', 1]],
      [['a', 1]],
      { services: 0, endpoints: 0, ofServices: 3, ofEndpoints: 4 },
    ],
    ['lost in it and back', [['a', 9]], [['a', 9]], { services: 0, endpoints: 0, ofServices: 3, ofEndpoints: 12 }],
    ['gone in the last minute', [], [['x', 5]], { services: 1, endpoints: 5, ofServices: 4, ofEndpoints: 12 }],
    ['gone and back with fewer', [['x', 2]], [['x', 5]], { services: 0, endpoints: 3, ofServices: 4, ofEndpoints: 12 }],
  ] as const)('%s', (_, after, earlier, expected) => {
    const named = (pairs: readonly (readonly [string, number | undefined])[]) =>
      new Map(pairs.map(([name, count]) => [keyOf(name), count] as const));
    const counts = new Map(earlier.map(([name, count]) => [keyOf(name), count] as const));
    expect(measureLoss(before, named(after), counts)).toEqual(expected);
  });
});

describe('too much', () => {
  const before = known(seen('a', 20), seen('b', 20));
  const after = (a: number, b: number) =>
    new Map([
      [keyOf('a'), a],
      [keyOf('b'), b],
    ]);
  const earlier = (a: number, b: number) => after(a, b);
  test.each([
    ['neither alone nor with the last minute', after(15, 20), earlier(22, 20), false],
    ['alone', after(7, 20), new Map(), true],
    ['alone, though it was gained within the last minute', after(7, 20), earlier(7, 20), true],
    ['alone, though more was there a minute ago, and comes back', after(7, 60), earlier(20, 60), true],
    ['only with the last minute', after(15, 20), earlier(40, 20), true],
  ])('%s', (_, counts, ago, expected) => {
    expect(takesTooMuch(before, counts, ago, DEFAULT_GUARD)).toBe(expected);
  });
});

describe('the name of a set of removals', () => {
  const of = (...removals: readonly (readonly [string, Removal])[]): Removals =>
    new Map(removals.map(([name, removal]) => [keyOf(name), removal] as const));
  const web = knownOf(seen('web', 10));
  const api = knownOf(seen('api', 1));
  const left = (told: ReturnType<typeof endpoints>): Removals => of(['web', shrinking(web, told)]);

  test('does not depend on their order', () => {
    expect(hashRemovals(of(['web', missing(web)], ['api', missing(api)]))).toBe(
      hashRemovals(of(['api', missing(api)], ['web', missing(web)])),
    );
  });

  test('tells a missing service from another one, and from a shrinking one', () => {
    const hashes = [of(['web', missing(web)]), of(['api', missing(web)]), left(endpoints(0)), of()].map(hashRemovals);
    expect(new Set(hashes).size).toBe(4);
  });

  test('does not depend on how many endpoints a missing service had', () => {
    expect(hashRemovals(of(['web', missing(web)]))).toBe(hashRemovals(of(['web', missing(api)])));
  });

  test('depends on which endpoints are left, not on what they are like', () => {
    const [first] = endpoints(1);
    expect(hashRemovals(left(endpoints(1)))).toBe(
      hashRemovals(left([endpoint(first?.addresses[0] ?? '', { health: 'UnHealthy', weight: 7 })])),
    );
    const others = [endpoints(2), endpoints(1, 1), [endpoint('10.0.0.0', { port: 9999 })]];
    for (const other of others) expect(hashRemovals(left(other))).not.toBe(hashRemovals(left(endpoints(1))));
  });
});

test('the row tells how many services and endpoints are held, and names the first ten', () => {
  const lost = fleet(11, 3);
  const removals = new Map([
    [keyOf('z'), shrinking(knownOf(seen('z', 5)), endpoints(1))] as const,
    ...[...lost].reverse().map((snapshot) => [snapshot.key, missing(knownOf(snapshot))] as const),
  ]);
  expect(describeRemovals(removals)).toEqual({
    services: 11,
    endpoints: 37,
    sample: lost.slice(0, 10).map((snapshot) => snapshot.key),
    hash: hashRemovals(removals),
  });
});

test('what becomes of a service', () => {
  const web = knownOf(seen('web', 5));
  expect(missing(web)).toEqual({ endpoints: 5, left: undefined });
  expect(shrinking(web, endpoints(2))).toMatchObject({ endpoints: 3, left: { count: 2 } });
});
