import type { Hold } from '../../lib/polling/decide-removals';
import { planSnapshotWrites, type PlanCircumstances, type SnapshotPlan } from '../../lib/polling/plan-snapshot-writes';
import { DEFAULT_GUARD, type GuardPolicy } from '../../lib/polling/poll-settings';
import { describeRemovals, missing, type KnownSnapshots, type Removals } from '../../lib/polling/removal-guard';
import type { RegistryReading } from '../../lib/registries/registry';
import type { ServiceKey } from '../../lib/model/service-key';
import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import { delta, endpoints, fleet, full, keyOf, known, knownOf, REGISTRY, seen } from '../support/readings';
import { endpoint } from '../support/stored-snapshots';
import { thrownBy } from '../support/thrown-by';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');
const SECOND = 1000;

type Given = Partial<PlanCircumstances> & { readonly policy?: Partial<GuardPolicy>; readonly hold?: Hold };

function plan(before: KnownSnapshots, reading: RegistryReading, given: Given = {}): SnapshotPlan {
  const { policy, hold, ...circumstances } = given;
  return planSnapshotWrites(before, reading, { ...DEFAULT_GUARD, ...policy }, hold, {
    registry: REGISTRY,
    precedence: 0,
    unreadable: [],
    approved: undefined,
    earlier: new Map(),
    nowMs: NOW,
    ...circumstances,
  });
}

/** The plan for one service, in the words of the truth table. */
function verdict(planned: SnapshotPlan, key: ServiceKey): string {
  const verdicts = [
    ...(planned.puts.some(({ snapshot }) => snapshot.key === key) ? ['put'] : []),
    ...(planned.unions.some((snapshot) => snapshot.key === key) ? ['union'] : []),
    ...(planned.tombstones.includes(key) ? ['tombstone'] : []),
    ...(planned.frozen.includes(key) ? ['frozen'] : []),
    ...(planned.hold?.removals?.has(key) === true ? ['held'] : []),
  ];
  return verdicts.length === 0 ? 'nothing' : verdicts.join(' and ');
}

const web = seen('web', 3);
const key = keyOf('web');
/** Limits that no removal passes, and limits that every one does. */
const holds: Given = { policy: { maxRemoved: 0, maxRemovedPercent: 0 } };
const letsGo: Given = { policy: { maxRemovedPercent: 100 } };
const unreadable = { unreadable: [{ source: 'file/web', reason: 'forbidden' }] };

describe('the truth table', () => {
  const other = seen('web', 3, { service: { labels: { v: '2' } } });
  const grown = seen('web', 4);
  const fewer = seen('web', 2);
  type Row = readonly [string, KnownSnapshots, RegistryReading, Given, string];
  const rows: readonly Row[] = [
    ['stored, has it, source unreadable', known(web), full([other], ['file/web']), letsGo, 'frozen'],
    ['stored, has it equal, source unreadable', known(web), full([web], ['file/web']), letsGo, 'frozen'],
    [
      'stored, has it with fewer endpoints, source unreadable',
      known(web),
      full([fewer], ['file/web']),
      letsGo,
      'frozen',
    ],
    ['stored, lacks it, source unreadable', known(web), full([], ['file/web']), letsGo, 'frozen'],
    ['stored, a delta has it, source unreadable', known(web), delta([other]), unreadable, 'frozen'],
    ['stored, a delta removes it, source unreadable', known(web), delta([], [key]), unreadable, 'frozen'],
    ['not stored, has it, source unreadable', known(), full([web], ['file/web']), letsGo, 'frozen'],
    ['not stored, has it', known(), full([web]), holds, 'put'],
    ['not stored, a delta has it', known(), delta([web]), holds, 'put'],
    ['not stored, a delta removes it', known(), delta([], [key]), holds, 'nothing'],
    ['stored, a delta does not name it', known(web), delta([seen('x')]), letsGo, 'nothing'],
    ['stored, has it, equal', known(web), full([web]), holds, 'nothing'],
    ['stored, a delta has it, equal', known(web), delta([web]), holds, 'nothing'],
    ['stored, has it, other, as many endpoints', known(web), full([other]), holds, 'put'],
    ['stored, has it, more endpoints', known(web), full([grown]), holds, 'put'],
    ['stored, fewer endpoints, guard lets go', known(web), full([fewer]), letsGo, 'put'],
    ['stored, fewer endpoints in a delta, guard lets go', known(web), delta([fewer]), letsGo, 'put'],
    ['stored, fewer endpoints, guard holds', known(web), full([fewer]), holds, 'union and held'],
    ['stored, fewer endpoints in a delta, guard holds', known(web), delta([fewer]), holds, 'union and held'],
    ['stored, lacks it, guard lets go', known(web), full([]), letsGo, 'tombstone'],
    ['stored, a delta removes it, guard lets go', known(web), delta([], [key]), letsGo, 'tombstone'],
    ['stored, lacks it, guard holds', known(web), full([]), holds, 'held'],
    ['stored, a delta removes it, guard holds', known(web), delta([], [key]), holds, 'held'],
  ];
  test.each(rows)('%s', (_, before, reading, given, expected) => {
    expect(verdict(plan(before, reading, given), key)).toBe(expected);
  });
});

