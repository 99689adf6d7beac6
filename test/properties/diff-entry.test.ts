import * as fc from 'fast-check';
import { diffEntry } from '../../lib/changes/diff-entry';
import { canonicalJson } from '../../lib/model/canonical-json';
import type { CatalogEntry } from '../../lib/model/catalog-entry';
import { compareCatalogEndpoints } from '../../lib/model/endpoint';
import { deepFreeze } from '../../lib/storage/deep-freeze';
import { applyChange } from '../support/apply-change';
import { arbitraryCatalogEndpoint, arbitraryCatalogEntry } from '../support/arbitraries';

/** Two states of one service that have some endpoints, and perhaps everything else, in common. */
const twoStates: fc.Arbitrary<readonly [CatalogEntry, CatalogEntry]> = fc
  .record({
    entries: fc.tuple(arbitraryCatalogEntry, arbitraryCatalogEntry),
    pool: fc.array(arbitraryCatalogEndpoint, { maxLength: 8 }),
    weights: fc.tuple(fc.constantFrom(1, 2), fc.constantFrom(1, 2)),
    sameService: fc.boolean(),
  })
  .chain(({ entries: [a, b], pool, weights, sameService }) => {
    const some = (weight: number) =>
      fc
        .tuple(fc.subarray(pool), fc.subarray(pool))
        .map(([kept, others]) => [...kept, ...others.map((endpoint) => ({ ...endpoint, weight }))])
        .map((endpoints) => endpoints.sort(compareCatalogEndpoints));
    return fc.tuple(some(weights[0]), some(weights[1])).map(([before, after]) => {
      const second = sameService
        ? { ...a, hash: b.hash }
        : { ...b, key: a.key, hostname: a.hostname, namespace: a.namespace };
      return deepFreeze([
        { ...a, endpoints: before },
        { ...second, endpoints: after },
      ] as const);
    });
  });

const UNSEEN = new Set(['key', 'hash', 'registries', 'version', 'cause', 'updatedAt', 'endpoints']);

/** What consumers see of an entry: all but provenance and bookkeeping. */
function knownOf({ endpoints, ...members }: CatalogEntry) {
  return { state: Object.fromEntries(Object.entries(members).filter(([name]) => !UNSEEN.has(name))), endpoints };
}

describe('a difference', () => {
  test('applied to what was before gives what is after', () => {
    fc.assert(
      fc.property(twoStates, ([before, after]) => {
        const change = diffEntry(before, after);
        const known = change === undefined ? knownOf(before) : applyChange(change, before);
        expect(known).toEqual(knownOf(after));
      }),
    );
  });

  test('applied to nothing adds the service, and the other way round deletes it', () => {
    fc.assert(
      fc.property(twoStates, ([, service]) => {
        expect(applyChange(diffEntry(undefined, service)!, undefined)).toEqual(knownOf(service));
        expect(applyChange(diffEntry(service, undefined)!, service)).toBeUndefined();
      }),
    );
  });

  test('is none just when nothing that consumers see is different', () => {
    fc.assert(
      fc.property(twoStates, ([before, after]) => {
        const same = canonicalJson(knownOf(before)) === canonicalJson(knownOf(after));
        expect(diffEntry(before, after) === undefined).toBe(same);
        expect(diffEntry(before, before)).toBeUndefined();
      }),
    );
  });

  test('the other way round takes away what it added, and adds what it took away', () => {
    fc.assert(
      fc.property(twoStates, ([before, after]) => {
        const there = diffEntry(before, after)?.endpoints;
        const back = diffEntry(after, before)?.endpoints;
        expect(back?.added).toEqual(there?.removed);
        expect(back?.removed).toEqual(there?.added);
        expect(back?.changed.length).toBe(there?.changed.length);
        expect(back?.before).toBe(there?.after);
      }),
    );
  });
});
