import * as fc from 'fast-check';
import { diffEntry } from '../../lib/changes/diff-entry';
import { EVENT_LIMIT_BYTES, eventBytes } from '../../lib/changes/event-size';
import { makeChangeEvent } from '../../lib/changes/make-change-event';
import { canonicalJson } from '../../lib/model/canonical-json';
import type { CatalogEntry } from '../../lib/model/catalog-entry';
import { deepFreeze } from '../../lib/storage/deep-freeze';
import { arbitraryCatalogEndpoint, arbitraryCatalogEntry } from '../support/arbitraries';
import { schemaErrors } from '../support/event-schema-validator';

/** Entries, some of them with texts and lists that no event can hold. */
const anyEntry: fc.Arbitrary<CatalogEntry> = fc
  .record({
    entry: arbitraryCatalogEntry,
    text: fc.constantFrom('', 'ü'.repeat(3000), '"'.repeat(1500), '\u0000'.repeat(900)),
    repeats: fc.constantFrom(1, 1, 20, 300),
    more: fc.array(arbitraryCatalogEndpoint, { maxLength: 2 }),
  })
  .map(({ entry, text, repeats, more }) =>
    deepFreeze({
      ...entry,
      name: entry.name + text,
      endpoints: [...entry.endpoints, ...Array.from({ length: repeats }, () => more).flat()],
      labels: {
        ...entry.labels,
        ...Object.fromEntries(Array.from({ length: repeats }, (_, index) => [`label-${index}`, text])),
      },
    }),
  );

const anyStates = fc.oneof(
  fc.tuple(anyEntry, anyEntry).map(([a, b]) => [a, { ...b, key: a.key }] as const),
  anyEntry.map((entry) => [undefined, entry] as const),
  anyEntry.map((entry) => [entry, undefined] as const),
);

test('every change of every entry gives an event that fits its schema and the limit, and counts right', () => {
  fc.assert(
    fc.property(anyStates, ([before, after]) => {
      const { key, version, cause } = after ?? before;
      const change = diffEntry(before, after)!;
      const event = makeChangeEvent({ key, version, cause, change, at: '2026-11-30T12:00:00.000Z' });
      expect(schemaErrors(event.type, event.detail)).toEqual([]);
      expect(eventBytes(event)).toBeLessThan(EVENT_LIMIT_BYTES);

      const { endpoints } = event.detail.change;
      const { added, removed, changed } = change.endpoints;
      expect(endpoints.counts).toEqual({ added: added.length, removed: removed.length, changed: changed.length });
      expect([endpoints.before, endpoints.after]).toEqual([change.endpoints.before, change.endpoints.after]);
      const listed = endpoints.added.length + endpoints.removed.length + endpoints.changed.length;
      expect(listed === added.length + removed.length + changed.length || endpoints.truncated).toBe(true);
      const whole = canonicalJson(event.detail.state) === canonicalJson(change.state);
      expect(whole || event.detail.stateTruncated).toBe(true);
    }),
    { numRuns: 60 },
  );
});
