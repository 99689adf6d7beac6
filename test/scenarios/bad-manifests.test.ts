import { planSnapshotWrites } from '../../lib/polling/plan-snapshot-writes';
import { DEFAULT_GUARD } from '../../lib/polling/poll-settings';
import { ExternalRegistry } from '../../lib/registries/external/external-registry';
import type { ServiceKey } from '../../lib/model/service-key';
import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import { MemoryManifestSource } from '../support/memory-manifest-source';
import { readOnce } from '../support/read-once';
import { knownOf } from '../support/readings';

/** Manifests on one side, the stored snapshots on the other, and between them what reads, plans and writes. */
class World {
  readonly manifests = new MemoryManifestSource();
  readonly #stored = new Map<ServiceKey, ServiceSnapshot>();
  #registry = this.#newRegistry();

  /** Reads once and does what the plan says. @returns the keys that were written and removed. */
  async poll() {
    const known = new Map([...this.#stored].map(([key, snapshot]) => [key, knownOf(snapshot)]));
    const plan = planSnapshotWrites(known, await readOnce(this.#registry), DEFAULT_GUARD, undefined, {
      registry: 'External/shared',
      precedence: 0,
      unreadable: [],
      approved: undefined,
      earlier: new Map(),
      nowMs: 0,
    });
    for (const { snapshot } of plan.puts) this.#stored.set(snapshot.key, snapshot);
    for (const key of plan.tombstones) this.#stored.delete(key);
    return { written: plan.puts.map(({ snapshot }) => snapshot.key), removed: plan.tombstones, frozen: plan.frozen };
  }

  /** As a new run does, which knows only what is stored. */
  restart(): void {
    this.#registry = this.#newRegistry();
  }

  /** Service → the addresses of its endpoints. */
  stored(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      [...this.#stored].map(([key, { endpoints }]) => [key, endpoints.map(({ addresses }) => addresses.join())]),
    );
  }

  #newRegistry(): ExternalRegistry {
    return new ExternalRegistry({ cluster: 'shared', trustDomain: 'cluster.local', source: this.manifests });
  }
}

const service = (name: string, spec: string) => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ${name}, namespace: shop }
spec: { hosts: [${name.split('-')[0]}.vm], ports: [{ name: http, number: 80 }], resolution: STATIC, ${spec} }
---`;

const machine = (name: string, address: string) => `
apiVersion: networking.istio.io/v1
kind: WorkloadEntry
metadata: { name: ${name}, namespace: shop, labels: { app: cart } }
spec: { address: ${address} }
---`;

const CART = service('cart', 'workloadSelector: { labels: { app: cart } }');
const PAY = service('pay', 'endpoints: [{ address: 10.0.1.1 }]');
const BROKEN = '\nkind: [';

async function start() {
  const world = new World();
  world.manifests.put('cart.yaml', CART);
  world.manifests.put('pay.yaml', PAY);
  world.manifests.put('machines.yaml', machine('vm-1', '10.0.0.1') + machine('vm-2', '10.0.0.2'));
  await world.poll();
  expect(world.stored()).toEqual({ 'shop/cart.vm': ['10.0.0.1', '10.0.0.2'], 'shop/pay.vm': ['10.0.1.1'] });
  return world;
}

/** With and without a restart just before: the memory of the registry must not matter. */
describe.each([
  ['in one run', false],
  ['in the next run', true],
])('a manifest breaks, %s', (_when, restarts) => {
  async function afterBreaking(name: string, contents: string) {
    const world = await start();
    world.manifests.put(name, contents);
    if (restarts) world.restart();
    return world;
  }

  test('pitfall 3: its own services stay as they are, others go on', async () => {
    const world = await afterBreaking('pay.yaml', PAY + BROKEN);
    world.manifests.put('machines.yaml', machine('vm-1', '10.0.0.9'));
    expect(await world.poll()).toEqual({ written: ['shop/cart.vm'], removed: [], frozen: ['shop/pay.vm'] });
    expect(world.stored()).toEqual({ 'shop/cart.vm': ['10.0.0.9'], 'shop/pay.vm': ['10.0.1.1'] });
  });

  test('a service keeps the endpoints that it selected from it', async () => {
    const world = await afterBreaking('machines.yaml', machine('vm-1', '10.0.0.1') + BROKEN);
    expect(await world.poll()).toEqual({ written: [], removed: [], frozen: ['shop/cart.vm'] });
    world.manifests.put('machines.yaml', machine('vm-1', '10.0.0.1'));
    expect(await world.poll()).toEqual({ written: ['shop/cart.vm'], removed: [], frozen: [] });
    expect(world.stored()).toMatchObject({ 'shop/cart.vm': ['10.0.0.1'] });
  });

  test('a service keeps what another entry in it contributed to the same host', async () => {
    const world = await start();
    world.manifests.put('more.yaml', service('pay-more', 'endpoints: [{ address: 10.0.1.2 }]'));
    await world.poll();
    world.manifests.put('more.yaml', '');
    if (restarts) world.restart();
    expect(await world.poll()).toEqual({ written: [], removed: [], frozen: ['shop/pay.vm'] });
    expect(world.stored()).toMatchObject({ 'shop/pay.vm': ['10.0.1.2', '10.0.1.1'] });
  });

  test('machines that had moved into it without any change to the service are kept too', async () => {
    const world = await start();
    world.manifests.put('moved.yaml', machine('vm-2', '10.0.0.2'));
    world.manifests.put('machines.yaml', machine('vm-1', '10.0.0.1'));
    expect(await world.poll()).toMatchObject({ written: ['shop/cart.vm'] });
    world.manifests.put('moved.yaml', BROKEN);
    if (restarts) world.restart();
    expect(await world.poll()).toEqual({ written: [], removed: [], frozen: ['shop/cart.vm'] });
    expect(world.stored()).toMatchObject({ 'shop/cart.vm': ['10.0.0.1', '10.0.0.2'] });
  });

  test('and is deleted: now its services go', async () => {
    const world = await afterBreaking('pay.yaml', BROKEN);
    await world.poll();
    world.manifests.remove('pay.yaml');
    expect(await world.poll()).toEqual({ written: [], removed: ['shop/pay.vm'], frozen: [] });
  });

  test('a folder that cannot be read freezes what was below it', async () => {
    const world = await start();
    world.manifests.put('team/new.yaml', service('new', 'endpoints: [{ address: 10.0.2.1 }]'));
    await world.poll();
    world.manifests.remove('team/new.yaml');
    world.manifests.unreadable = [{ source: 'team/', reason: 'EACCES' }];
    if (restarts) world.restart();
    expect(await world.poll()).toEqual({ written: [], removed: [], frozen: ['shop/new.vm'] });
    expect(world.stored()).toMatchObject({ 'shop/new.vm': ['10.0.2.1'] });
  });
});

test('pitfall 17: of two entries for a host, each can go, and only with the last one goes the service', async () => {
  const world = await start();
  world.manifests.put('more.yaml', service('pay-more', 'endpoints: [{ address: 10.0.1.2 }]'));
  await world.poll();
  world.manifests.remove('pay.yaml');
  expect(await world.poll()).toEqual({ written: ['shop/pay.vm'], removed: [], frozen: [] });
  expect(world.stored()).toMatchObject({ 'shop/pay.vm': ['10.0.1.2'] });
  world.manifests.remove('more.yaml');
  expect(await world.poll()).toEqual({ written: [], removed: ['shop/pay.vm'], frozen: [] });
});

test('pitfall 25: an unchanged reading writes nothing', async () => {
  const world = await start();
  expect(await world.poll()).toEqual({ written: [], removed: [], frozen: [] });
  world.restart();
  expect(await world.poll()).toEqual({ written: [], removed: [], frozen: [] });
});
