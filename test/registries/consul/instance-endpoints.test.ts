import type { Instance } from '../../../lib/registries/consul/instance';
import { isLocated, locateInstance } from '../../../lib/registries/consul/instance-address';
import { instanceEndpoints } from '../../../lib/registries/consul/instance-endpoints';
import { servicePorts } from '../../../lib/registries/consul/service-ports';
import { consulInstance } from '../../support/consul-instance';

function endpointsOf(instances: readonly Instance[], rules: { publishUnhealthy?: boolean; servicePort?: number } = {}) {
  const located = instances.map((instance) => locateInstance(instance, {})).filter(isLocated);
  const ports = servicePorts('web', located, rules);
  return instanceEndpoints('web', located, ports, { publishUnhealthy: rules.publishUnhealthy ?? false });
}

const workloads = (instances: readonly Instance[], rules = {}) =>
  endpointsOf(instances, rules).endpoints.map(({ workload }) => `${workload.namespace}/${workload.name}`);

const CRITICAL = [{ id: 'c', status: 'critical', serviceId: '' }];
const WARNING = [{ id: 'c', status: 'warning', serviceId: '' }];

test('an instance becomes an endpoint with its workload, labels, locality, weight and node', () => {
  const instance = consulInstance({
    id: 'web-7',
    address: 'FD00::1',
    tags: ['v=1'],
    meta: { env: 'prod', region: 'r', zone: 'z' },
    weights: { passing: 7, warning: 1 },
    node: { name: 'm7' },
  });
  expect(endpointsOf([instance])).toEqual({
    endpoints: [
      {
        addresses: ['fd00::1'],
        port: 80,
        servicePort: 'tcp-80',
        labels: { env: 'prod', region: 'r', v: '1', zone: 'z' },
        locality: 'r/z',
        network: '',
        weight: 7,
        tlsMode: 'disabled',
        serviceAccount: '',
        health: 'Healthy',
        workload: { name: 'web-7', namespace: 'm7' },
        node: 'm7',
      },
    ],
    notes: [],
  });
});

test('unhealthy instances are published only on demand, and then with their health', () => {
  const instances = [consulInstance({ checks: CRITICAL })];
  expect(endpointsOf(instances).endpoints).toEqual([]);
  expect(endpointsOf(instances, { publishUnhealthy: true }).endpoints).toMatchObject([{ health: 'UnHealthy' }]);
});

test('an instance with a warning is published with the weight of warnings', () => {
  const instance = consulInstance({ checks: WARNING, weights: { passing: 10, warning: 2 } });
  expect(endpointsOf([instance]).endpoints).toMatchObject([{ health: 'Healthy', weight: 2 }]);
});

test('endpoints lead to the port of their instance, or to the one port of the service', () => {
  const instances = [consulInstance({ id: 'a', port: 81 }), consulInstance({ id: 'b', port: 82 })];
  const ports = (rules = {}) => endpointsOf(instances, rules).endpoints.map((one) => [one.port, one.servicePort]);
  expect(ports()).toEqual([
    [81, 'tcp-81'],
    [82, 'tcp-82'],
  ]);
  expect(ports({ servicePort: 80 })).toEqual([
    [81, 'tcp-80'],
    [82, 'tcp-80'],
  ]);
});

test.each([
  [
    'the healthiest',
    [
      consulInstance({ id: 'a', checks: CRITICAL }),
      consulInstance({ id: 'b', checks: WARNING }),
      consulInstance({ id: 'c' }),
    ],
    'm1/c',
  ],
  ['then the lowest ServiceID', [consulInstance({ id: 'b' }), consulInstance({ id: 'a' })], 'm1/a'],
  [
    'then the lowest node',
    [
      consulInstance({ node: { name: 'm2', address: '10.0.0.1' } }),
      consulInstance({ node: { name: 'm1', address: '10.0.0.1' } }),
    ],
    'm1/web-1',
  ],
])('of instances with one address and port %s is kept, in any order', (_rule, instances, kept) => {
  for (const order of [instances, [...instances].reverse()]) {
    expect(workloads(order, { publishUnhealthy: true })).toEqual([kept]);
    expect(endpointsOf(order).notes.map(({ code }) => code)).toEqual(['ConsulInstanceDouble']);
  }
});

test('doubles are told by their names and place', () => {
  expect(endpointsOf([consulInstance({ id: 'a' }), consulInstance({ id: 'b' })]).notes).toEqual([
    {
      code: 'ConsulInstanceDouble',
      message:
        'Consul service web: instances with the address and port of a healthier or earlier one were left out (b on node m1 at 10.0.0.1:80)',
    },
  ]);
});

test('pitfall 18: one address with two ports, and one port on two addresses, are endpoints of their own', () => {
  const instances = [
    consulInstance({ id: 'a' }),
    consulInstance({ id: 'b', port: 81 }),
    consulInstance({ id: 'c', address: '10.0.0.2' }),
  ];
  expect(workloads(instances)).toEqual(['m1/a', 'm1/b', 'm1/c']);
});

test('a unix socket leads to the only port of the service', () => {
  const socket = consulInstance({ id: 'sock', socketPath: '/run/web.sock', port: undefined });
  expect(endpointsOf([socket], { servicePort: 80 }).endpoints).toMatchObject([
    { addresses: ['/run/web.sock'], port: 0, servicePort: 'tcp-80' },
  ]);
});

test('a unix socket that leads to no certain port is left out, with a note', () => {
  const socket = consulInstance({ id: 'sock', socketPath: '/run/web.sock', port: undefined });
  const instances = [socket, consulInstance({ id: 'a', port: 81 }), consulInstance({ id: 'b', port: 82 })];
  expect(workloads(instances)).toEqual(['m1/a', 'm1/b']);
  expect(endpointsOf(instances).notes).toEqual([
    {
      code: 'ConsulSocketPortUnknown',
      message:
        'Consul service web: sockets were left out since nothing says which port clients see; set servicePort or the meta service-port (sock on node m1)',
    },
  ]);
});
