import type { Conflict } from '../../lib/model/conflict';
import { makeService } from '../../lib/model/service';
import { accountsOf, makeServiceSnapshot } from '../../lib/model/service-snapshot';
import { endpoint, HTTP } from '../support/stored-snapshots';

const SERVICE = makeService({ namespace: 'shop', hostname: 'cart.shop', ports: [HTTP], resolution: 'ClientSideLB' });
const [ONE, TWO] = [endpoint('10.0.0.1'), endpoint('10.0.0.2')];

function conflict(field: string): Conflict {
  return {
    type: 'PortConflict',
    field,
    winner: { registry: 'External/x', source: 'a.yaml', value: 'http' },
    losers: [{ registry: 'External/x', source: 'b.yaml', value: 'web' }],
  };
}

const INPUT = {
  registry: 'External/x',
  service: SERVICE,
  endpoints: [TWO, ONE],
  sources: ['b.yaml', 'a.yaml', 'b.yaml'],
  conflicts: [conflict('ports/TCP/81'), conflict('ports/TCP/80')],
} as const;

test('a snapshot is the same whatever the order of its parts', () => {
  const snapshot = makeServiceSnapshot(INPUT);
  expect(snapshot).toMatchObject({
    key: 'shop/cart.shop',
    registry: 'External/x',
    service: SERVICE,
    endpoints: [ONE, TWO],
    sources: ['a.yaml', 'b.yaml'],
    conflicts: [conflict('ports/TCP/80'), conflict('ports/TCP/81')],
  });
  expect(snapshot.hash).toMatch(/^[0-9a-f]{32}$/);
  expect(
    makeServiceSnapshot({
      ...INPUT,
      endpoints: [ONE, TWO],
      sources: ['a.yaml', 'b.yaml'],
      conflicts: [...INPUT.conflicts].reverse(),
    }),
  ).toEqual(snapshot);
});

test('without conflicts there are none', () => {
  const { conflicts: _, ...input } = INPUT;
  expect(makeServiceSnapshot(input).conflicts).toEqual([]);
});

const hashOf = (change: object) => makeServiceSnapshot({ ...INPUT, ...change }).hash;

test.each([
  ['service', { service: { ...SERVICE, meshExternal: true } }],
  ['endpoint', { endpoints: [ONE, { ...TWO, weight: 2 }] }],
  ['conflict', { conflicts: [] }],
])('another %s is another hash', (_what, change) => {
  expect(hashOf(change)).not.toBe(hashOf({}));
});

test.each([
  ['time of creation', { service: { ...SERVICE, creationTime: '2026-01-01T00:00:00.000Z' } }],
  ['source', { sources: ['c.yaml'] }],
  ['registry', { registry: 'External/y' }],
])('another %s is no other hash', (_what, change) => {
  expect(hashOf(change)).toBe(hashOf({}));
});

test('the accounts of endpoints are sorted, each once, without those that have none', () => {
  const of = (serviceAccount: string) => endpoint('10.0.0.1', { serviceAccount });
  expect(accountsOf([of('b'), of(''), of('a'), of('b')])).toEqual(['a', 'b']);
});
