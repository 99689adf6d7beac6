import { MemorySnapshotStore } from '../../lib/snapshots/memory-snapshot-store';
import { describeSnapshotStore } from '../contract/snapshot-store';
import { ManualClock } from '../support/manual-clock';
import { sampleSnapshot } from '../support/store-samples';
import { memoryStore } from '../support/store-under-test';

describe('MemorySnapshotStore', () => {
  describeSnapshotStore(memoryStore((clock) => new MemorySnapshotStore(clock)));

  test('returns frozen values', async () => {
    const store = new MemorySnapshotStore(new ManualClock());
    await store.put(sampleSnapshot({}));
    const { snapshots } = await store.getMany([sampleSnapshot({})]);
    expect(Object.isFrozen(snapshots)).toBe(true);
    expect(Object.isFrozen(snapshots[0]?.endpoints[0]?.labels)).toBe(true);
    expect(Object.isFrozen((await store.known('Consul/dc1'))[0]?.sources)).toBe(true);
  });
});
