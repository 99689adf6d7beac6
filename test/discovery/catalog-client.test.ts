import { MemoryCatalogStore } from '../../lib/catalog/memory-catalog-store';
import { MemoryChangeStore } from '../../lib/changes/memory-change-store';
import { CatalogClient, viewHash } from '../../lib/discovery/catalog-client';
import type { CatalogEntry } from '../../lib/model/catalog-entry';
import type { RegistryRow } from '../../lib/model/registry-row';
import { catalogEntry, catalogTombstone } from '../support/catalog-entries';
import { ManualClock } from '../support/manual-clock';
import { registryRow } from '../support/registry-rows';
import { endpoint, port, TCP, HTTP } from '../support/stored-snapshots';

function entry(hostname: string, namespace = 'shop'): CatalogEntry {
  const service = { hostname, namespace, name: hostname.split('.')[0] ?? hostname, ports: [HTTP, TCP] };
  return catalogEntry(
    { version: 1 },
    { service, endpoints: [endpoint('10.0.0.1', { serviceAccount: 'spiffe://a/b' })] },
  );
}

async function setUp(entries: readonly CatalogEntry[], rows: readonly RegistryRow[] = [registryRow()]) {
  const clock = new ManualClock('2026-01-01T00:00:01.000Z');
  const catalog = new MemoryCatalogStore(clock);
  for (const each of entries) await catalog.put(each, undefined);
  const registries = { list: () => Promise.resolve(rows) };
  const client = new CatalogClient({ catalog, registries, changes: new MemoryChangeStore(clock), clock });
  return { client, catalog, clock };
}

const keysOf = (entries: readonly CatalogEntry[]) => entries.map(({ key }) => key);

const CART = 'shop/cart.shop.svc.cluster.local';

const entries = [
  entry('cart.shop.svc.cluster.local'),
  entry('cart.test.svc.cluster.local', 'test'),
  entry('api.example.com', 'shop'),
  entry('api.example.com', 'default'),
];

describe('finding services', () => {
  test.each([
    [CART, [CART]],
    ['shop/Cart.shop.svc.cluster.local.', [CART]],
    ['shop/cart', [CART]],
    ['cart', [CART, 'test/cart.test.svc.cluster.local']],
    ['api.example.com', ['default/api.example.com', 'shop/api.example.com']],
    ['default/api.example.com', ['default/api.example.com']],
    ['car', []],
    ['shop/nobody', []],
  ])('%s', async (text, keys) => {
    const { client } = await setUp(entries);
    expect(keysOf((await client.findServices(text)).data)).toEqual(keys);
  });

  test('all of them, by key, or those of a namespace', async () => {
    const { client } = await setUp(entries);
    expect(keysOf((await client.services()).data)).toEqual([
      'default/api.example.com',
      'shop/api.example.com',
      CART,
      'test/cart.test.svc.cluster.local',
    ]);
    expect(keysOf((await client.servicesOfNamespace('shop')).data)).toEqual(['shop/api.example.com', CART]);
  });

  test('one that was deleted is not there', async () => {
    const { client, catalog } = await setUp(entries);
    await catalog.put(catalogTombstone({ version: 2 }), 1);
    expect((await client.getService(CART)).data).toBeUndefined();
    expect((await client.findServices('shop/cart')).data).toEqual([]);
  });
});

describe('as Istio asks', () => {
  test('instances of one port are its endpoints, with service and port', async () => {
    const { client } = await setUp(entries);
    const { data } = await client.instancesByPort(CART, 80);
    expect(data).toMatchObject([
      { service: { key: CART }, servicePort: port('http', 80), endpoint: { addresses: ['10.0.0.1'] } },
    ]);
    expect((await client.instancesByPort(CART, 9000)).data).toEqual([]);
    expect((await client.instancesByPort(CART, 81)).data).toEqual([]);
    expect((await client.instancesByPort('shop/nobody', 80)).data).toEqual([]);
  });

  test('accounts are those of the merged service', async () => {
    const { client } = await setUp(entries);
    expect((await client.getServiceAccounts(CART)).data).toEqual(['spiffe://a/b']);
    expect((await client.getServiceAccounts('shop/nobody')).data).toEqual([]);
  });
});

describe('pitfall 9, 30: every answer says how complete it is', () => {
  test('with the age of the data and what is missing', async () => {
    const { client } = await setUp([], [registryRow(), registryRow({ registry: 'Consul/dc1', state: 'failed' })]);
    for (const answer of [await client.services(), await client.getService(CART), await client.findServices('cart')]) {
      expect(answer.completeness).toMatchObject({ complete: false, failed: ['Consul/dc1'], oldestAgeMs: 1000 });
    }
  });

  test('the registries are read before the data, so that an answer is never said to be more complete than it is', async () => {
    const order: string[] = [];
    const clock = new ManualClock();
    const catalog = new MemoryCatalogStore(clock);
    const client = new CatalogClient({
      catalog: Object.assign(catalog, {
        get: () => {
          order.push('data');
          return Promise.resolve(undefined);
        },
      }),
      registries: {
        list: () => {
          order.push('registries');
          return Promise.resolve([]);
        },
      },
      changes: new MemoryChangeStore(clock),
      clock,
    });
    await client.getService(CART);
    expect(order).toEqual(['registries', 'data']);
  });

  test.each([
    ['nothing is known', [], false],
    ['a registry was never read', [registryRow(), registryRow({ registry: 'Mock/b', state: 'never-synced' })], false],
    ['all were read, one fails by now', [registryRow({ state: 'failed' })], true],
  ])('hasSynced when %s', async (_, rows, synced) => {
    const { client } = await setUp([], rows);
    expect(await client.hasSynced()).toBe(synced);
  });
});

describe('the name of a view', () => {
  test('is that of its content, whatever the order', () => {
    expect(viewHash(entries)).toBe(viewHash(entries.toReversed()));
    expect(viewHash(entries)).not.toBe(viewHash(entries.slice(1)));
    expect(viewHash(entries)).not.toBe(viewHash([{ ...entries[0]!, hash: 'other' }, ...entries.slice(1)]));
  });
});

test('registries are listed in the order of merging', async () => {
  const rows = [registryRow({ registry: 'Mock/a', precedence: 1 }), registryRow({ registry: 'Mock/b', precedence: 0 })];
  const { client } = await setUp([], rows);
  expect((await client.registries()).map(({ registry }) => registry)).toEqual(['Mock/b', 'Mock/a']);
});
