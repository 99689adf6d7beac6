import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { describeRegistryStore } from '../contract/registry-store';
import { ManualClock } from '../support/manual-clock';
import { memoryStore } from '../support/store-under-test';

describe('MemoryRegistryStore', () => {
  describeRegistryStore(memoryStore(() => new MemoryRegistryStore()));

  test('returns frozen values', async () => {
    const store = new MemoryRegistryStore();
    const [registry, owner, now] = ['Mock/demo', 'a', new ManualClock().iso()] as const;
    const terms = { leaseUntil: now, runStartedAt: now, precedence: 1, mode: 'poll', configVersion: 'v1' } as const;
    const found = [
      await store.acquire({ registry, owner, ...terms }),
      await store.get(registry),
      ...(await store.list()),
    ];
    expect(found.map((row) => Object.isFrozen(row?.unreadable))).toEqual([true, true, true]);
  });
});