describe('no write', () => {
  const stored = knownOf(web);
  test.each([
    ['hash, precedence, schema and sources are equal', stored, 'nothing'],
    ['the hash differs', { ...stored, hash: 'other' }, 'put'],
    ['the precedence differs', { ...stored, precedence: 1 }, 'put'],
    ['the schema is an older one', { ...stored, schema: 0 }, 'put'],
    ['it came from other sources', { ...stored, sources: ['file/other'] }, 'put'],
    ['it came from more sources', { ...stored, sources: ['file/web', 'file/x', 'file/y'] }, 'put'],
    ['one of its sources is another', { ...stored, sources: ['file/web', 'file/x'] }, 'put'],
    ['it came from fewer sources', { ...stored, sources: [] }, 'put'],
  ])('only when everything is equal: %s', (_, before, expected) => {
    const sources = before.sources.length > 1 ? ['file/web', 'file/y'] : ['file/web'];
    expect(verdict(plan(known(before), full([seen('web', 3, { sources })])), key)).toBe(expected);
  });
});

describe('pitfall 1, 3, 4: what could not be read is not gone', () => {
  test('a bad source freezes its own services and nothing else', () => {
    const others = [seen('a'), seen('c')];
    const planned = plan(known(seen('a', 2), seen('b'), seen('d')), full(others, ['file/b']), letsGo);
    expect(planned.kind).toBe('partial');
    expect(planned.frozen).toEqual([keyOf('b')]);
    expect(planned.tombstones).toEqual([keyOf('d')]);
    expect(planned.puts.map(({ snapshot }) => snapshot.key)).toEqual([keyOf('a'), keyOf('c')]);
    expect(planned.unreadable).toEqual([{ source: 'file/b', reason: 'forbidden' }]);
  });

  test('a service is frozen by a source that it only was last seen in', () => {
    const moved = seen('web', 1, { sources: ['file/new'] });
    expect(verdict(plan(known(web), full([moved], ['file/web']), letsGo), key)).toBe('frozen');
  });

  test('a service is frozen by a source that it only has now', () => {
    const moved = seen('web', 1, { sources: ['file/new'] });
    expect(verdict(plan(known(web), full([moved], ['file/new']), letsGo), key)).toBe('frozen');
  });

  test('one unreadable source of several is enough', () => {
    const both = knownOf(web, { sources: ['file/web', 'file/x'] });
    expect(verdict(plan(known(both), full([], ['file/x']), letsGo), key)).toBe('frozen');
  });

  test.each([
    ['file/', 'frozen'],
    ['file/web/', 'tombstone'],
    ['file', 'tombstone'],
    ['file/we', 'tombstone'],
    ['file/web', 'frozen'],
  ])('the unreadable source %j covers file/web: %s', (source, expected) => {
    expect(verdict(plan(known(web), full([], [source]), letsGo), key)).toBe(expected);
  });

  test.each<[string, KnownSnapshots, readonly ServiceSnapshot[], string]>([
    ['a service that it shows is written', known(), [web], 'put'],
    ['a known one with another content is written', known(seen('web', 2)), [web], 'put'],
    ['a known one that it lacks may be hidden, and stays', known(web), [], 'frozen'],
    ['one of another source that it lacks is gone', known(seen('web', 3, { sources: ['file/x'] })), [], 'tombstone'],
  ])('of a source that was seen in part, %s', (_rule, before, snapshots, expected) => {
    const inPart = [{ source: 'file/web', reason: 'filtered', seenInPart: true }] as const;
    const planned = plan(before, { ...full(snapshots), unreadable: inPart }, letsGo);
    expect(planned.kind).toBe('partial');
    expect(verdict(planned, key)).toBe(expected);
  });

  test('a source that was seen in part says nothing good of one that was not seen', () => {
    const reading: RegistryReading = {
      ...full([web]),
      unreadable: [
        { source: 'file/x', reason: 'filtered', seenInPart: true },
        { source: 'file/web', reason: 'forbidden' },
      ],
    };
    expect(verdict(plan(known(seen('web', 2)), reading, letsGo), key)).toBe('frozen');
  });

  test('a service that names no source is frozen by any unreadable one', () => {
    const unknown = knownOf(web, { sources: [] });
    expect(verdict(plan(known(unknown), full([], ['file/x']), letsGo), key)).toBe('frozen');
    expect(verdict(plan(known(unknown), full([]), letsGo), key)).toBe('tombstone');
  });

  test('frozen services count as there for the guard', () => {
    const before = known(...fleet(40));
    const planned = plan(before, full(fleet(28), ['file/s-039']));
    expect(planned.tombstones).toHaveLength(11);
    expect(planned.hold).toBeUndefined();
  });
});

