import {
  decideRemovals,
  interruptHold,
  type Hold,
  type ReadingKind,
  type RemovalDecision,
} from '../../lib/polling/decide-removals';
import { DEFAULT_GUARD, type GuardPolicy } from '../../lib/polling/poll-settings';
import { describeRemovals, type Removals } from '../../lib/polling/removal-guard';
import { keyOf } from '../support/readings';

const START = Date.parse('2026-01-01T12:00:00.000Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Missing services by name, each with two endpoints. */
function missing(...names: readonly string[]): Removals {
  return new Map(names.map((name) => [keyOf(name), { endpoints: 2, left: undefined }] as const));
}

const hashOf = (...names: readonly string[]): string => describeRemovals(missing(...names)).hash;

function namesOf(removals: Removals | undefined): readonly string[] | undefined {
  return removals === undefined ? undefined : [...removals.keys()].map((key) => /\/(.*)\.shop/.exec(key)?.[1] ?? '');
}

type Reading = {
  readonly kind?: ReadingKind;
  readonly lacks: readonly string[];
  /** Services that the reading cannot speak of; of a delta, all that it names are spoken of. */
  readonly silentOn?: readonly string[];
  /** More removals than this are too much. */
  readonly limit?: number;
  readonly at?: number;
  readonly approved?: string;
  readonly policy?: Partial<GuardPolicy>;
};

function decide(hold: Hold | undefined, reading: Reading): RemovalDecision {
  const silentOn = new Set((reading.silentOn ?? []).map(keyOf));
  return decideRemovals({
    kind: reading.kind ?? 'complete',
    removals: missing(...reading.lacks),
    speaksOf: (key) => !silentOn.has(key),
    tooMuch: (some) => some.size > (reading.limit ?? 1),
    hold,
    approved: reading.approved,
    policy: { ...DEFAULT_GUARD, ...reading.policy },
    nowMs: START + (reading.at ?? 0),
  });
}

/** The hold after these readings. */
function holdAfter(...readings: readonly Reading[]): Hold {
  const last = readings.reduce<RemovalDecision | undefined>(
    (before, reading) => decide(before?.hold, reading),
    undefined,
  );
  if (last?.hold === undefined) throw new Error('nothing is held');
  return last.hold;
}

/** What a new run has of a hold: the row. */
const restarted = (hold: Hold): Hold => ({ held: hold.held, removals: undefined, suspects: new Set() });

const iso = (ms: number): string => new Date(START + ms).toISOString();

describe('a hold begins', () => {
  test('when a reading would take away too much', () => {
    const decision = decide(undefined, { lacks: ['b', 'a'] });
    expect(decision.released).toBeUndefined();
    expect(namesOf(decision.held)).toEqual(['b', 'a']);
    expect(decision.hold).toEqual({
      held: {
        services: 2,
        endpoints: 4,
        sample: [keyOf('a'), keyOf('b')],
        hash: hashOf('a', 'b'),
        since: iso(0),
        confirmations: 1,
        confirmedSince: iso(0),
      },
      removals: missing('b', 'a'),
      suspects: new Set([keyOf('b'), keyOf('a')]),
    });
  });

  test.each([
    ['complete', 1],
    ['partial', 0],
    ['delta', 0],
  ] as const)('by a %s reading, with %i confirmations', (kind, confirmations) => {
    expect(decide(undefined, { kind, lacks: ['a', 'b'] }).hold?.held.confirmations).toBe(confirmations);
  });

  test.each(['complete', 'partial', 'delta'] as const)('not within the limits (%s)', (kind) => {
    expect(decide(undefined, { kind, lacks: ['a'] })).toEqual({
      held: new Map(),
      hold: undefined,
      released: undefined,
    });
  });

  test('not when a single reading is confirmation enough, and then nothing was released either', () => {
    const policy = { confirmations: 1, minHoldMs: 0 };
    expect(decide(undefined, { lacks: ['a', 'b'], policy })).toEqual({
      held: new Map(),
      hold: undefined,
      released: undefined,
    });
    expect(decide(undefined, { kind: 'partial', lacks: ['a', 'b'], policy }).hold).toBeDefined();
  });

  test('not for removals that were approved before', () => {
    expect(decide(undefined, { lacks: ['a', 'b'], approved: hashOf('a', 'b') }).hold).toBeUndefined();
  });
});

describe('confirmations', () => {
  const policy = { confirmations: 3, minHoldMs: MINUTE };
  const lacks = ['a', 'b'];
  const at = (ms: number, more: Partial<Reading> = {}): Reading => ({ lacks, at: ms, policy, ...more });

  test('so many complete readings that agree let go, when they span long enough', () => {
    const hold = holdAfter(at(0), at(30 * SECOND));
    expect(hold.held).toMatchObject({ confirmations: 2, since: iso(0), confirmedSince: iso(0) });
    expect(decide(hold, at(MINUTE))).toEqual({ held: new Map(), hold: undefined, released: 'confirmed' });
  });

  test('too few of them do not, however long they span', () => {
    expect(decide(holdAfter(at(0)), at(10 * MINUTE)).hold?.held.confirmations).toBe(2);
  });

  test('enough of them do not before they span long enough', () => {
    const hold = holdAfter(at(0), at(SECOND), at(2 * SECOND), at(MINUTE - 1));
    expect(hold.held.confirmations).toBe(4);
    expect(decide(hold, at(MINUTE)).released).toBe('confirmed');
  });

  test('one that differs counts as the first of a new row, and the hold is as old as before', () => {
    const hold = holdAfter(at(0), at(20 * SECOND), at(40 * SECOND, { lacks: ['a', 'c'] }));
    expect(hold.held).toMatchObject({ confirmations: 1, confirmedSince: iso(40 * SECOND), since: iso(0) });
    expect(hold.held.hash).toBe(hashOf('a', 'c'));
  });

  test('a partial one ends the row', () => {
    const hold = holdAfter(at(0), at(20 * SECOND), at(40 * SECOND, { kind: 'partial' }));
    expect(hold.held.confirmations).toBe(0);
    expect(decide(hold, at(MINUTE)).hold?.held).toMatchObject({ confirmations: 1, confirmedSince: iso(MINUTE) });
  });

  test('a partial one never lets go, whatever was confirmed', () => {
    const hold = holdAfter(at(0), at(20 * SECOND), at(40 * SECOND));
    expect(decide(hold, at(2 * MINUTE, { kind: 'partial' })).released).toBeUndefined();
  });

  test('a failed one ends the row', () => {
    const hold = interruptHold(holdAfter(at(0), at(20 * SECOND)));
    expect(hold?.held).toMatchObject({ confirmations: 0, since: iso(0) });
    expect(hold?.removals).toEqual(missing(...lacks));
    expect(decide(hold, at(MINUTE)).hold?.held).toMatchObject({ confirmations: 1, confirmedSince: iso(MINUTE) });
  });

  test('without a hold a failed reading holds nothing', () => {
    expect(interruptHold(undefined)).toBeUndefined();
  });

  test('a delta neither confirms nor ends the row', () => {
    const hold = holdAfter(at(0), at(20 * SECOND), at(40 * SECOND, { kind: 'delta', lacks: [], silentOn: lacks }));
    expect(hold.held).toMatchObject({ confirmations: 2, confirmedSince: iso(0) });
    expect(decide(hold, at(MINUTE)).released).toBe('confirmed');
  });

  test('a delta that changes what is held ends it', () => {
    const more = at(40 * SECOND, { kind: 'delta', lacks: ['c', 'd'], silentOn: lacks });
    const hold = holdAfter(at(0), at(20 * SECOND), more);
    expect(hold.held).toMatchObject({ confirmations: 0, services: 4 });
  });

  test('go on in a new run', () => {
    const hold = restarted(holdAfter(at(0), at(30 * SECOND)));
    expect(decide(hold, at(MINUTE)).released).toBe('confirmed');
    expect(decide(hold, at(MINUTE, { lacks: ['a', 'b', 'c'] })).hold?.held.confirmations).toBe(1);
  });
});

describe('pitfall 6: a guard that never lets go', () => {
  const policy = { maxHoldMs: 15 * MINUTE };
  const at = (ms: number, lacks: readonly string[], kind: ReadingKind = 'complete'): Reading => ({
    lacks,
    at: ms,
    policy,
    kind,
  });

  test('after maxHold any complete reading is taken, though no two agreed', () => {
    const hold = holdAfter(at(0, ['a', 'b']), at(5 * MINUTE, ['a', 'c']), at(15 * MINUTE - 1, ['b', 'c']));
    expect(decide(hold, at(15 * MINUTE, ['a', 'd']))).toEqual({
      held: new Map(),
      hold: undefined,
      released: 'expired',
    });
  });

  test('and so is a partial one, for what it could read', () => {
    const hold = holdAfter(at(0, ['a', 'b'], 'partial'));
    expect(decide(hold, at(15 * MINUTE - 1, ['a', 'b'], 'partial')).released).toBeUndefined();
    expect(decide(hold, at(15 * MINUTE, ['a', 'b'], 'partial')).released).toBe('expired');
  });

  test('but no delta', () => {
    expect(decide(holdAfter(at(0, ['a', 'b'])), at(20 * MINUTE, ['a', 'b'], 'delta')).released).toBeUndefined();
  });

  test('a new run knows how old the hold is', () => {
    const hold = restarted(holdAfter(at(0, ['a', 'b'])));
    expect(decide(hold, at(15 * MINUTE, ['c', 'd'])).released).toBe('expired');
    expect(decide(hold, at(15 * MINUTE, ['c', 'd'], 'partial')).released).toBe('expired');
  });

  test('what is confirmed and expired at once is confirmed', () => {
    const hold = holdAfter(at(0, ['a', 'b']), at(MINUTE, ['a', 'b']));
    expect(decide(hold, at(15 * MINUTE, ['a', 'b'])).released).toBe('confirmed');
  });

  test('a clock that goes back does not lengthen a hold', () => {
    const ahead = holdAfter(at(60 * MINUTE, ['a', 'b']), at(0, ['a', 'b']));
    expect(ahead.held).toMatchObject({ since: iso(0), confirmedSince: iso(0), confirmations: 2 });
    expect(decide(ahead, at(15 * MINUTE, ['c', 'd'])).released).toBe('expired');
  });
});

describe('what is back', () => {
  test('clears the hold when all is back', () => {
    const hold = holdAfter({ lacks: ['a', 'b'] });
    expect(decide(hold, { lacks: [] })).toEqual({ held: new Map(), hold: undefined, released: 'returned' });
  });

  test('an outage that ends in steps takes nothing away with its last ones', () => {
    const hold = holdAfter({ lacks: ['a', 'b', 'c'] }, { lacks: ['a', 'b'] }, { lacks: ['a'] });
    expect(namesOf(hold.removals)).toEqual(['a']);
    expect(hold.held).toMatchObject({ services: 1, confirmations: 1, since: iso(0) });
    expect(decide(hold, { lacks: [] }).released).toBe('returned');
  });

  test('nor when each step lacks others: what was held once is held again', () => {
    const hold = holdAfter({ lacks: ['a', 'b', 'c'] }, { lacks: ['a', 'b'] }, { lacks: ['c'] });
    expect(namesOf(hold.removals)).toEqual(['c']);
    expect([...hold.suspects]).toEqual(['a', 'b', 'c'].map(keyOf));
  });

  test('what stays away is let go by confirmations', () => {
    const policy = { confirmations: 2, minHoldMs: 0 };
    const hold = holdAfter({ lacks: ['a', 'b'] }, { lacks: ['a'] });
    expect(decide(hold, { lacks: ['a'], policy }).released).toBe('confirmed');
  });

  test('ordinary removals go ahead while the rest is still held', () => {
    const decision = decide(holdAfter({ lacks: ['a', 'b'] }), { lacks: ['a', 'x'], limit: 2 });
    expect(namesOf(decision.held)).toEqual(['a']);
    expect(namesOf(decision.hold?.removals)).toEqual(['a']);
  });

  test('an ordinary removal instead of all that was held ends the hold and goes ahead', () => {
    const decision = decide(holdAfter({ lacks: ['a', 'b'] }), { lacks: ['x'] });
    expect(decision).toEqual({ held: new Map(), hold: undefined, released: 'returned' });
  });

  test('while it is too much all of it is held, what is new too', () => {
    const decision = decide(holdAfter({ lacks: ['a', 'b'] }), { lacks: ['x', 'y'] });
    expect(namesOf(decision.held)).toEqual(['x', 'y']);
    expect(decision.released).toBeUndefined();
  });
});

describe('deltas', () => {
  const hold = holdAfter({ lacks: ['a', 'b'] });
  const silentOn = ['a', 'b'];

  test('their own removals go ahead within the limits', () => {
    const decision = decide(hold, { kind: 'delta', lacks: ['x'], silentOn });
    expect(namesOf(decision.held)).toEqual(['a', 'b']);
    expect(decision.hold).toEqual(hold);
  });

  test('and are held with the rest beyond them', () => {
    const decision = decide(hold, { kind: 'delta', lacks: ['x', 'y'], silentOn });
    expect(namesOf(decision.held)).toEqual(['a', 'b', 'x', 'y']);
  });

  test('what was held already does not count against them', () => {
    const decision = decide(hold, { kind: 'delta', lacks: ['a', 'b', 'x'], silentOn: [] });
    expect(namesOf(decision.held)).toEqual(['a', 'b']);
  });

  test('what was held and came back is held when they take it away again', () => {
    const back = decide(hold, { kind: 'delta', lacks: [], silentOn: ['b'] }).hold;
    const decision = decide(back, { kind: 'delta', lacks: ['a', 'x'], silentOn: ['b'], limit: 1 });
    expect(namesOf(decision.held)).toEqual(['b', 'a']);
  });

  test('bring back what they bring', () => {
    const decision = decide(hold, { kind: 'delta', lacks: [], silentOn: ['b'] });
    expect(namesOf(decision.hold?.removals)).toEqual(['b']);
    expect(decide(hold, { kind: 'delta', lacks: [], silentOn: [] }).released).toBe('returned');
  });

  test('never let go', () => {
    const policy = { confirmations: 1, minHoldMs: 0 };
    const approved = hold.held.hash;
    const decision = decide(hold, { kind: 'delta', lacks: ['a', 'b'], at: MINUTE, approved, policy });
    expect(decision.released).toBeUndefined();
  });
});

describe('approval', () => {
  const hold = holdAfter({ lacks: ['a', 'b'] });

  test.each(['complete', 'partial'] as const)('lets go of just what was approved, in a %s reading', (kind) => {
    expect(decide(hold, { kind, lacks: ['a', 'b'], approved: hold.held.hash }).released).toBe('approved');
  });

  test('does not reach what differs', () => {
    const decision = decide(hold, { lacks: ['a', 'b', 'c'], approved: hold.held.hash });
    expect(decision.released).toBeUndefined();
    expect(namesOf(decision.held)).toEqual(['a', 'b', 'c']);
  });

  test('reaches a new run', () => {
    const decision = decide(restarted(hold), { kind: 'partial', lacks: ['a', 'b'], approved: hold.held.hash });
    expect(decision.released).toBe('approved');
  });
});

describe('a new run, which has only the row', () => {
  const hold = restarted(holdAfter({ lacks: ['a', 'b', 'c'] }, { lacks: ['a', 'b', 'c'] }));

  test('takes all that its first complete reading lacks for held, be it within the limits', () => {
    const decision = decide(hold, { lacks: ['a'] });
    expect(namesOf(decision.held)).toEqual(['a']);
    expect(namesOf(decision.hold?.removals)).toEqual(['a']);
    expect(decision.hold?.held.since).toBe(iso(0));
  });

  test('finds out that all is back', () => {
    expect(decide(hold, { lacks: [] }).released).toBe('returned');
  });

  test.each(['partial', 'delta'] as const)('does not find out from a %s one', (kind) => {
    const decision = decide(hold, { kind, lacks: [] });
    expect(decision.released).toBeUndefined();
    expect(decision.hold).toEqual({
      held: { ...hold.held, confirmations: 0, confirmedSince: iso(0) },
      removals: undefined,
      suspects: new Set(),
    });
  });

  test.each(['partial', 'delta'] as const)('holds what a %s one lacks, and the row stays as it is', (kind) => {
    const decision = decide(hold, { kind, lacks: ['x'] });
    expect(namesOf(decision.held)).toEqual(['x']);
    expect(decision.hold?.held).toMatchObject({ services: 3, hash: hold.held.hash });
    expect(decision.hold?.removals).toBeUndefined();
  });
});
