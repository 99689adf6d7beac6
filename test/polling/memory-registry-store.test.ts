import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { describeRegistryStore } from '../contract/registry-store';
import { memoryStore } from '../support/store-under-test';

describe('MemoryRegistryStore', () => {
  describeRegistryStore(memoryStore(() => new MemoryRegistryStore()));
});
