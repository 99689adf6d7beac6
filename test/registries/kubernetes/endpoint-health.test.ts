import { endpointHealth, isPublished } from '../../../lib/registries/kubernetes/endpoint-health';
import { keptService, serviceManifest } from '../../support/kube-manifests';

const plain = { labels: {} };
const persistent = { labels: { 'istio.io/persistent-session': 'cookie:/' } };

test.each([
  { rule: 'ready', service: plain, conditions: { ready: true, terminating: true }, is: 'Healthy' },
  { rule: 'nothing said', service: plain, conditions: {}, is: 'Healthy' },
  { rule: 'ready missing', service: plain, conditions: { serving: false, terminating: false }, is: 'Healthy' },
  {
    rule: 'terminating',
    service: plain,
    conditions: { ready: false, serving: true, terminating: true },
    is: 'Terminating',
  },
  { rule: 'terminating missing', service: plain, conditions: { ready: false }, is: 'Terminating' },
  { rule: 'not ready', service: plain, conditions: { ready: false, terminating: false }, is: 'UnHealthy' },
  {
    rule: 'draining',
    service: persistent,
    conditions: { ready: false, serving: true, terminating: true },
    is: 'Draining',
  },
  { rule: 'draining, rest missing', service: persistent, conditions: { ready: false }, is: 'Draining' },
  {
    rule: 'no longer serving',
    service: persistent,
    conditions: { ready: false, serving: false, terminating: true },
    is: 'Terminating',
  },
  {
    rule: 'not terminating',
    service: persistent,
    conditions: { ready: false, serving: true, terminating: false },
    is: 'UnHealthy',
  },
  {
    rule: 'persistent by header',
    service: { labels: { 'istio.io/persistent-session-header': 'x' } },
    conditions: { ready: false },
    is: 'Draining',
  },
  {
    rule: 'an empty label is none',
    service: { labels: { 'istio.io/persistent-session': '' } },
    conditions: { ready: false },
    is: 'Terminating',
  },
])('health: $rule', ({ service, conditions, is }) => {
  expect(endpointHealth(service, conditions)).toBe(is);
});

const clusterIp = keptService();
const headless = keptService(serviceManifest({ spec: { clusterIP: 'None', clusterIPs: ['None'] } }));

test.each([
  { service: clusterIp, health: 'Healthy', published: true, published_with_unhealthy: true },
  { service: clusterIp, health: 'Draining', published: true, published_with_unhealthy: true },
  { service: clusterIp, health: 'UnHealthy', published: false, published_with_unhealthy: true },
  { service: clusterIp, health: 'Terminating', published: false, published_with_unhealthy: true },
  { service: headless, health: 'UnHealthy', published: false, published_with_unhealthy: true },
  { service: headless, health: 'Terminating', published: true, published_with_unhealthy: true },
] as const)('$health of a $service.clusterIp service is published: $published', (row) => {
  expect(isPublished(row.service, row.health, false)).toBe(row.published);
  expect(isPublished(row.service, row.health, true)).toBe(row.published_with_unhealthy);
});
