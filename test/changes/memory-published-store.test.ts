import { MemoryPublishedStore } from '../../lib/changes/memory-published-store';
import { describeVersionedRecords } from '../contract/versioned-records';
import { memoryStore } from '../support/store-under-test';

describe('MemoryPublishedStore', () => {
  describeVersionedRecords(
    'Published',
    memoryStore((clock) => new MemoryPublishedStore(clock)),
  );
});
