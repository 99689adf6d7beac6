import { requestSync } from '../../lib/polling/request-sync';
import { full, REGISTRY, seen } from '../support/readings';
import { PollingWorld } from '../support/polling-world';

async function readWorld(): Promise<PollingWorld> {
  const world = new PollingWorld();
  world.registry.script = full([seen('web', 2)]);
  await world.readOnce();
  return world;
}

test('a run that has the registry reads it within two seconds', async () => {
  const world = await readWorld();
  const run = world.start({}, { mode: 'watch' });
  await world.clock.advance(1000);
  const requestedAt = await requestSync(world.parts, REGISTRY);
  expect(requestedAt).toBe(world.clock.iso());
  expect((await world.row()).requestedAt).toBe(requestedAt);
  await world.clock.advance(1000);
  expect((await world.row()).lastAttemptAt ?? '').toBe('2026-01-01T00:00:02.000Z');
  await run.stop();
});

test('an unknown registry is an error that names the known ones', async () => {
  const world = await readWorld();
  await expect(requestSync(world.parts, 'Consul/dc1')).rejects.toMatchObject({
    code: 'UnknownRegistryError',
    message: 'Registry Consul/dc1 is not known; known: Mock/demo',
    details: { registry: 'Consul/dc1', known: [REGISTRY] },
  });
});

test('and says so when there are none', async () => {
  const world = new PollingWorld();
  await expect(requestSync(world.parts, REGISTRY)).rejects.toThrow('Registry Mock/demo is not known; known: none');
});

test.each([
  ['paused', 'it is paused in the configuration'],
  ['removed', 'it is no longer in the configuration'],
] as const)('a %s registry is not read, and the request is refused', async (state, why) => {
  const world = await readWorld();
  const row = await world.rows.acquire({ ...world.settings, owner: 'x', leaseUntil: '', runStartedAt: '' });
  await world.rows.release({ registry: REGISTRY, owner: 'x', generation: row?.generation ?? 0 }, { state });
  await expect(requestSync(world.parts, REGISTRY)).rejects.toMatchObject({
    code: 'RegistryNotReadError',
    message: `Registry Mock/demo is not read: ${why}`,
    details: { registry: REGISTRY, state },
  });
  expect((await world.row()).requestedAt).toBeUndefined();
});
