import type { Located } from '../../../lib/registries/consul/instance-address';
import { isExternal, serviceResolution } from '../../../lib/registries/consul/service-resolution';
import { consulInstance } from '../../support/consul-instance';

const of = (kind: Located['location']['kind']): Located => ({
  instance: consulInstance(),
  location: { kind, address: 'x', port: 80 },
});

test.each([
  [['ip', 'unix'], false, 'ClientSideLB'],
  [[], false, 'ClientSideLB'],
  [['ip', 'name'], false, 'DNSLB'],
  [['ip'], true, 'Passthrough'],
  [['ip', 'name'], true, 'DNSLB'],
] as const)('instances at %j, external %s: %s', (kinds, external, resolution) => {
  expect(serviceResolution(kinds.map(of), external)).toBe(resolution);
});

test.each([
  [[{}], false],
  [[{ external: '' }], false],
  [[{ external: 'false' }], false],
  [[{ external: 'False' }], false],
  [[{ external: 'true' }], true],
  [[{ external: 'yes' }], true],
  [[{}, { external: '1' }], true],
])('meta %j is external: %s', (metas, expected) => {
  expect(isExternal(metas.map((meta) => consulInstance({ meta })))).toBe(expected);
});
