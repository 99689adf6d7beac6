import type { Check } from '../../../lib/registries/consul/instance';
import { compareHealth, healthOf } from '../../../lib/registries/consul/instance-health';
import { consulInstance } from '../../support/consul-instance';

const check = (status: string, id = 'c'): Check => ({ id, status, serviceId: '' });

const WEIGHTS = { passing: 10, warning: 3 };

test.each([
  ['no check is healthy', [], 'passing', 'Healthy', 10],
  ['passing is healthy', [check('passing')], 'passing', 'Healthy', 10],
  ['a warning takes the weight of warnings', [check('passing'), check('warning')], 'warning', 'Healthy', 3],
  ['critical is unhealthy', [check('critical'), check('warning')], 'critical', 'UnHealthy', 10],
  ['the order of checks has no influence', [check('warning'), check('critical')], 'critical', 'UnHealthy', 10],
  ['a check of the node counts', [check('critical', 'serfHealth')], 'critical', 'UnHealthy', 10],
  ['maintenance of the node is unhealthy', [check('critical', '_node_maintenance')], 'critical', 'UnHealthy', 10],
  [
    'maintenance of the service is unhealthy, whatever its status',
    [check('passing', '_service_maintenance:web-1')],
    'critical',
    'UnHealthy',
    10,
  ],
  ['a status that Consul does not define is critical', [check('unknown')], 'critical', 'UnHealthy', 10],
] as const)('%s', (_rule, checks, state, health, weight) => {
  expect(healthOf(consulInstance({ checks, weights: WEIGHTS }))).toEqual({ state, health, weight });
});

test.each([
  ['passing', { passing: 0, warning: 1 }, 'UnHealthy', 0],
  ['warning', { passing: 1, warning: 0 }, 'UnHealthy', 0],
  ['passing', { passing: 1, warning: 0 }, 'Healthy', 1],
  ['passing', { passing: -1, warning: 0 }, 'UnHealthy', -1],
] as const)('weight 0 takes no traffic: %s with %j is %s', (status, weights, health, weight) => {
  expect(healthOf(consulInstance({ checks: [check(status)], weights }))).toMatchObject({ health, weight });
});

test('the healthier one is it that takes traffic, then the better state', () => {
  const all = (['critical', 'warning', 'passing'] as const).flatMap((status) => [
    healthOf(consulInstance({ checks: [check(status)], weights: { passing: 0, warning: 0 } })),
    healthOf(consulInstance({ checks: [check(status)] })),
  ]);
  expect(all.sort(compareHealth).map(({ state, health }) => `${health} ${state}`)).toEqual([
    'Healthy passing',
    'Healthy warning',
    'UnHealthy passing',
    'UnHealthy warning',
    'UnHealthy critical',
    'UnHealthy critical',
  ]);
});