describe('accounts', () => {
  const account = 'spiffe://cluster.local/ns/shop/sa/web';
  const withAccount = seen('web', [endpoint('10.0.0.1', { serviceAccount: account })]);
  const accounts = (before: KnownSnapshots, now: ServiceSnapshot): readonly string[] | undefined =>
    plan(before, full([now]), letsGo).puts[0]?.endpointAccounts;

  test('are those of the endpoints', () => {
    expect(accounts(known(), withAccount)).toEqual([account]);
    expect(accounts(known(withAccount), seen('web', 1))).toEqual([]);
  });

  test('stay when the last endpoint goes, as long as the resolution carries endpoints', () => {
    const none = (resolution: 'ClientSideLB' | 'Alias') => seen('web', 0, { service: { resolution } });
    expect(accounts(known(withAccount), none('ClientSideLB'))).toEqual([account]);
    expect(accounts(known(withAccount), none('Alias'))).toEqual([]);
  });

  test('stay from one empty snapshot to the next', () => {
    const empty = seen('web', 0);
    const relabelled = seen('web', 0, { service: { labels: { v: '2' } } });
    expect(accounts(known(knownOf(empty, { endpointAccounts: [account] })), relabelled)).toEqual([account]);
  });

  test('of a service that comes without endpoints there are none', () => {
    expect(accounts(known(), seen('web', 0))).toEqual([]);
  });
});

