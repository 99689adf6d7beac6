import { podWorkload } from '../../../lib/registries/kubernetes/pod-workload';
import { keptPod, podManifest, type Manifest } from '../../support/kube-manifests';

const surroundings = { trustDomain: 'td', network: 'net-1' };

function workload(labels: Manifest = {}, spec: Manifest = {}) {
  return podWorkload(keptPod(podManifest('cart-0', '10.1.0.1', { metadata: { labels }, spec })), 'r/z/', surroundings);
}

test('what a Pod tells', () => {
  expect(workload({ app: 'cart' })).toEqual({
    labels: { app: 'cart' },
    locality: 'r/z/',
    network: 'net-1',
    tlsMode: 'disabled',
    serviceAccount: 'spiffe://td/ns/shop/sa/cart',
    workload: { name: 'cart-0', namespace: 'shop' },
    subdomain: '',
    node: 'node-a',
  });
});

test.each([
  { rule: 'its own locality first', labels: { 'istio-locality': 'a.b' }, is: { locality: 'a/b' } },
  { rule: 'its own network first', labels: { 'topology.istio.io/network': 'n' }, is: { network: 'n' } },
  { rule: 'an empty network is none', labels: { 'topology.istio.io/network': '' }, is: { network: 'net-1' } },
  { rule: 'TLS mode as labelled', labels: { 'security.istio.io/tlsMode': 'istio' }, is: { tlsMode: 'istio' } },
])('$rule', ({ labels, is }) => {
  expect(workload(labels)).toMatchObject(is);
});

test.each([
  { rule: 'no host name without a subdomain', spec: { hostname: 'h' }, is: undefined },
  { rule: 'with one, its own', spec: { hostname: 'h', subdomain: 's' }, is: 'h' },
  { rule: 'or its name', spec: { subdomain: 's' }, is: 'cart-0' },
])('$rule', ({ spec, is }) => {
  expect(workload({}, spec).hostname).toBe(is);
});
