import { pauseRegistry } from '../../lib/polling/pause-registry';
import type { PollSettings } from '../../lib/polling/poll-settings';
import { PollingWorld } from '../support/polling-world';
import { full, REGISTRY, seen } from '../support/readings';

/** A world in which `web` with two endpoints has been read. */
async function readWorld(): Promise<PollingWorld> {
  const world = new PollingWorld();
  world.registry.script = full([seen('web', 2)]);
  await world.readOnce();
  world.calls.splice(0);
  return world;
}

const PAUSED = { configVersion: 'paused' };

function pause(world: PollingWorld, settings: Partial<PollSettings> = PAUSED): Promise<boolean> {
  return pauseRegistry(world.parts, { ...world.settings, ...settings }, { owner: 'pausing' });
}

test('the row says so, and what was read stays', async () => {
  const world = await readWorld();

  await expect(pause(world)).resolves.toBe(true);

  expect(await world.row()).toMatchObject({ state: 'paused', configVersion: 'paused', services: 1, generation: 2 });
  expect((await world.row()).leaseOwner).toBeUndefined();
  expect(await world.counts()).toEqual({ web: 2 });
});

test('a registry that has never been read is paused, too', async () => {
  const world = new PollingWorld();

  await expect(pause(world)).resolves.toBe(true);

  expect(await world.row()).toMatchObject({ registry: REGISTRY, state: 'paused', generation: 1 });
});

test('the next firings read the row once each and write nothing', async () => {
  const world = await readWorld();
  await pause(world);
  const paused = await world.row();
  world.calls.splice(0);

  for (let firing = 0; firing < 3; firing += 1) await expect(pause(world)).resolves.toBe(true);

  expect(world.calls.map(({ name }) => name)).toEqual(['get', 'get', 'get']);
  expect(await world.row()).toEqual(paused);
});

test('other settings of a paused registry get into its row', async () => {
  const world = await readWorld();
  await pause(world);

  await expect(pause(world, { configVersion: 'paused, later in the order', precedence: 4 })).resolves.toBe(true);

  expect(await world.row()).toMatchObject({
    state: 'paused',
    configVersion: 'paused, later in the order',
    precedence: 4,
  });
});

test('a run that reads is asked to hand over, and what it writes last does not stand', async () => {
  const world = await readWorld();
  const run = world.start();
  await world.clock.advance(1000);

  await expect(world.clock.until(pause(world))).resolves.toBe(true);

  await expect(run.outcome).resolves.toMatchObject({ type: 'ended', reason: 'handover' });
  expect(await world.row()).toMatchObject({ state: 'paused', configVersion: 'paused' });
});

test('a lease that somebody has taken meanwhile is none of ours: the registry is not paused by now', async () => {
  const world = await readWorld();
  await pause(world);
  await world.rows.acquire({
    ...{ registry: REGISTRY, owner: 'other', mode: 'poll', precedence: 0, configVersion: 'paused' },
    leaseUntil: world.clock.iso(30_000),
    runStartedAt: world.clock.iso(),
  });

  await expect(pause(world)).resolves.toBe(false);
});

test('without the pause it is read again', async () => {
  const world = await readWorld();
  await pause(world);
  world.registry.script = full([seen('web', 3)]);

  await expect(world.readOnce()).resolves.toMatchObject({ type: 'ended', state: 'synced' });

  expect(await world.row()).toMatchObject({ state: 'synced', configVersion: 'v1', generation: 3 });
  expect(await world.counts()).toEqual({ web: 3 });
});