describe('the limits of the guard', () => {
  const lacking = (of: number, lost: number): SnapshotPlan => plan(known(...fleet(of, 0)), full(fleet(of - lost, 0)));

  test.each([
    [40, 12, 'exactly 30 %', 12, 0],
    [39, 12, 'more than 30 % and more than 10', 0, 12],
    [10, 10, 'all, but exactly 10', 10, 0],
    [11, 11, 'all, which is more than 10', 0, 11],
    [100, 30, 'exactly 30 %', 30, 0],
    [100, 31, 'more than 30 %', 0, 31],
    [1000, 300, 'exactly 30 %', 300, 0],
  ])('of %i services %i are missing: %s', (of, lost, _, removed, held) => {
    const planned = lacking(of, lost);
    expect(planned.tombstones).toHaveLength(removed);
    expect(planned.hold?.held.services ?? 0).toBe(held);
  });

  const shrinkingTo = (of: number, left: number): SnapshotPlan =>
    plan(known(seen('web', of)), full([seen('web', left)]));

  test.each([
    [40, 28, 'exactly 30 %', 'put'],
    [40, 27, 'more than 30 % and more than 10', 'union and held'],
    [20, 10, 'half, but exactly 10', 'put'],
    [20, 9, 'more than 10', 'union and held'],
    [11, 0, 'all, more than 10', 'union and held'],
    [10, 0, 'all, exactly 10', 'put'],
  ])('of %i endpoints of one service %i are left: %s', (of, left, _, expected) => {
    expect(verdict(shrinkingTo(of, left), key)).toBe(expected);
  });

  test('services and endpoints are measured each for themselves', () => {
    const few = Array.from({ length: 2 }, (_, n) => seen(`big-${n}`, 30));
    const many = fleet(98, 1);
    const endpointsOnly = plan(known(...few, ...many), full(many));
    expect(endpointsOnly.hold?.held).toMatchObject({ services: 2, endpoints: 60 });
    const servicesOnly = plan(known(seen('huge', 250), ...fleet(20, 1)), full([seen('huge', 250), ...fleet(9, 1)]));
    expect(servicesOnly.hold?.held).toMatchObject({ services: 11, endpoints: 11 });
  });

  test('missing and shrinking services add up, and all of them are held', () => {
    const before = known(seen('a', 6), seen('b', 6), seen('c', 6));
    const planned = plan(before, full([seen('b', 1), seen('c', 6)]));
    expect(planned.hold?.held).toMatchObject({ services: 1, endpoints: 11, sample: [keyOf('a'), keyOf('b')] });
    expect(verdict(planned, keyOf('b'))).toBe('union and held');
    expect(planned.tombstones).toEqual([]);
  });

  test('everything else of the reading is applied', () => {
    const before = known(...fleet(20), seen('same', 2), seen('grows', 1));
    const reading = full([seen('same', 2), seen('grows', 2), seen('new', 1)]);
    const planned = plan(before, reading);
    expect(planned.puts.map(({ snapshot }) => snapshot.key)).toEqual([keyOf('grows'), keyOf('new')]);
    expect(planned.hold?.held.services).toBe(20);
  });

  test('new services and endpoints do not make up for lost ones', () => {
    const replaced = plan(known(...fleet(20, 1, 'old')), full(fleet(20, 1, 'new')));
    expect(replaced.hold?.held.services).toBe(20);
    expect(replaced.puts).toHaveLength(20);
  });

  test('a partial reading is measured too, by what it can tell', () => {
    const planned = plan(known(...fleet(40)), full([], ['file/s-039']));
    expect(planned.hold?.held).toMatchObject({ services: 39, confirmations: 0 });
  });

  test('pitfall 5: an empty complete reading of more than ten services removes nothing', () => {
    const planned = plan(known(...fleet(11, 3)), full([]));
    expect(planned.tombstones).toEqual([]);
    expect(planned.puts).toEqual([]);
    expect(planned.hold?.held).toEqual({
      services: 11,
      endpoints: 33,
      sample: fleet(10).map((snapshot) => snapshot.key),
      hash: describeRemovals(removalsOf(fleet(11, 3))).hash,
      since: '2026-01-01T12:00:00.000Z',
      confirmations: 1,
      confirmedSince: '2026-01-01T12:00:00.000Z',
    });
  });

  test('pitfall 9: a first reading that is empty removes nothing, since nothing is known', () => {
    expect(plan(known(), full([]))).toMatchObject({ kind: 'complete', puts: [], tombstones: [], hold: undefined });
  });
});

