import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLE_DEFINITIONS } from '../../lib/runtime/table-definitions';

describe('TABLE_DEFINITIONS', () => {
  test('name each table once', () => {
    const names = TABLE_DEFINITIONS.map(({ name }) => name);
    expect(names).toEqual(['Registries', 'Snapshots', 'Catalog', 'Published', 'Changes']);
  });

  test('let the stages be woken by the tables that they follow', () => {
    const streams = TABLE_DEFINITIONS.filter(({ stream }) => stream === 'KEYS_ONLY').map(({ name }) => name);
    expect(streams).toEqual(['Snapshots', 'Catalog']);
  });

  test('let everything expire but the rows of registries', () => {
    const lasting = TABLE_DEFINITIONS.filter(({ expires }) => !expires).map(({ name }) => name);
    expect(lasting).toEqual(['Registries']);
  });

  test('import nothing, so that the stack and the functions can share them', () => {
    const source = readFileSync(join(__dirname, '../../lib/runtime/table-definitions.ts'), 'utf8');
    expect(source).not.toMatch(/^import /m);
  });
});
