import { serviceHostname } from '../../../lib/registries/consul/service-hostname';

test.each([
  ['service', 'consul', 'web.service.consul'],
  ['datacenter', 'consul', 'web.service.dc1.consul'],
  ['service', 'corp.example', 'web.service.corp.example'],
  ['datacenter', 'corp.example', 'web.service.dc1.corp.example'],
] as const)('hostname %s under %s is %s', (hostname, domain, expected) => {
  expect(serviceHostname('web', 'dc1', { hostname, domain })).toBe(expected);
});
