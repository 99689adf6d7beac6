import type { FailingCheck, Registration } from '../../../lib/registries/consul/answer-schemas';
import type { Lists, ViewedService, ViewedServices } from '../../../lib/registries/consul/catalog-view';
import type { Check } from '../../../lib/registries/consul/instance';
import {
  servicesThatLeft,
  touchedByNode,
  touchedServices,
  touchesOf,
} from '../../../lib/registries/consul/what-changed';
import { consulInstance } from '../../support/consul-instance';
import { consulLists } from '../../support/consul-lists';

const INDEX = 100;

type Content = Parameters<typeof consulLists>[0];

/** With web and api, unless a test says otherwise. */
const lists = (content: Content = {}): Lists => consulLists({ services: { web: [], api: [] }, ...content });

type Read = Partial<ViewedService> & { readonly node?: string; readonly failing?: readonly Check[] };

/** `<id>-1` on m1 with no failing check, read at index 50 when m1 was at index 1; and what a test changes of it. */
const service = (id: string, { node = 'm1', failing = [], ...change }: Read = {}): ViewedService => ({
  id,
  readAs: id,
  index: 50,
  instances: [
    consulInstance({ id: `${id}-1`, modifyIndex: 50, node: { name: node, modifyIndex: 1 }, checks: failing }),
  ],
  snapshot: undefined,
  notes: [],
  ...change,
});

const view = (...services: readonly ViewedService[]): ViewedServices => new Map(services.map((one) => [one.id, one]));

const check = (change: Partial<FailingCheck> = {}): FailingCheck => ({
  node: 'm1',
  id: 'c',
  status: 'critical',
  serviceId: 'web-1',
  ...change,
});

const ofNode = (change: Partial<FailingCheck> = {}) => check({ id: 'n', serviceId: '', ...change });

const READ: Check = { id: 'c', status: 'critical', serviceId: 'web-1' };
const READ_OF_NODE: Check = { id: 'n', status: 'critical', serviceId: '' };
const PASSING: Check = { id: 'p', status: 'passing', serviceId: 'web-1' };

// [what differs, how web was read, what the lists say, which services are touched]
test.each<[string, Read, Content, readonly string[]]>([
  ['nothing', {}, {}, []],
  ['a new name', {}, { services: { web: [], api: [], new: [] } }, ['new']],
  ['a name that left', {}, { services: { web: [] } }, ['api']],
  ['other tags', {}, { services: { web: ['a'], api: [] } }, ['web']],
  ['a name that cannot be a host name', {}, { services: { web: [], api: [], 'a b': [] } }, []],
  ['a check that fails', {}, { checks: [check()] }, ['web']],
  ['a check that was read and passes', { failing: [PASSING] }, {}, []],
  ['a check that fails as it did', { failing: [READ] }, { checks: [check()] }, []],
  ['a check with another status', { failing: [READ] }, { checks: [check({ status: 'warning' })] }, ['web']],
  ['a check that has recovered', { failing: [READ] }, {}, ['web']],
  ['another check than the one that was read', { failing: [READ] }, { checks: [check({ id: 'd' })] }, ['web']],
  ['a check of an instance that is not selected', {}, { checks: [check({ serviceId: 'web-9' })] }, []],
  ['a check of the same id on another node', {}, { checks: [check({ node: 'm9' })] }, []],
  ['a check of a node in another case', {}, { checks: [check({ node: 'M1' })] }, ['web']],
  ['a check of the node that fails', {}, { checks: [ofNode()] }, ['api', 'web']],
  ['a check of another node that fails', {}, { checks: [ofNode({ node: 'm9' })] }, []],
  ['a check of the node that fails as it did', { failing: [READ_OF_NODE] }, { checks: [ofNode()] }, ['api']],
  ['checks of both that fail as they did', { failing: [READ, READ_OF_NODE] }, { checks: [ofNode(), check()] }, ['api']],
  ['a node with another address', {}, { nodes: { m1: 60 } }, ['api', 'web']],
  ['a node that left', {}, { nodes: {} }, ['api', 'web']],
  ['another node', {}, { nodes: { m1: 1, m2: 60 } }, []],
  ['a check that the list does not know yet', { failing: [READ], index: INDEX }, {}, []],
  ['a check that may have recovered since', { failing: [READ], index: INDEX - 1 }, {}, ['web']],
  ['a node whose change the list does not know yet', { node: 'm2', index: INDEX }, {}, []],
  ['a node whose change may be newer', { node: 'm2', index: INDEX - 1 }, {}, ['web']],
  ['a check of a service that is unreadable', { index: undefined, failing: [READ] }, {}, ['web']],
])('%s touches just the services it speaks of', (_what, web, after, expected) => {
  const services = view(service('web', web), service('api'));
  expect([...touchedServices(lists(), lists(after), services).keys()].sort()).toEqual(expected);
});

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['one more', [], ['a'], ['web']],
  ['one less', ['a'], [], ['web']],
  ['others', ['a'], ['b'], ['web']],
  ['the same in another order', ['a', 'b'], ['b', 'a'], []],
])('of tags, %s', (_what, before, after, expected) => {
  const tagged = (tags: readonly string[]) => lists({ services: { web: tags } });
  expect([...touchedServices(tagged(before), tagged(after), view(service('web'))).keys()]).toEqual(expected);
});

// [why, whether ACLs hide a part of the list, how web was read, services that left]
test.each<[string, boolean, Read, readonly string[]]>([
  ['its name is missing', false, {}, ['web']],
  ['its name is missing, and it could not be read', false, { index: undefined }, ['web']],
  ['its name is missing from a list that is just newer than it was read', false, { index: INDEX - 1 }, ['web']],
  ['its name is missing from a list that it was read since', false, { index: INDEX }, []],
  ['its name is hidden', true, {}, []],
])('pitfall 4: whether a service has left: %s', (_why, filtered, web, expected) => {
  const { services } = lists({ services: { api: [] } });
  const left = servicesThatLeft(view(service('web', web), service('api')), { ...services, filtered });
  expect([...left]).toEqual(expected.map((id) => [id, undefined]));
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
  const services = view(service('web'), service('api', { node: 'M2' }));
  const touched = touchedByNode(node, registrations, services, lists().services.groups);
  expect([...touched.keys()].sort()).toEqual(expected);
});

test('an instance that has become one of another service, which was read already, has left the first', () => {
  const moved = consulInstance({ id: 'web-1', modifyIndex: 60 });
  const services = view(service('web'), service('api', { instances: [moved] }));
  const registrations = [registration({ serviceName: 'api', modifyIndex: 60 })];
  expect([...touchedByNode('m1', registrations, services, lists().services.groups).keys()]).toEqual(['web']);
});
