import type { RegistryId } from '../../lib/model/registry-id';
import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import { MergingInstallation, type Outcome } from '../support/merging-installation';
import { endpoints, keyOf, seen, type SeenInput } from '../support/readings';
import { endpoint, port } from '../support/stored-snapshots';

/** Two registries in, catalog, events and pushes out, as users of other products met it. */

const EAST: RegistryId = 'Kubernetes/east';
const WEST: RegistryId = 'Kubernetes/west';
const VMS: RegistryId = 'External/vms';
const DC: RegistryId = 'Consul/dc1';

const CART = keyOf('cart');

function cart(registry: RegistryId, told: Parameters<typeof seen>[1] = 1, more: SeenInput = {}): ServiceSnapshot {
  return seen('cart', told, { ...more, registry });
}

function typesOf({ events }: Outcome): readonly string[] {
  return events.map(({ type }) => type);
}

const TWO_CLUSTERS = () => new MergingInstallation(EAST, WEST);

describe('pitfall 11: the order in which registries are read has no influence', () => {
  const told = {
    [EAST]: [cart(EAST, 1), seen('search', 2, { registry: EAST })],
    [WEST]: [cart(WEST, endpoints(2, 100), { service: { ports: [port('web', 80), port('grpc', 9090, 'GRPC')] } })],
  };

  test('one after the other, the other way around and at once', async () => {
    const catalogs = [];
    for (const readings of [
      [{ [EAST]: told[EAST] }, { [WEST]: told[WEST] }],
      [{ [WEST]: told[WEST] }, { [EAST]: told[EAST] }],
      [told],
    ]) {
      const installation = TWO_CLUSTERS();
      for (const reading of readings) await installation.read(reading);
      catalogs.push(await installation.catalog());
    }
    expect(catalogs[0]).toHaveLength(2);
    expect(catalogs[1]).toEqual(catalogs[0]);
    expect(catalogs[2]).toEqual(catalogs[0]);
  });
});

test('pitfall 12: a port that only the second cluster has is there, and a port that they name otherwise is a conflict', async () => {
  const installation = TWO_CLUSTERS();
  const { events } = await installation.read({
    [EAST]: [cart(EAST)],
    [WEST]: [cart(WEST, [], { service: { ports: [port('web', 80), port('grpc', 9090, 'GRPC')] } })],
  });
  const entry = await installation.entry(CART);
  expect(entry?.ports.map(({ name, number }) => `${name} ${number}`)).toEqual(['http 80', 'grpc 9090']);
  expect(entry?.conflicts).toEqual([
    {
      type: 'PortConflict',
      field: 'ports/TCP/80',
      winner: { registry: EAST, value: 'http' },
      losers: [{ registry: WEST, value: 'web' }],
    },
  ]);
  expect(events.map(({ type, detail }) => [type, detail.state.conflicts.length])).toEqual([['Service Added', 1]]);
});

test('pitfall 13: one port name with two numbers keeps the endpoints of each number apart', async () => {
  const installation = TWO_CLUSTERS();
  await installation.read({
    [EAST]: [cart(EAST, [endpoint('10.0.0.1')])],
    [WEST]: [cart(WEST, [endpoint('10.0.0.2')], { service: { ports: [port('http', 8080)] } })],
  });
  const entry = await installation.entry(CART);
  expect(entry?.endpoints.map(({ addresses, servicePort }) => [addresses[0], servicePort])).toEqual([
    ['10.0.0.1', 'http'],
    ['10.0.0.2', 'http-8080'],
  ]);
});

