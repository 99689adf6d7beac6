import type { ServiceEntry } from '../../../lib/registries/external/entries';
import { syntheticService } from '../../../lib/registries/mcp/synthetic-entry';
import { decodedServiceEntry } from '../../support/decoded-entries';

function entry(name: string, hosts: readonly string[]): ServiceEntry {
  return decodedServiceEntry({ metadata: { name, namespace: 'shop' }, spec: { hosts } });
}

test('the entry of a Kubernetes service gives its name', () => {
  expect(syntheticService(entry('synthetic-cart', ['cart.shop.svc.cluster.local']))).toBe('cart');
});

test.each([
  ['is called otherwise', 'cart', ['cart.shop.svc.cluster.local']],
  ['is only called like one', 'synthetic-cart', ['cart.example.com']],
  ['is of a service of another name', 'synthetic-cart', ['trolley.shop.svc.cluster.local']],
  ['is of a service of another namespace', 'synthetic-cart', ['cart.stock.svc.cluster.local']],
  ['has a second host', 'synthetic-cart', ['cart.shop.svc.cluster.local', 'cart.example.com']],
  ['has no host', 'synthetic-cart', []],
])('an entry that %s is one that somebody wrote', (_case, name, hosts) => {
  expect(syntheticService(entry(name, hosts))).toBeUndefined();
});
