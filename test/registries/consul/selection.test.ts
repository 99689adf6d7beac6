import {
  instanceFilter,
  registrationFilter,
  serviceListFilter,
  TAG_IN_FILTER,
  type Selection,
} from '../../../lib/registries/consul/selection';

const ALL: Selection = { tags: [], proxies: true, consulService: true };

test.each<[string, Partial<Selection>, readonly [string, string, string]]>([
  ['everything', {}, ['', '', '']],
  ['no proxies', { proxies: false }, ['ServiceKind == ""', 'Service.Kind == ""', 'Kind == ""']],
  ['no servers', { consulService: false }, ['ServiceName != "consul"', '', 'Service != "consul"']],
  [
    'all of some tags',
    { tags: ['a', 'b=c'] },
    [
      '"a" in ServiceTags and "b=c" in ServiceTags',
      '"a" in Service.Tags and "b=c" in Service.Tags',
      '"a" in Tags and "b=c" in Tags',
    ],
  ],
  [
    'a filter, which only answers about instances know',
    { filter: 'x == "1" or y == "2"' },
    ['', '(x == "1" or y == "2")', ''],
  ],
  [
    'all of it',
    { proxies: false, consulService: false, tags: ['a'], filter: 'x == "1"' },
    [
      'ServiceKind == "" and ServiceName != "consul" and "a" in ServiceTags',
      'Service.Kind == "" and "a" in Service.Tags and (x == "1")',
      'Kind == "" and Service != "consul" and "a" in Tags',
    ],
  ],
])('selecting %s', (_rule, change, expected) => {
  const selection = { ...ALL, ...change };
  expect([serviceListFilter(selection), instanceFilter(selection), registrationFilter(selection)]).toEqual(expected);
});

test.each([
  ['a=b|c', true],
  ['', false],
  ['a"b', false],
  ['a\\b', false],
  ['a`b', false],
])('a tag %j can be selected by: %s', (tag, expected) => {
  expect(TAG_IN_FILTER.test(tag)).toBe(expected);
});