describe('the last minute', () => {
  test('counts along: what has gone, and what has shrunk', () => {
    const before = known(...fleet(91, 0));
    const earlier = new Map(fleet(29, 0, 'gone').map((snapshot) => [snapshot.key, 0] as const));
    expect(plan(before, delta([], [keyOf('s-000')]), { earlier }).tombstones).toHaveLength(1);
    expect(
      plan(before, delta([], [keyOf('s-000')]), { earlier: new Map([...earlier, [keyOf('more'), 0]]) }).hold,
    ).toBeUndefined();
    const ten = fleet(10, 0).map((snapshot) => snapshot.key);
    expect(plan(before, delta([], ten), { earlier }).hold?.held.services).toBe(10);
  });

  test('what was gained in it and is lost again is a loss', () => {
    const before = known(seen('web', 20));
    expect(verdict(plan(before, full([seen('web', 5)]), { earlier: new Map([[key, 5]]) }), key)).toBe('union and held');
  });

  test('a loss that is made up for by this very reading is none', () => {
    const before = known(seen('a', 5), seen('b', 20));
    const earlier = new Map([[keyOf('a'), 20]]);
    const planned = plan(before, full([seen('a', 20), seen('b', 15)]), { earlier });
    expect(planned.hold).toBeUndefined();
  });

  test('a loss from reading to reading adds up', () => {
    const before = known(seen('a', 9), seen('b', 20));
    const earlier = new Map([[keyOf('a'), 20]]);
    expect(plan(before, full([seen('a', 9), seen('b', 18)]), { earlier }).hold?.held).toMatchObject({ endpoints: 2 });
  });
});

describe('while something is held', () => {
  const lost = fleet(20, 1, 'lost');
  const kept = fleet(20, 1, 'kept');
  const before = known(...lost, ...kept);
  const held: Hold = {
    held: {
      ...describeRemovals(removalsOf(lost)),
      since: new Date(NOW - 5 * SECOND).toISOString(),
      confirmations: 1,
      confirmedSince: new Date(NOW - 5 * SECOND).toISOString(),
    },
    removals: removalsOf(lost),
    suspects: new Set(lost.map((snapshot) => snapshot.key)),
  };

  test('nothing is forgotten: what is held is still known, and held again', () => {
    const planned = plan(before, full(kept), { hold: held });
    expect(planned.tombstones).toEqual([]);
    expect(planned.hold?.held).toMatchObject({ services: 20, confirmations: 2 });
    expect(planned.notes).toEqual([]);
  });

  test('a delta that removes held services along with another one removes that one', () => {
    const planned = plan(before, delta([], [...lost.map((snapshot) => snapshot.key), keyOf('kept-000')]), {
      hold: held,
    });
    expect(planned.tombstones).toEqual([keyOf('kept-000')]);
    expect(planned.hold?.held.services).toBe(20);
  });

  test('a delta that names something else leaves it as it is', () => {
    const planned = plan(before, delta([seen('kept-000', 2)]), { hold: held });
    expect(planned.hold).toEqual(held);
    expect(verdict(planned, keyOf('kept-000'))).toBe('put');
  });

  test('a delta that removes a held service does not let it go', () => {
    const planned = plan(before, delta([], [keyOf('lost-000')]), { hold: held });
    expect(planned.tombstones).toEqual([]);
    expect(planned.hold?.held.confirmations).toBe(1);
  });

  test('a delta that removes another service removes it', () => {
    const planned = plan(before, delta([], [keyOf('kept-000')]), { hold: held });
    expect(planned.tombstones).toEqual([keyOf('kept-000')]);
    expect(planned.hold).toEqual(held);
  });

  test('a delta that brings all of them back clears the hold', () => {
    const planned = plan(before, delta(lost), { hold: held });
    expect(planned.hold).toBeUndefined();
    expect(planned.released).toBe('returned');
  });

  test('a partial reading keeps what it cannot see, and does not confirm', () => {
    const planned = plan(before, full(kept, ['file/lost-000']), { hold: held });
    expect(planned.hold?.held).toMatchObject({ services: 20, confirmations: 0 });
    expect(planned.tombstones).toEqual([]);
  });

  test('an approval of other removals is noted', () => {
    const planned = plan(before, full(kept), { hold: held, approved: 'other' });
    expect(planned.notes).toEqual([
      {
        code: 'ApprovalOutdated',
        message: `Removals other were approved, but by now ${held.held.hash} are held; approve those to let them go`,
      },
    ]);
    expect(planned.tombstones).toEqual([]);
  });

  test('an approval of just these lets them go', () => {
    const planned = plan(before, full(kept), { hold: held, approved: held.held.hash });
    expect(planned.released).toBe('approved');
    expect(planned.tombstones).toHaveLength(20);
    expect(planned.hold).toBeUndefined();
    expect(planned.notes).toEqual([]);
  });

  test('what shrinks agrees only when the same endpoints are left', () => {
    const big = known(seen('web', 40));
    const first = plan(big, full([seen('web', endpoints(20))]));
    const same = plan(big, full([seen('web', endpoints(20), { service: { labels: { v: '2' } } })]), {
      ...(first.hold === undefined ? {} : { hold: first.hold }),
    });
    expect(same.hold?.held.confirmations).toBe(2);
    const others = plan(big, full([seen('web', endpoints(20, 10))]), {
      ...(first.hold === undefined ? {} : { hold: first.hold }),
    });
    expect(others.hold?.held.confirmations).toBe(1);
  });
});

