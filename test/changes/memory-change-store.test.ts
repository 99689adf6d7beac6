import { MemoryChangeStore } from '../../lib/changes/memory-change-store';
import { describeChangeStore } from '../contract/change-store';
import { memoryStore } from '../support/store-under-test';

describe('MemoryChangeStore', () => {
  describeChangeStore(memoryStore((clock) => new MemoryChangeStore(clock)));
});
