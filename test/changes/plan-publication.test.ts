import { planPublication } from '../../lib/changes/plan-publication';
import { catalogEndpoint, catalogEntry, catalogTombstone } from '../support/catalog-entries';

const NOW = Date.parse('2026-11-30T12:00:05.000Z');
const AT = '2026-11-30T12:00:05.000Z';
const entry = catalogEntry({ version: 10 });
const { key } = entry;
const newer = catalogEntry({ version: 12, endpoints: [catalogEndpoint('10.0.0.1')] });
const tombstone = catalogTombstone({ version: 13 });

describe('planPublication', () => {
  test.each([
    ['the same entry', entry, entry],
    ['the same version, whatever else', entry, { ...newer, version: 10 }],
    ['the same tombstone', tombstone, tombstone],
    ['nothing and nothing', undefined, undefined],
    ['a tombstone and, since it has expired, nothing', tombstone, undefined],
  ])('there is nothing to do between %s', (_what, published, current) => {
    expect(planPublication(key, published, current, NOW)).toBeUndefined();
  });

  test('a difference is told as a change to the version that the catalog holds', () => {
    const publication = planPublication(key, entry, newer, NOW);
    expect(publication).toEqual({
      record: newer,
      change: {
        key,
        version: 12,
        publishedAt: AT,
        event: publication?.change?.event,
        after: newer,
        endpointsOmitted: false,
      },
    });
    expect(publication?.change?.event).toMatchObject({
      type: 'Endpoints Changed',
      detail: {
        metadata: { id: `${key}@12`, at: AT, correlationId: 'poll-1' },
        service: { key, version: 12 },
      },
    });
  });

  test('a new service is an addition, one that comes back too', () => {
    for (const published of [undefined, tombstone]) {
      const change = planPublication(key, published, { ...newer, version: 14 }, NOW)?.change;
      expect(change?.event.type).toBe('Service Added');
      expect(change?.after).toEqual({ ...newer, version: 14 });
    }
  });

  test('pitfall 27: a tombstone is a deletion with the last state, the key and the cause of the deletion', () => {
    const publication = planPublication(key, newer, tombstone, NOW);
    expect(publication?.record).toBe(tombstone);
    expect(publication?.change).not.toHaveProperty('after');
    expect(publication?.change?.event).toMatchObject({
      type: 'Service Deleted',
      detail: {
        metadata: { id: `${key}@13`, correlationId: 'poll-2', cause: { observedAt: '2026-11-30T12:00:01.000Z' } },
        service: { key, hostname: 'cart.shop.svc.cluster.local', namespace: 'shop', version: 13 },
        change: { endpoints: { before: 1, after: 0 } },
        state: { name: 'cart' },
      },
    });
  });

  test.each([
    ['provenance alone', entry, { ...entry, version: 11, registries: [] }],
    ['a service that came and went between two looks', undefined, tombstone],
    ['a service that went twice', tombstone, { ...tombstone, version: 15 }],
  ])('%s is no change, but Published follows', (_what, published, current) => {
    expect(planPublication(key, published, current, NOW)).toEqual({ record: current });
  });

  test('a service of which the catalog has lost every trace is deleted, with the same id at each attempt', () => {
    for (const nowMs of [NOW, NOW + 1000]) {
      const publication = planPublication(key, newer, undefined, nowMs);
      expect(publication?.record).toEqual({
        key,
        deleted: true,
        version: 13,
        cause: newer.cause,
        updatedAt: new Date(nowMs).toISOString(),
      });
      expect(publication?.change?.event).toMatchObject({
        type: 'Service Deleted',
        detail: { metadata: { id: `${key}@13` } },
      });
    }
  });
});
