import type { FailingCheck } from '../../../lib/registries/consul/answer-schemas';
import type { Lists, ViewedService } from '../../../lib/registries/consul/catalog-view';
import { followNodes } from '../../../lib/registries/consul/follow-nodes';
import type { Check, Instance } from '../../../lib/registries/consul/instance';
import { viewService } from '../../../lib/registries/consul/view-service';
import { consulInstance, CONVERSION_RULES, type InstanceChange } from '../../support/consul-instance';
import { consulLists } from '../../support/consul-lists';

/** The service `web` read at index 50 with these instances on m1, which was at index 40. */
function web(...instances: readonly InstanceChange[]): ViewedService {
  const made = instances.map(({ node, ...change }) =>
    consulInstance({ ...change, node: { modifyIndex: 40, ...node } }),
  );
  return viewService({ id: 'web', readAs: 'web' }, { index: 50, instances: made }, CONVERSION_RULES);
}

const LISTED = { services: { web: [] }, nodes: { m1: 40 } };

const follow = (service: ViewedService, lists: Lists) =>
  followNodes(new Map([[service.id, service]]), lists, CONVERSION_RULES);

const instancesAfter = (service: ViewedService, lists: Lists): readonly Instance[] | undefined =>
  follow(service, lists).get('web')?.instances;

const ofNode = (status: string, id = 'n'): Check => ({ id, status, serviceId: '' });
const own = (status: string, id = 'c'): Check => ({ id, status, serviceId: 'web-1' });
const listed = (check: Check, node = 'm1'): FailingCheck => ({ ...check, node });

test('a node with another address and meta is what the list shows of it, for each instance on it', () => {
  const service = web({ id: 'a' }, { id: 'b', port: 81 }, { id: 'c', node: { name: 'm2' } });
  const nodes = { m1: { modifyIndex: 60, address: '10.9.9.9', meta: { region: 'eu' } }, m2: 40 };
  const after = follow(service, consulLists({ ...LISTED, nodes })).get('web');
  expect(after?.snapshot?.endpoints.map(({ addresses, port, locality }) => [addresses[0], port, locality])).toEqual([
    ['10.9.9.9', 80, 'eu'],
    ['10.9.9.9', 81, 'eu'],
    ['10.0.0.1', 80, 'dc1'],
  ]);
  expect(after).toMatchObject({ id: 'web', readAs: 'web', index: 50 });
});

// [what the list shows of m1, how m1 is in view, whether it is taken]
test.each<[string, Record<string, number>, InstanceChange['node'], boolean]>([
  ['with a higher index', { m1: 41 }, {}, true],
  ['with the same index', { m1: 40 }, {}, false],
  ['as it was before it was read', { m1: 39 }, {}, false],
  ['with a higher index, in another case', { m1: 41 }, { name: 'M1' }, true],
])('a node %s', (_what, nodes, node, isTaken) => {
  const after = instancesAfter(web({ ...(node === undefined ? {} : { node }) }), consulLists({ ...LISTED, nodes }));
  expect(after?.[0]?.node.modifyIndex).toBe(isTaken ? 41 : undefined);
});

test('a node that left takes its instances along', () => {
  const service = web({ id: 'a' }, { id: 'b', node: { name: 'm2' } });
  expect(instancesAfter(service, consulLists({ ...LISTED, nodes: { m2: 40 } }))?.map(({ id }) => id)).toEqual(['b']);
});

// [index of the node in view, whether a list of index 100 that lacks the node means that it left]
test.each([
  [100, true],
  [101, false],
])('a node of index %d that the list lacks', (modifyIndex, hasLeft) => {
  const after = instancesAfter(web({ node: { modifyIndex } }), consulLists({ ...LISTED, nodes: {} }));
  expect(after).toEqual(hasLeft ? [] : undefined);
});

// [what differs, checks in view, checks listed, checks afterwards]
test.each<[string, readonly Check[], readonly FailingCheck[], readonly Check[] | undefined]>([
  ['a check of the node that fails', [], [listed(ofNode('critical'))], [ofNode('critical')]],
  ['one that fails as it did', [ofNode('critical')], [listed(ofNode('critical'))], undefined],
  ['one with another status', [ofNode('critical')], [listed(ofNode('warning'))], [ofNode('warning')]],
  ['one that has recovered', [ofNode('critical')], [], []],
  ['one that passed when it was read', [ofNode('passing')], [listed(ofNode('critical'))], [ofNode('critical')]],
  [
    'others, beside one that passes',
    [ofNode('passing', 'p')],
    [listed(ofNode('critical'))],
    [ofNode('passing', 'p'), ofNode('critical')],
  ],
  ['another one', [ofNode('critical', 'o')], [listed(ofNode('critical'))], [ofNode('critical')]],
  ['one of another node', [], [listed(ofNode('critical'), 'm2')], undefined],
  ['one of the node in another case', [], [listed(ofNode('critical'), 'M1')], [ofNode('critical')]],
  ['an own check, which is for a reading', [], [listed(own('critical'))], undefined],
  ['one beside an own check', [own('warning')], [listed(ofNode('critical'))], [own('warning'), ofNode('critical')]],
])('of checks, %s', (_what, checks, failing, expected) => {
  expect(instancesAfter(web({ checks }), consulLists({ ...LISTED, checks: failing }))?.[0]?.checks).toEqual(expected);
});

test('a check of the node makes its instances unhealthy', () => {
  const after = follow(web({}), consulLists({ ...LISTED, checks: [listed(ofNode('critical'))] })).get('web');
  expect(after?.snapshot?.endpoints).toEqual([]);
});

// [index that the service was read at, whether a list of index 100 is newer]
test.each([
  [99, true],
  [100, false],
])('checks are held against a service that was read at index %d', (index, isNewer) => {
  const service = { ...web({}), index };
  const after = instancesAfter(service, consulLists({ ...LISTED, checks: [listed(ofNode('critical'))] }));
  expect(after !== undefined).toBe(isNewer);
});

test('pitfall 4: a list that ACLs hide a part of is not believed', () => {
  const all = consulLists({ services: {}, nodes: {} });
  const hidden = { ...all, nodes: { ...all.nodes, filtered: true } };
  expect([...follow(web({}), hidden)]).toEqual([]);
  const checks = { ...all.checks, filtered: true };
  const failing = web({ checks: [ofNode('critical')] });
  expect([...follow(failing, { ...consulLists(LISTED), checks })]).toEqual([]);
});

test('a service that is unreadable stays so', () => {
  const unreadable = { ...web({}), index: undefined, unreadable: { source: 'service/web', reason: 'HTML' } };
  expect([...follow(unreadable, consulLists({ services: {}, nodes: {} }))]).toEqual([]);
});
