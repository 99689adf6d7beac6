import { instanceLocality } from '../../../lib/registries/consul/instance-locality';
import { consulInstance } from '../../support/consul-instance';

test.each([
  ['the datacenter', {}, {}, 'dc1'],
  ['region and zone of the service', { region: 'eu-west-1', zone: 'a' }, {}, 'eu-west-1/a'],
  ['region and zone of the node', {}, { region: 'eu-west-1', zone: 'a' }, 'eu-west-1/a'],
  ['the service before the node', { region: 'r1', zone: 'a' }, { region: 'r2', zone: 'b' }, 'r1/a'],
  ['a region alone', { region: 'r1' }, { region: 'r2', zone: 'b' }, 'r1'],
  ['the datacenter with a zone alone', { zone: 'a' }, {}, 'dc1'],
  ['the node when the region of the service is empty', { region: '' }, { region: 'r2' }, 'r2'],
])('the locality is %s', (_rule, meta, nodeMeta, expected) => {
  expect(instanceLocality(consulInstance({ meta, node: { meta: nodeMeta } }))).toBe(expected);
});
