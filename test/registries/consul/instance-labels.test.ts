import { instanceLabels, tagValue } from '../../../lib/registries/consul/instance-labels';

type Case = [string, Readonly<Record<string, string>>, readonly string[], Readonly<Record<string, string>>];

test.each<Case>([
  ['meta', { env: 'prod' }, [], { env: 'prod' }],
  ['a tag with =', {}, ['version=v1'], { version: 'v1' }],
  ['a tag with |', {}, ['version|v1'], { version: 'v1' }],
  ['only the first separator divides', {}, ['a=b|c', 'd|e=f'], { a: 'b|c', d: 'e=f' }],
  ['an empty value', {}, ['a='], { a: '' }],
  ['a plain tag', {}, ['primary'], { 'tag/primary': 'true' }],
  ['meta before a tag', { version: 'v2' }, ['version=v1'], { version: 'v2' }],
  ['the first of two tags in order', {}, ['v=2', 'v=1'], { v: '1' }],
  ['doubles are one', {}, ['a', 'a'], { 'tag/a': 'true' }],
  ['no empty keys', { '': 'x' }, ['=x', '|y', ''], {}],
  ['names of members of every object', { constructor: 'x' }, ['toString=y'], { constructor: 'x', toString: 'y' }],
])('%s', (_rule, meta, tags, labels) => {
  expect(Object.entries(instanceLabels({ meta, tags }))).toEqual(Object.entries(labels));
});

test('the order of tags has no influence', () => {
  const tags = ['b', 'a=2', 'a=1', 'c|3'];
  expect(instanceLabels({ meta: {}, tags: [...tags].reverse() })).toEqual(instanceLabels({ meta: {}, tags }));
});

test.each([
  [['protocol=http'], 'http'],
  [['protocol|grpc'], 'grpc'],
  [['protocol=http', 'protocol=grpc'], 'grpc'],
  [['protocols=http'], undefined],
  [['protocol'], undefined],
  [[], undefined],
])('of %j the value of protocol is %s', (tags, value) => {
  expect(tagValue(tags, 'protocol')).toBe(value);
});
