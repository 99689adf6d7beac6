import { textTable } from '../../lib/cli/text-table';

test('columns are as wide as their widest cell, two blanks apart, without trailing blanks', () => {
  expect(
    textTable(
      ['NAME', 'N', 'LAST'],
      [
        ['a', '100', ''],
        ['longer', '1', 'x'],
      ],
    ),
  ).toBe(['NAME    N    LAST', 'a       100', 'longer  1    x'].join('\n'));
});

test('missing cells are empty, and no rows leave the headings', () => {
  expect(textTable(['A', 'B'], [['x']])).toBe('A  B\nx');
  expect(textTable(['A', 'B'], [])).toBe('A  B');
});
