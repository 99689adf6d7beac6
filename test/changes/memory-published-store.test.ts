import { MemoryPublishedStore } from '../../lib/changes/memory-published-store';
import { describeVersionedRecords } from '../contract/versioned-records';
import { ManualClock } from '../support/manual-clock';
import { sampleEntry } from '../support/store-samples';
import { collect, memoryStore } from '../support/store-under-test';

describe('MemoryPublishedStore', () => {
  describeVersionedRecords(
    'Published',
    memoryStore((clock) => new MemoryPublishedStore(clock)),
  );

  test('returns frozen values', async () => {
    const store = new MemoryPublishedStore(new ManualClock());
    const entry = sampleEntry({});
    await store.put(entry, undefined);
    const found = [await store.get(entry.key), ...(await collect(store.versions()))];
    expect(found.map((value) => Object.isFrozen(value))).toEqual([true, true]);
  });
});
