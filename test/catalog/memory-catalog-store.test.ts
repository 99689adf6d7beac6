import { MemoryCatalogStore } from '../../lib/catalog/memory-catalog-store';
import { describeCatalogStore } from '../contract/catalog-store';
import { memoryStore } from '../support/store-under-test';

describe('MemoryCatalogStore', () => {
  describeCatalogStore(memoryStore((clock) => new MemoryCatalogStore(clock)));
});
