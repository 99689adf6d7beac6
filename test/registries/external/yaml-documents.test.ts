import { parseYamlDocuments } from '../../../lib/registries/external/yaml-documents';

const values = (text: string) =>
  parseYamlDocuments(text).map((document) => ('value' in document ? document.value : document.faults));

const faults = (text: string) =>
  parseYamlDocuments(text).flatMap((document) =>
    'faults' in document ? document.faults.map((fault) => `${document.name}: ${fault}`) : [],
  );

describe('documents', () => {
  test.each([
    ['are separated by ---', 'a: 1\n---\na: 2\n', [{ a: 1 }, { a: 2 }]],
    ['may begin with ---', '---\na: 1\n', [{ a: 1 }]],
    ['may be ended by ...', 'a: 1\n...\n---\na: 2\n...\n', [{ a: 1 }, { a: 2 }]],
    ['may be empty', 'a: 1\n---\n---\na: 2\n---\n', [{ a: 1 }, null, { a: 2 }, null]],
    ['may be JSON', '{"a": [1, "2", null, true]}', [{ a: [1, '2', null, true] }]],
    ['may begin with a byte order mark', '\uFEFFa: 1', [{ a: 1 }]],
    ['may have Windows line ends', 'a: 1\r\nb:\r\n  - x\r\n', [{ a: 1, b: ['x'] }]],
    ['are none in a file of comments', '# nothing\n', []],
    ['are none in an empty file', '', []],
    [
      'are YAML 1.2: yes is no truth value, a time is text',
      'a: yes\nb: 2026-01-31T10:00:00Z',
      [{ a: 'yes', b: '2026-01-31T10:00:00Z' }],
    ],
    ['may use anchors', 'a: &x {p: 1}\nb: *x', [{ a: { p: 1 }, b: { p: 1 } }]],
    [
      'may use merge keys, as with kubectl',
      'a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}',
      [{ a: { p: 1, q: 2 }, b: { p: 1, q: 3 } }],
    ],
    ['cannot change what objects are', '__proto__: {a: 1}', [JSON.parse('{"__proto__": {"a": 1}}') as unknown]],
  ])('%s', (_rule, text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  test('are named by number and first line', () => {
    expect(parseYamlDocuments('# c\n\na: 1\n---\n\n# d\nb: 2\n').map(({ name }) => name)).toEqual([
      'document 1 (line 3)',
      'document 2 (line 7)',
    ]);
  });
});

describe('a fault', () => {
  test.each([
    ['doubled keys', 'a: 1\nb: 2\na: 3', ['document 1 (line 1): Map keys must be unique at line 3, column 1']],
    ['an unknown tag', 'a: !secret x', ['document 1 (line 1): Unresolved tag: !secret at line 1, column 4']],
    [
      'an unknown alias',
      'a: *x',
      ['document 1 (line 1): Unresolved alias (the anchor must be set before the alias): x'],
    ],
    [
      'tabs for indentation',
      'a:\n\tb: 1',
      ['document 1 (line 1): Tabs are not allowed as indentation at line 2, column 1'],
    ],
    [
      'a list that is cut off',
      'a: 1\n---\nhosts: [a, b',
      [
        'document 2 (line 3): Flow sequence in block collection must be sufficiently indented and end with a ] at line 3, column 13',
      ],
    ],
    ['text that is cut off', '{"a": "b', ['document 1 (line 1): Missing closing "quote at line 1, column 9']],
    [
      'an unknown directive and nothing else',
      '%SECRET x\n',
      ['document 1 (line 1): Unknown directive %SECRET at line 1, column 1'],
    ],
    [
      'a version of YAML that does not exist and nothing else',
      '%YAML x\n',
      ['document 1 (line 1): Unsupported YAML version x at line 1, column 7'],
    ],
  ])('is %s, with its place', (_rule, text, expected) => {
    expect(faults(text)).toEqual(expect.arrayContaining(expected));
  });

  test('is a document that aliases would blow up (billion laughs)', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}*a${i}]`);
    expect(faults(['a0: &a0 [x]', ...levels].join('\n'))).toEqual([
      'document 1 (line 1): Excessive alias count indicates a resource exhaustion attack',
    ]);
  });

  test('spoils its own document only', () => {
    expect(values('a: 1\n---\na: 1\na: 2\n---\na: 3')).toEqual([
      { a: 1 },
      ['Map keys must be unique at line 4, column 1'],
      { a: 3 },
    ]);
  });
});