test('pitfall 14: a host that two registries claim has one winner, reading after reading, and the loser is named', async () => {
  const installation = new MergingInstallation(VMS, DC);
  const dns = { service: { resolution: 'DNSLB', meshExternal: true } } as const;
  const reading = { [DC]: [cart(DC, 1, dns)], [VMS]: [cart(VMS)] };
  await installation.read(reading);
  const first = await installation.entry(CART);
  expect(first?.resolution).toBe('ClientSideLB');
  expect(first?.conflicts.map(({ type, losers }) => [type, losers.map(({ registry }) => registry)])).toEqual([
    ['LocationConflict', [DC]],
    ['ResolutionConflict', [DC]],
  ]);
  for (let again = 0; again < 3; again += 1) expect((await installation.read(reading)).events).toEqual([]);
  expect((await installation.entry(CART))?.version).toBe(first?.version);
});

test('pitfall 15: a cluster that has deleted a service leaves no endpoint and no virtual IP of its own behind', async () => {
  const installation = TWO_CLUSTERS();
  await installation.read({
    [EAST]: [cart(EAST, 1, { service: { clusterVips: { east: ['10.96.0.1'] } } })],
    [WEST]: [cart(WEST, endpoints(1, 100), { service: { clusterVips: { west: ['10.97.0.1'] } } })],
  });
  expect((await installation.entry(CART))?.clusterVips).toEqual({ east: ['10.96.0.1'], west: ['10.97.0.1'] });
  const outcome = await installation.read({ [WEST]: [] });
  const entry = await installation.entry(CART);
  expect(entry?.clusterVips).toEqual({ east: ['10.96.0.1'] });
  expect(entry?.endpoints.map(({ registry }) => registry)).toEqual([EAST]);
  expect(typesOf(outcome)).toEqual(['Service Updated']);
});

test('pitfall 17: a service is gone when its last registry has deleted it, and not before', async () => {
  const installation = TWO_CLUSTERS();
  await installation.read({ [EAST]: [cart(EAST)], [WEST]: [cart(WEST, endpoints(1, 100))] });
  expect(typesOf(await installation.read({ [EAST]: [] }))).toEqual(['Endpoints Changed']);
  expect((await installation.entry(CART))?.endpoints).toHaveLength(1);
  expect(typesOf(await installation.read({ [WEST]: [] }))).toEqual(['Service Deleted']);
  expect(await installation.entry(CART)).toBeUndefined();
});

test('pitfall 27: a deletion names the host and namespace as they are, with the last state', async () => {
  const installation = new MergingInstallation(DC);
  await installation.read({ [DC]: [cart(DC, 2)] });
  const { events, push } = await installation.read({ [DC]: [] });
  expect(events).toMatchObject([
    {
      type: 'Service Deleted',
      detail: {
        service: { key: 'shop/cart.shop', hostname: 'cart.shop', namespace: 'shop' },
        change: { endpoints: { before: 2, after: 0 } },
        state: { ports: [{ name: 'http', number: 80 }] },
      },
    },
  ]);
  expect(push?.configsUpdated).toEqual([{ kind: 'ServiceEntry', name: 'cart.shop', namespace: 'shop' }]);
});

test('pitfall 18: two registries that are no Kubernetes clusters do not overwrite each other', async () => {
  const installation = new MergingInstallation(VMS, DC);
  await installation.read({ [VMS]: [cart(VMS, endpoints(1))] });
  await installation.read({ [DC]: [cart(DC, endpoints(1, 100))] });
  expect((await installation.entry(CART))?.endpoints.map(({ registry }) => registry)).toEqual([DC, VMS]);
});

test('pitfall 19: an account that both clusters use may leave one of them without a full push', async () => {
  const installation = TWO_CLUSTERS();
  const shopper = 'spiffe://cluster.local/ns/shop/sa/cart';
  const east = endpoint('10.0.0.1', { serviceAccount: shopper });
  await installation.read({
    [EAST]: [cart(EAST, [east])],
    [WEST]: [cart(WEST, [endpoint('10.1.0.1', { serviceAccount: shopper }), endpoint('10.1.0.2')])],
  });
  const outcome = await installation.read({ [WEST]: [cart(WEST, [endpoint('10.1.0.2')])] });
  expect(typesOf(outcome)).toEqual(['Endpoints Changed']);
  expect(outcome.push).toMatchObject({ full: false, reason: { endpoint: 1 } });
});

