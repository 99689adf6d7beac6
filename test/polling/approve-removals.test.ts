import { approveRemovals } from '../../lib/polling/approve-removals';
import { fleet, full, REGISTRY } from '../support/readings';
import { PollingWorld } from '../support/polling-world';

const MINUTE = 60_000;

/** A world in whose registry twenty of thirty services are missing, and held. */
async function heldWorld(): Promise<PollingWorld> {
  const world = new PollingWorld();
  world.registry.script = full(fleet(30));
  await world.readOnce();
  await world.clock.advance(MINUTE);
  world.registry.script = full(fleet(10));
  await world.readOnce();
  return world;
}

test('held removals go with the reading that the approval asks for', async () => {
  const world = await heldWorld();
  const run = world.start({}, { intervalMs: 50_000, guard: { ...world.settings.guard, minHoldMs: 60 * MINUTE } });
  await world.clock.advance(1000);
  const approved = await approveRemovals(world.parts, REGISTRY);
  expect(approved).toEqual((await world.row()).held);
  expect(approved.services).toBe(20);
  expect(await world.row()).toMatchObject({ approvedHold: approved.hash, requestedAt: world.clock.iso() });
  await world.clock.advance(10_000);
  expect(Object.keys(await world.counts())).toHaveLength(10);
  expect(world.events.taken.at(-1)?.detail).toMatchObject({ released: 'approved' });
  await run.stop();
});

test('a reading that would take away anything else takes away nothing', async () => {
  const world = await heldWorld();
  await approveRemovals(world.parts, REGISTRY);
  world.registry.script = full(fleet(9));
  await world.readOnce();
  expect(Object.keys(await world.counts())).toHaveLength(30);
  expect(world.log.lines.find(({ facts }) => facts.notes !== undefined)?.facts).toMatchObject({
    notes: { ApprovalOutdated: 1 },
  });
});

test('the hash of what the person has seen is accepted', async () => {
  const world = await heldWorld();
  const { held } = await world.row();
  await expect(approveRemovals(world.parts, REGISTRY, held?.hash)).resolves.toEqual(held);
});

test('another hash is an error that tells what is held now', async () => {
  const world = await heldWorld();
  const hash = (await world.row()).held?.hash ?? '';
  await expect(approveRemovals(world.parts, REGISTRY, 'old')).rejects.toMatchObject({
    code: 'HeldRemovalsChangedError',
    message: `Removals old of Mock/demo are not held any more; held now: ${hash} (20 services, 20 endpoints). Look at them and approve those`,
    details: { registry: REGISTRY, hash: 'old', held: hash },
  });
  expect((await world.row()).approvedHold).toBeUndefined();
});

test('nothing held is an error', async () => {
  const world = new PollingWorld();
  await world.readOnce();
  await expect(approveRemovals(world.parts, REGISTRY)).rejects.toMatchObject({
    code: 'NothingHeldError',
    message: 'Nothing of Mock/demo is held back, so there is nothing to approve',
    details: { registry: REGISTRY },
  });
});

test('an unknown registry is an error', async () => {
  await expect(approveRemovals(new PollingWorld().parts, REGISTRY)).rejects.toMatchObject({
    code: 'UnknownRegistryError',
  });
});
