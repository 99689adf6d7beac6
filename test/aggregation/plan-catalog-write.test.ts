import { mergeService } from '../../lib/aggregation/merge-service';
import { planCatalogWrite } from '../../lib/aggregation/plan-catalog-write';
import type { CatalogEntry, CatalogTombstone } from '../../lib/model/catalog-entry';
import { endpoint, storedSnapshot } from '../support/stored-snapshots';

const NOW = Date.parse('2026-11-30T12:00:10.000Z');
const snapshot = storedSnapshot('Consul/dc1', {
  endpoints: [endpoint('10.0.0.1'), endpoint('10.0.0.2', { servicePort: 'nope' })],
});
const { key } = snapshot;
const merged = mergeService([snapshot])!;
const cause = { registry: snapshot.registry, pollId: snapshot.pollId, observedAt: snapshot.observedAt };
const entry: CatalogEntry = { ...merged.service, version: 1000, cause, updatedAt: '2026-11-30T11:00:00.000Z' };
const tombstone: CatalogTombstone = { key, deleted: true, version: 2000, cause, updatedAt: '2026-11-30T11:30:00.000Z' };
const some = { snapshots: [snapshot], tombstones: [] };
const none = { snapshots: [], tombstones: [] };

describe('planCatalogWrite', () => {
  test('writes a new service with what was left out of it', () => {
    expect(planCatalogWrite(key, undefined, some, NOW)).toEqual({
      record: { ...merged.service, version: NOW, cause, updatedAt: '2026-11-30T12:00:10.000Z' },
      notes: merged.notes,
    });
    expect(merged.notes).toHaveLength(1);
  });

  test('pitfall 25: equal content is no write, however often it was read', () => {
    const again = { snapshots: [{ ...snapshot, observedAt: '2026-11-30T12:00:09.000Z' }], tombstones: [] };
    expect(planCatalogWrite(key, entry, again, NOW)).toBeUndefined();
  });

  test('other content gets the next version', () => {
    const changed = { snapshots: [storedSnapshot('Consul/dc1')], tombstones: [] };
    expect(planCatalogWrite(key, entry, changed, NOW)?.record).toMatchObject({ version: NOW, endpoints: [] });
  });

  test('a version grows even when the clock stands back', () => {
    const changed = { snapshots: [storedSnapshot('Consul/dc1')], tombstones: [] };
    expect(planCatalogWrite(key, entry, changed, 5)?.record.version).toBe(1001);
  });

  test('a service without snapshots leaves a tombstone', () => {
    const removal = {
      key,
      registry: snapshot.registry,
      generation: 1,
      pollId: 'poll-9',
      removedAt: '2026-11-30T12:00:09.000Z',
    };
    expect(planCatalogWrite(key, entry, { snapshots: [], tombstones: [removal] }, NOW)).toEqual({
      record: {
        key,
        deleted: true,
        version: NOW,
        cause: { registry: 'Consul/dc1', pollId: 'poll-9', observedAt: '2026-11-30T12:00:09.000Z' },
        updatedAt: '2026-11-30T12:00:10.000Z',
      },
      notes: [],
    });
  });

  test.each([
    ['a deleted one', tombstone],
    ['one that never was', undefined],
  ])('%s without snapshots needs no write', (_what, previous) => {
    expect(planCatalogWrite(key, previous, none, NOW)).toBeUndefined();
  });

  test('pitfall 34: a service that comes back has a higher version than its deletion', () => {
    expect(planCatalogWrite(key, tombstone, some, 5)?.record).toMatchObject({
      version: 2001,
      hash: merged.service.hash,
    });
  });
});
