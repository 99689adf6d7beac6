import type { FailingCheck, Registration } from '../../../lib/registries/consul/answer-schemas';
import type { Lists, ViewedService, ViewedServices } from '../../../lib/registries/consul/catalog-view';
import { groupServices } from '../../../lib/registries/consul/group-services';
import { touchedByNode, touchedServices, touchesOf } from '../../../lib/registries/consul/what-changed';

const INDEX = 100;

type Content = {
  readonly services?: Readonly<Record<string, readonly string[]>>;
  readonly checks?: readonly FailingCheck[];
  readonly nodes?: Readonly<Record<string, number>>;
  readonly index?: number;
};

function lists({
  services = { web: [], api: [] },
  checks = [],
  nodes = { m1: 1 },
  index = INDEX,
}: Content = {}): Lists {
  const listed = { index, filtered: false };
  return {
    services: { ...listed, ...groupServices(new Map(Object.entries(services))) },
    checks: { ...listed, failing: checks },
    nodes: { ...listed, modifyIndexes: new Map(Object.entries(nodes)) },
  };
}

const service = (id: string, change: Partial<ViewedService> = {}): ViewedService => ({
  id,
  readAs: id,
  index: 50,
  registrations: [{ node: 'm1', id: `${id}-1`, modifyIndex: 50 }],
  snapshot: undefined,
  notes: [],
  ...change,
});

const view = (...services: readonly ViewedService[]): ViewedServices => new Map(services.map((one) => [one.id, one]));

const WEB_AND_API = view(service('web'), service('api', { registrations: [{ node: 'M2', id: 'a', modifyIndex: 50 }] }));

const check = (change: Partial<FailingCheck> = {}): FailingCheck => ({
  node: 'm1',
  id: 'c',
  status: 'critical',
  serviceName: 'web',
  modifyIndex: 60,
  ...change,
});

const NODE_CHECK = check({ serviceName: '' });

test.each<[string, Content, Content, readonly string[]]>([
  ['nothing', {}, {}, []],
  ['a new name', {}, { services: { web: [], api: [], new: [] } }, ['new']],
  ['a name that left', {}, { services: { web: [] } }, ['api']],
  ['a tag more', {}, { services: { web: ['a'], api: [] } }, ['web']],
  ['a tag less', { services: { web: ['a'], api: [] } }, {}, ['web']],
  ['other tags', { services: { web: ['a'], api: [] } }, { services: { web: ['b'], api: [] } }, ['web']],
  ['tags in another order', { services: { web: ['a', 'b'], api: [] } }, { services: { web: ['b', 'a'], api: [] } }, []],
  ['a name that cannot be a host name', {}, { services: { web: [], api: [], 'a b': [] } }, []],
  ['a check that fails', {}, { checks: [check()] }, ['web']],
  ['a check that fails of a service in another case', {}, { checks: [check({ serviceName: 'Web' })] }, ['web']],
  ['a check that fails of a service that is not read', {}, { checks: [check({ serviceName: 'proxy' })] }, []],
  ['a check that has recovered', { checks: [check()] }, {}, ['web']],
  ['a check with another status', { checks: [check()] }, { checks: [check({ status: 'warning' })] }, ['web']],
  ['a check with another output', { checks: [check()] }, { checks: [check({ modifyIndex: 70 })] }, []],
  ['a check of the same name on another node', { checks: [check()] }, { checks: [check({ node: 'm9' })] }, ['web']],
  [
    'a check that now is of another service',
    { checks: [check()] },
    { checks: [check({ serviceName: 'api' })] },
    ['api', 'web'],
  ],
  ['a check of the node that fails', {}, { checks: [NODE_CHECK] }, ['web']],
  ['a check of a node in another case', {}, { checks: [{ ...NODE_CHECK, node: 'm2' }] }, ['api']],
  ['a check of the node that has recovered', { checks: [NODE_CHECK] }, {}, ['web']],
  ['a node with another address', {}, { nodes: { m1: 60 } }, ['web']],
  ['a node that left', {}, { nodes: {} }, ['web']],
  ['a node that is new to the list', {}, { nodes: { m1: 1, m2: 60 } }, ['api']],
  ['a node that is new and has nothing', {}, { nodes: { m1: 1, m3: 60 } }, []],
  ['a check that failed before the service was read', {}, { checks: [check({ modifyIndex: 50 })] }, []],
  ['a check that failed just after the service was read', {}, { checks: [check({ modifyIndex: 51 })] }, ['web']],
  ['a check that recovered before the service was read', { checks: [check()] }, { index: 50 }, []],
  ['a check that may have recovered since', { checks: [check()] }, { index: 51 }, ['web']],
  ['a node that changed before its services were read', {}, { nodes: { m1: 50 } }, []],
])('%s touches just the services it speaks of', (_what, before, after, expected) => {
  expect([...touchedServices(lists(before), lists(after), WEB_AND_API).keys()].sort()).toEqual(expected);
});

test('an unreadable service is touched by whatever is said of it', () => {
  const services = view(service('web', { index: undefined }), service('api'));
  const touched = touchedServices(lists(), lists({ checks: [check({ modifyIndex: 1 })] }), services);
  expect([...touched.keys()]).toEqual(['web']);
});

test('a touch says how the service is read: as the list has it, else as it was', () => {
  const services = view(service('web', { readAs: 'wEb' }), service('api', { readAs: 'aPi' }));
  const touched = touchedServices(lists(), lists({ services: { Web: ['a'] } }), services);
  expect([...touched.values()]).toEqual([
    { id: 'web', readAs: 'Web' },
    { id: 'api', readAs: 'aPi' },
  ]);
});

test('what is neither in view nor in the list cannot be touched', () => {
  expect([...touchesOf(['web', 'nowhere'], new Map(), lists().services.groups).keys()]).toEqual(['web']);
});

const registration = (change: Partial<Registration> = {}): Registration => ({
  id: 'web-1',
  serviceName: 'web',
  modifyIndex: 50,
  ...change,
});

test.each<[string, string, readonly Registration[], readonly string[]]>([
  ['nothing new', 'm1', [registration()], []],
  ['nothing new on a node in another case', 'M1', [registration({ serviceName: 'Web' })], []],
  ['another index', 'm1', [registration({ modifyIndex: 51 })], ['web']],
  ['one more of a known service', 'm1', [registration(), registration({ id: 'x', serviceName: 'API' })], ['api']],
  ['one more of a service that is not read', 'm1', [registration(), registration({ id: 'x', serviceName: 'p' })], []],
  ['one less', 'm1', [], ['web']],
  ['one that now is of another service', 'm1', [registration({ serviceName: 'api' })], ['api', 'web']],
])('a node with %s', (_what, node, registrations, expected) => {
  const touched = touchedByNode(node, registrations, WEB_AND_API, lists().services.groups);
  expect([...touched.keys()].sort()).toEqual(expected);
});
