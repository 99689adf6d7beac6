import * as fc from 'fast-check';
import { EVENT_LIMIT_BYTES, eventBytes } from '../../lib/changes/event-size';
import type { PilotlessEvent } from '../../lib/changes/pilotless-event';
import { eventsOfFailure, eventsOfReading } from '../../lib/polling/registry-events';
import { mergePushRequests } from '../../lib/push/merge-push-requests';
import type { PushRequest } from '../../lib/push/push-request';
import { makePushEvent } from '../../lib/push/request-push';
import { arbitraryPollId, arbitraryRegistryRow, arbitraryText } from '../support/arbitraries';
import { schemaErrors } from '../support/event-schema-validator';
import { arbitraryPushRequest, configKey, pushRequest, START } from '../support/push-requests';

const arbitraryNow = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) });

/** Small enough for one billing unit, and just what the schema of its type says. */
function expectFit(event: PilotlessEvent): void {
  expect(schemaErrors(event.type, event.detail)).toEqual([]);
  expect(eventBytes(event)).toBeLessThan(EVENT_LIMIT_BYTES);
}

test('every push request gives an event that fits its schema and the limit', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryPushRequest, { minLength: 1, maxLength: 8 }),
      arbitraryNow,
      ([first, ...others], now) => {
        if (first !== undefined) expectFit(makePushEvent(mergePushRequests(first, ...others), now));
      },
    ),
  );
});

test.each([
  ['the most keys that are named', 500, 'a'],
  ['one key more', 501, 'a'],
  ['keys as long as host names can be', 500, 'a'.repeat(249)],
])('a push of %s gives one too', (_what, count, name) => {
  const requests = Array.from({ length: count }, (_, index): PushRequest =>
    pushRequest({ configsUpdated: [configKey(`${name}${index}`)] }),
  );
  expectFit(
    makePushEvent(
      mergePushRequests(pushRequest({ configsUpdated: [configKey(`${name}0`)] }), ...requests),
      Date.parse(START),
    ),
  );
});

test('every event that a reading of a registry gives fits its schema and the limit', () => {
  fc.assert(
    fc.property(
      arbitraryRegistryRow,
      arbitraryRegistryRow,
      fc.constantFrom('confirmed' as const, 'approved' as const, 'returned' as const, 'expired' as const),
      fc.record({ code: arbitraryText, message: arbitraryText }),
      fc.record({ pollId: arbitraryPollId, nowMs: arbitraryNow }),
      (row, { state, held }, released, error, occasion) => {
        eventsOfReading(row, { state, held, released }, occasion).forEach(expectFit);
        eventsOfFailure(row, { state, error }, occasion).forEach(expectFit);
      },
    ),
  );
});