describe('a reading that contradicts itself', () => {
  test('a full one freezes the service and is partial', () => {
    const planned = plan(known(web), full([seen('web', 1), seen('web', 2), seen('x')]), letsGo);
    expect(planned.kind).toBe('partial');
    expect(planned.frozen).toEqual([key]);
    expect(planned.unreadable).toEqual([
      { source: key, reason: 'The reading holds two different snapshots of this service; it stays as it was' },
    ]);
    expect(planned.puts.map(({ snapshot }) => snapshot.key)).toEqual([keyOf('x')]);
  });

  test('a third snapshot equal to the first does not settle it', () => {
    expect(plan(known(), full([seen('web', 1), seen('web', 2), seen('web', 1)])).frozen).toEqual([key]);
  });

  test('the same snapshot twice is one', () => {
    const planned = plan(known(), full([web, web]));
    expect(planned.kind).toBe('complete');
    expect(planned.puts).toHaveLength(1);
  });

  test.each([
    ['two snapshots of one service', delta([seen('web', 1), seen('web', 2)])],
    ['a service that is there and removed', delta([web], [key])],
  ])('a delta with %s is refused', (_, reading) => {
    expect(thrownBy(() => plan(known(web), reading))).toMatchObject({
      code: 'InvalidReadingError',
      transient: false,
      message: 'A change of Mock/demo says two different things of shop/web.shop',
      details: { registry: REGISTRY, service: key },
    });
  });
});

test.each([full([seen('web', 1, { registry: 'Mock/other' })]), delta([seen('web', 1, { registry: 'Mock/other' })])])(
  'pitfall 28: a snapshot of another registry is refused ($type)',
  (reading) => {
    expect(thrownBy(() => plan(known(), reading))).toMatchObject({
      code: 'InvalidReadingError',
      message: 'A reading of Mock/demo holds shop/web.shop of Mock/other; allowed: its own services',
    });
  },
);

test('a plan is in the order of the keys, whatever the order of the reading', () => {
  const before = known(seen('y'), seen('b'), seen('z'));
  const planned = plan(before, full([seen('x'), seen('c'), seen('a')]), letsGo);
  expect(planned.puts.map(({ snapshot }) => snapshot.key)).toEqual([keyOf('a'), keyOf('c'), keyOf('x')]);
  expect(planned.tombstones).toEqual([keyOf('b'), keyOf('y'), keyOf('z')]);
});

test('the notes of the reading come through', () => {
  const note = { code: 'Skipped', message: 'one was skipped' };
  expect(plan(known(), full([], [], [note])).notes).toEqual([note]);
});

test('pitfall 25: an unchanged reading plans nothing', () => {
  const services = fleet(50, 2);
  expect(plan(known(...services), full(services))).toEqual({
    kind: 'complete',
    puts: [],
    unions: [],
    tombstones: [],
    frozen: [],
    unreadable: [],
    hold: undefined,
    released: undefined,
    notes: [],
  });
});

function removalsOf(snapshots: readonly ServiceSnapshot[]): Removals {
  return new Map(snapshots.map((snapshot) => [snapshot.key, missing(knownOf(snapshot))] as const));
}
