import { causeOf } from '../../lib/aggregation/cause-of';
import { planCatalogWrite } from '../../lib/aggregation/plan-catalog-write';
import type { CatalogEntry, CatalogTombstone } from '../../lib/model/catalog-entry';
import { isDeleted } from '../../lib/model/catalog-entry';
import type { RegistryId } from '../../lib/model/registry-id';
import type { SnapshotTombstone, StoredSnapshot } from '../../lib/model/service-snapshot';
import { endpoint, storedSnapshot } from '../support/stored-snapshots';

function read(registry: RegistryId, second: number, weight = 1): StoredSnapshot {
  return storedSnapshot(registry, {
    endpoints: [endpoint('10.0.0.1', { weight })],
    pollId: `poll-${registry}-${second}`,
    observedAt: at(second),
  });
}

function removed(registry: RegistryId, second: number): SnapshotTombstone {
  const { key } = read(registry, second);
  return { key, registry, generation: 1, pollId: `poll-${registry}-${second}`, removedAt: at(second) };
}

function at(second: number): string {
  return `2026-11-30T12:00:0${second}.000Z`;
}

function entryOf(...snapshots: readonly StoredSnapshot[]): CatalogEntry {
  const [first] = snapshots;
  const record = first && planCatalogWrite(first.key, undefined, { snapshots, tombstones: [] }, 0)?.record;
  if (record === undefined || isDeleted(record)) throw new Error('no entry');
  return record;
}

const [a1, b2] = [read('Consul/a', 1), read('Consul/b', 2)];
const deleted: CatalogTombstone = {
  key: a1.key,
  deleted: true,
  version: 1,
  cause: { registry: 'Consul/a', pollId: 'poll-old', observedAt: at(0) },
  updatedAt: at(0),
};

describe('causeOf', () => {
  test.each([
    ['the newest reading of a new service', undefined, [a1, b2], [], b2],
    ['the newest reading of a service that comes back', deleted, [a1, b2], [], b2],
    [
      'the only reading that differs, even if others are newer',
      entryOf(a1, b2),
      [read('Consul/a', 3, 7), read('Consul/b', 4)],
      [],
      read('Consul/a', 3),
    ],
    [
      'the newest of those that differ',
      entryOf(a1, b2),
      [read('Consul/a', 4, 7), read('Consul/b', 3, 7)],
      [],
      read('Consul/a', 4),
    ],
    ['of those as new as each other the first by id', undefined, [read('Consul/b', 1), a1], [], a1],
    ['the newest reading of all when none differs', entryOf(a1, b2), [a1, b2], [], b2],
  ])('is %s', (_what, previous, snapshots, tombstones, { registry, pollId, observedAt }) => {
    expect(causeOf(previous, snapshots, tombstones)).toEqual({ registry, pollId, observedAt });
  });

  test('is the removal of a snapshot that the entry was made of', () => {
    expect(causeOf(entryOf(a1, b2), [read('Consul/b', 9)], [removed('Consul/a', 5)])).toEqual({
      registry: 'Consul/a',
      pollId: 'poll-Consul/a-5',
      observedAt: at(5),
    });
  });

  test('is a newer difference rather than an older removal', () => {
    expect(causeOf(entryOf(a1, b2), [read('Consul/b', 7, 7)], [removed('Consul/a', 5)])).toMatchObject({
      registry: 'Consul/b',
    });
  });

  test('is no removal of a snapshot that the entry was not made of', () => {
    expect(causeOf(entryOf(a1), [a1], [removed('Consul/b', 5)])).toMatchObject({ registry: 'Consul/a' });
    expect(causeOf(deleted, [a1], [removed('Consul/a', 5)])).toMatchObject({ observedAt: at(1) });
  });

  test('is the entry’s own when no reading is left at all', () => {
    expect(causeOf(entryOf(a1), [], [])).toEqual({
      registry: 'Consul/a',
      pollId: 'poll-Consul/a-1',
      observedAt: at(1),
    });
    expect(causeOf(deleted, [], [])).toEqual(deleted.cause);
  });

  test('is none when there is nothing', () => {
    expect(causeOf(undefined, [], [removed('Consul/a', 1)])).toBeUndefined();
  });
});
