import { MemoryChangeStore } from '../../lib/changes/memory-change-store';
import { describeChangeStore } from '../contract/change-store';
import { ManualClock } from '../support/manual-clock';
import { sampleChange } from '../support/store-samples';
import { collect, memoryStore } from '../support/store-under-test';

describe('MemoryChangeStore', () => {
  describeChangeStore(memoryStore((clock) => new MemoryChangeStore(clock)));

  test('returns frozen values', async () => {
    const clock = new ManualClock();
    const store = new MemoryChangeStore(clock);
    const change = sampleChange(clock.iso());
    await store.put(change);
    const found = [
      ...(await collect(store.history(change.key))),
      ...(await collect(store.since(clock.iso(), clock.iso()))),
    ];
    expect(found.map(({ event }) => Object.isFrozen(event.detail))).toEqual([true, true]);
  });
});
