import * as z from 'zod';
import {
  describeProblems,
  formatPath,
  formatProblem,
  problemsOf,
  showValue,
} from '../../../lib/registries/external/problem';

describe('a problem in words', () => {
  test.each([
    [
      'names path, value and rule',
      { path: ['spec', 'ports', 0, 'number'], value: 70_000, rule: 'must be smaller' },
      'spec.ports[0].number is 70000, must be smaller',
    ],
    [
      'says that something is missing',
      { path: ['spec'], value: undefined, rule: 'must be given' },
      'spec is missing, must be given',
    ],
    ['can do without a value', { path: ['spec'], rule: 'must be shorter' }, 'spec must be shorter'],
    [
      'of the whole document says so',
      { path: [], value: [1], rule: 'must be an object' },
      'the document is [1], must be an object',
    ],
  ])('%s', (_rule, problem, expected) => {
    expect(formatProblem(problem)).toBe(expected);
  });

  test.each([
    [['spec', 'hosts', 12], 'spec.hosts[12]'],
    [['items', 2, 'spec'], 'items[2].spec'],
    [[3, 'a'], '[3].a'],
    [['metadata', 'labels', 'istio.io/rev'], 'metadata.labels["istio.io/rev"]'],
    [['spec', 'ports', 'http-web'], 'spec.ports["http-web"]'],
    [['', 'a'], '[""].a'],
  ])('writes the path %p as %s', (path, expected) => {
    expect(formatPath(path)).toBe(expected);
  });

  test.each([
    ['text in quotes', 'a"b', '"a\\"b"'],
    ['nothing as null', null, 'null'],
    ['numbers that JSON lacks by name', Number.POSITIVE_INFINITY, 'Infinity'],
    ['80 characters in full', 'x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['the first 80 of more', 'x'.repeat(79), `"${'x'.repeat(79)}…`],
  ])('shows %s', (_rule, value, expected) => {
    expect(showValue(value)).toBe(expected);
  });
});

describe('the findings of a schema', () => {
  const schema = z.strictObject({
    a: z.strictObject({ b: z.string('must be text') }, 'must be known'),
    c: z.number('must be a number'),
  });
  const findings = (value: unknown) => problemsOf(schema.safeParse(value, { reportInput: true }).error!, ['spec']);

  test('are all of them, with values and paths', () => {
    expect(findings({ a: { b: 1 }, c: null })).toEqual([
      { path: ['spec', 'a', 'b'], value: 1, rule: 'must be text' },
      { path: ['spec', 'c'], value: null, rule: 'must be a number' },
    ]);
  });

  test('hold one problem for each unknown field', () => {
    expect(findings({ a: { b: '', x: 1, y: [2] }, c: 1 })).toEqual([
      { path: ['spec', 'a', 'x'], value: 1, rule: 'must be known' },
      { path: ['spec', 'a', 'y'], value: [2], rule: 'must be known' },
    ]);
  });
});

test.each([
  [0, ''],
  [1, 'p1'],
  [2, 'p1; p2'],
  [20, Array.from({ length: 20 }, (_, i) => `p${i + 1}`).join('; ')],
  [21, `${Array.from({ length: 20 }, (_, i) => `p${i + 1}`).join('; ')}; and 1 more`],
])('%p problems make one sentence', (count, sentence) => {
  expect(describeProblems(Array.from({ length: count }, (_, i) => `p${i + 1}`))).toBe(sentence);
});
