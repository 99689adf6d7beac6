import { unreadableTest } from '../../lib/polling/unreadable-sources';

const unreadable = (...sources: readonly string[]) =>
  unreadableTest(sources.map((source) => ({ source, reason: 'forbidden' })));

test.each([
  [[], [], false],
  [[], ['a'], false],
  [['a'], [], true],
  [['a'], ['a'], true],
  [['a'], ['b'], false],
  [['a'], ['b', 'a'], true],
  [['a'], ['a/b'], false],
  [['a/'], ['a/b'], true],
  [['a/'], ['a/b/c'], true],
  [['a/'], ['a'], false],
  [['a/'], ['b/a/'], false],
  [['a/', 'b'], ['b'], true],
] as const)('with %j unreadable, what was built from %j is unknown: %s', (named, sources, expected) => {
  expect(unreadable(...named)(sources)).toBe(expected);
});