test('pitfall 20: an address that another Pod has got is an endpoint that went and one that came', async () => {
  const installation = new MergingInstallation(EAST);
  const pod = (name: string) => endpoint('10.0.0.1', { workload: { namespace: 'shop', name } });
  await installation.read({ [EAST]: [cart(EAST, [pod('cart-1')])] });
  const { events } = await installation.read({ [EAST]: [cart(EAST, [pod('cart-2')])] });
  expect(events.map(({ detail }) => detail.change.endpoints.counts)).toEqual([{ added: 1, removed: 1, changed: 0 }]);
});

test('pitfall 21: to no endpoint and back are changes of endpoints', async () => {
  const installation = new MergingInstallation(EAST);
  await installation.read({ [EAST]: [cart(EAST, 1)] });
  const none = await installation.read({ [EAST]: [cart(EAST, 0)] });
  expect(await installation.entry(CART)).toMatchObject({ endpoints: [] });
  const back = await installation.read({ [EAST]: [cart(EAST, 1)] });
  expect([...typesOf(none), ...typesOf(back)]).toEqual(['Endpoints Changed', 'Endpoints Changed']);
  expect([none.push?.full, back.push?.full]).toEqual([false, false]);
});

test('pitfall 24: a mass restart is one event for each service, and one push', async () => {
  const installation = new MergingInstallation(EAST);
  const services = (from: number) =>
    Array.from({ length: 20 }, (_, n) => seen(`s${n}`, endpoints(10, from), { registry: EAST }));
  await installation.read({ [EAST]: services(0) });
  const outcome = await installation.read({ [EAST]: services(100) });
  expect(typesOf(outcome)).toEqual(Array.from({ length: 20 }, () => 'Endpoints Changed'));
  expect(outcome.push).toMatchObject({ full: false, all: false, reason: { endpoint: 20 } });
  expect(outcome.push?.configsUpdated).toHaveLength(20);
});

test('pitfall 25: a reading that says nothing new leads to nothing', async () => {
  const installation = TWO_CLUSTERS();
  const reading = { [EAST]: [cart(EAST)], [WEST]: [cart(WEST, endpoints(1, 100))] };
  await installation.read(reading);
  expect(await installation.read(reading)).toEqual({ events: [], push: undefined });
});

test('pitfall 1: a registry that cannot be read loses nothing, and the other one goes on', async () => {
  const installation = TWO_CLUSTERS();
  await installation.read({ [EAST]: [cart(EAST)], [WEST]: [cart(WEST, endpoints(2, 100))] });
  const outcome = await installation.read({
    [EAST]: new Error('connection refused'),
    [WEST]: [cart(WEST, endpoints(1, 100))],
  });
  expect(typesOf(outcome)).toEqual(['Endpoints Changed']);
  expect((await installation.entry(CART))?.endpoints.map(({ registry }) => registry)).toEqual([EAST, WEST]);
});

test('pitfall 37: UDP 53 and TCP 53 stay two ports, with the endpoints of each', async () => {
  const installation = new MergingInstallation(EAST);
  const dns = [endpoint('10.0.0.1', { servicePort: 'dns' }), endpoint('10.0.0.1', { servicePort: 'dns-tcp' })];
  const ports = [port('dns', 53, 'UDP'), port('dns-tcp', 53, 'TCP')] as const;
  await installation.read({ [EAST]: [cart(EAST, dns, { service: { ports } })] });
  const entry = await installation.entry(CART);
  expect(entry?.ports.map(({ name, transport }) => `${name} ${transport}`)).toEqual(['dns-tcp TCP', 'dns UDP']);
  expect(entry?.endpoints.map(({ servicePort }) => servicePort)).toEqual(['dns', 'dns-tcp']);
  expect(entry?.conflicts).toEqual([]);
});
