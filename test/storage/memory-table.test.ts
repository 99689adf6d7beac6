import { CHANGES_TABLE, PUBLISHED_TABLE } from '../../lib/runtime/table-definitions';
import { MemoryTable } from '../../lib/storage/memory-table';

describe('MemoryTable', () => {
  test('finds an item by its key attributes alone', () => {
    const table = new MemoryTable(CHANGES_TABLE);
    table.put({ service: 'a', version: 1, x: 'first' });
    table.put({ service: 'a', version: 2, x: 'second' });
    expect(table.get({ service: 'a', version: 2, x: 'whatever' })).toEqual({ service: 'a', version: 2, x: 'second' });
    expect(table.get({ service: 'a', version: 3 })).toBeUndefined();
    expect(table.items()).toHaveLength(2);
  });

  test('replaces an item as a whole', () => {
    const table = new MemoryTable(PUBLISHED_TABLE);
    table.put({ service: 'a', x: 1 });
    expect(table.put({ service: 'a', y: 2 })).toEqual({ service: 'a', y: 2 });
    expect(table.items()).toEqual([{ service: 'a', y: 2 }]);
  });

  test('keeps a copy without absent members', () => {
    const table = new MemoryTable(PUBLISHED_TABLE);
    const bytes = Uint8Array.of(1, 2);
    const list = [{ a: 1, b: undefined }];
    table.put({ service: 'a', absent: undefined, list, bytes });
    list.pop();
    bytes[0] = 9;
    expect(Object.keys(table.get({ service: 'a' }) ?? {})).toEqual(['service', 'list', 'bytes']);
    expect(table.get({ service: 'a' })).toStrictEqual({ service: 'a', list: [{ a: 1 }], bytes: Uint8Array.of(1, 2) });
  });
});
