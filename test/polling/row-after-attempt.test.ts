import {
  rowAfterFailure,
  rowAfterInterruption,
  rowAfterReading,
  stateAfterFailure,
  stateAfterReading,
  withoutTransitions,
} from '../../lib/polling/row-after-attempt';
import type { Held } from '../../lib/model/registry-row';
import { registryRow } from '../support/registry-rows';

const HELD: Held = {
  services: 3,
  endpoints: 7,
  sample: ['shop/web.shop'],
  hash: 'abc',
  since: '2026-01-01T00:00:00.000Z',
  confirmations: 1,
  confirmedSince: '2026-01-01T00:00:00.000Z',
};

const STARTED = '2026-01-01T00:01:00.000Z';

const ATTEMPT = { pollId: 'Mock/demo#1.1', startedAt: STARTED, durationMs: 7 };
const FACTS = { ...ATTEMPT, services: 3, endpoints: 5, changed: false };
const READ = { ...FACTS, requests: 4, held: undefined, state: 'synced' } as const;

describe('stateAfterReading', () => {
  test.each([
    [{ unreadable: 0, unwritten: 0, held: false }, 'synced'],
    [{ unreadable: 1, unwritten: 0, held: false }, 'degraded'],
    [{ unreadable: 0, unwritten: 1, held: false }, 'degraded'],
    [{ unreadable: 0, unwritten: 0, held: true }, 'degraded'],
  ])('of %j is %s', (facts, state) => {
    expect(stateAfterReading(facts)).toBe(state);
  });
});

describe('stateAfterFailure', () => {
  test.each(['synced', 'degraded', 'failed', 'paused'] as const)('of one that was %s is failed', (state) => {
    expect(stateAfterFailure(registryRow({ state }))).toBe('failed');
  });

  test.each(['never-synced', 'removed'] as const)(
    'of one that was %s is never-synced, whenever it was read',
    (state) => {
      expect(stateAfterFailure(registryRow({ state }))).toBe('never-synced');
    },
  );

  test('of one without a good reading is never-synced, whatever it was called', () => {
    const { lastSuccessAt: _, ...row } = registryRow({ state: 'paused' });
    expect(stateAfterFailure(row)).toBe('never-synced');
  });
});

describe('the row after a reading', () => {
  test('tells how things stand, and that it went well', () => {
    expect(rowAfterReading(registryRow({ consecutiveFailures: 4 }), READ)).toEqual({
      state: 'synced',
      pollId: 'Mock/demo#1.1',
      lastAttemptAt: STARTED,
      lastSuccessAt: STARTED,
      lastError: undefined,
      consecutiveFailures: 0,
      services: 3,
      endpoints: 5,
      requests: 4,
      durationMs: 7,
      held: undefined,
    });
  });

  test('tells of a change only when something was written', () => {
    expect(rowAfterReading(registryRow(), READ)).not.toHaveProperty('lastChangeAt');
    expect(rowAfterReading(registryRow(), { ...READ, changed: true })).toMatchObject({ lastChangeAt: STARTED });
  });

  test('lists twenty of what was unreadable and counts all; a delta leaves that as it was', () => {
    const unreadable = Array.from({ length: 25 }, (_, n) => ({ source: `file/${n}`, reason: 'forbidden' }));
    expect(rowAfterReading(registryRow(), { ...READ, unreadable })).toMatchObject({
      unreadable: unreadable.slice(0, 20),
      unreadableCount: 25,
    });
    expect(rowAfterReading(registryRow(), READ)).not.toHaveProperty('unreadable');
    expect(rowAfterReading(registryRow(), READ)).not.toHaveProperty('unreadableCount');
  });

  test('keeps an approval while there is something to approve, and uses it up with the hold', () => {
    const approved = registryRow({ held: HELD, approvedHold: HELD.hash });
    expect(rowAfterReading(approved, { ...READ, held: HELD })).not.toHaveProperty('approvedHold');
    expect(rowAfterReading(approved, READ)).toHaveProperty('approvedHold', undefined);
    expect(rowAfterReading(registryRow(), READ)).not.toHaveProperty('approvedHold');
  });
});

describe('the row after a reading that was cut short', () => {
  test('tells what is in the table, and neither success nor failure', () => {
    expect(rowAfterInterruption({ ...FACTS, held: undefined })).toEqual({
      pollId: 'Mock/demo#1.1',
      lastAttemptAt: STARTED,
      services: 3,
      endpoints: 5,
    });
    expect(rowAfterInterruption({ ...FACTS, changed: true, held: undefined })).toMatchObject({ lastChangeAt: STARTED });
  });

  test('tells what is held, and does not end a hold whose removals it may not have made', () => {
    expect(rowAfterInterruption({ ...FACTS, held: HELD })).toMatchObject({ held: HELD });
    expect(rowAfterInterruption({ ...FACTS, held: undefined })).not.toHaveProperty('held');
  });
});

describe('the row after a failure', () => {
  const error = { code: 'Error', message: 'refused' };

  test('tells why and how often, and leaves the time of the last success', () => {
    expect(rowAfterFailure(registryRow({ consecutiveFailures: 2 }), { ...FACTS, error, held: undefined })).toEqual({
      state: 'failed',
      pollId: 'Mock/demo#1.1',
      lastAttemptAt: STARTED,
      lastError: error,
      consecutiveFailures: 3,
      services: 3,
      endpoints: 5,
      durationMs: 7,
    });
  });

  test('tells of a hold only where there is one', () => {
    const interrupted = { ...HELD, confirmations: 0 };
    const facts = { ...FACTS, changed: true, error, held: interrupted };
    expect(rowAfterFailure(registryRow({ held: HELD }), facts)).toMatchObject({
      held: interrupted,
      lastChangeAt: STARTED,
    });
    expect(rowAfterFailure(registryRow(), facts)).not.toHaveProperty('held');
  });
});

test('without transitions nothing is left that an event tells first', () => {
  const patch = rowAfterReading(registryRow({ approvedHold: 'abc' }), READ);
  const names = Object.keys(withoutTransitions({ ...patch, unreadableCount: 0 }));
  expect(names.sort()).toEqual(
    [
      'pollId',
      'lastAttemptAt',
      'lastSuccessAt',
      'lastError',
      'services',
      'endpoints',
      'requests',
      'durationMs',
      'unreadableCount',
    ].sort(),
  );
});
