import { groupServices } from '../../../lib/registries/consul/group-services';

const ids = (names: readonly string[]) => [...groupServices(new Map(names.map((name) => [name, []]))).groups.keys()];

test('a service is known by its name in lower case and read by its first spelling', () => {
  const { groups, notes } = groupServices(
    new Map([
      ['web', ['b']],
      ['WEB', ['c', 'a']],
      ['Web', ['a']],
    ]),
  );
  expect([...groups]).toEqual([['web', { id: 'web', readAs: 'WEB', tags: ['a', 'b', 'c'] }]]);
  expect(notes).toEqual([]);
});

test('the order of names and tags has no influence', () => {
  const one = groupServices(
    new Map([
      ['b', ['y', 'x']],
      ['a', []],
    ]),
  );
  const other = groupServices(
    new Map([
      ['a', []],
      ['b', ['x', 'y']],
    ]),
  );
  expect([...one.groups]).toEqual([...other.groups]);
});

test.each([
  ['dots stay', 'api.v1'],
  ['underscores are answered by Consul', 'my_web'],
  ['a hyphen may stand anywhere', '-web-'],
  ['a label may have 63 characters', 'a'.repeat(63)],
  ['a name may have 180', `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(58)}`],
])('%s: %s is a service', (_rule, name) => {
  expect(ids([name])).toEqual([name]);
});

test.each([
  ['a space', 'my web'],
  ['a slash', 'a/b'],
  ['no ASCII', 'wéb'],
  ['an empty label', 'a..b'],
  ['a dot at the end', 'web.'],
  ['a label of 64 characters', 'a'.repeat(64)],
  ['181 characters', `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(59)}`],
  ['nothing', ''],
])('a name with %s is left out with a note, the others stay', (_rule, name) => {
  const { groups, notes } = groupServices(
    new Map([
      [name, []],
      ['web', []],
    ]),
  );
  expect([...groups.keys()]).toEqual(['web']);
  expect(notes).toEqual([
    {
      code: 'ConsulServiceNameUnusable',
      message: `Consul service ${JSON.stringify(name)} was left out: a host name takes letters, digits, "-", "_" and "." between labels of 1 to 63 characters, 180 in all`,
    },
  ]);
});
