import { KnownRegistries } from '../../lib/embedded/known-registries';
import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import type { RegistryId } from '../../lib/model/registry-id';

function acquired(store: MemoryRegistryStore, registry: RegistryId) {
  return store.acquire({
    registry,
    owner: 'a',
    leaseUntil: '2026-01-01T00:00:30.000Z',
    runStartedAt: '2026-01-01T00:00:00.000Z',
    precedence: 0,
    mode: 'poll',
    configVersion: 'v',
  });
}

test('are those that have a row, and those that get one', async () => {
  const store = new MemoryRegistryStore();
  await acquired(store, 'Mock/old');
  const known = new KnownRegistries(store);
  known.add('Mock/early');

  expect(await known.list()).toEqual([{ registry: 'Mock/early' }, { registry: 'Mock/old' }]);
  known.add('Mock/late');
  known.add('Mock/old');
  expect(await known.list()).toEqual([{ registry: 'Mock/early' }, { registry: 'Mock/old' }, { registry: 'Mock/late' }]);
});

test('are asked of the table once, and again when it did not answer', async () => {
  const list = jest.fn(() => Promise.resolve([]));
  list.mockRejectedValueOnce(new Error('no answer'));
  const known = new KnownRegistries({ list });

  await expect(known.list()).rejects.toThrow('no answer');
  await Promise.all([known.list(), known.list()]);
  await known.list();
  expect(list).toHaveBeenCalledTimes(2);
});
