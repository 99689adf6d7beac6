import { takeLease } from '../../lib/polling/take-lease';
import type { RegistryRow } from '../../lib/model/registry-row';
import { REGISTRY } from '../support/readings';
import { PollingWorld } from '../support/polling-world';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A world in which another run, `other`, took the lease at the beginning. */
async function heldWorld(more: { readonly configVersion?: string } = {}): Promise<PollingWorld> {
  const world = new PollingWorld();
  const { mode, precedence } = world.settings;
  await world.rows.acquire({
    registry: REGISTRY,
    owner: 'other',
    leaseUntil: world.clock.iso(30 * SECOND),
    runStartedAt: world.clock.iso(),
    precedence,
    mode,
    configVersion: more.configVersion ?? 'v1',
  });
  return world;
}

const contend = (world: PollingWorld, more: Parameters<PollingWorld['start']>[0] = {}) =>
  takeLease(world.parts, world.settings, { owner: 'me', ...more });

const fence = { registry: REGISTRY, owner: 'other', generation: 1 };

/** Renews the other run's lease every ten seconds, for so long. */
async function renewFor(world: PollingWorld, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10 * SECOND) {
    await world.clock.advance(10 * SECOND);
    await world.rows.update(fence, { leaseUntil: world.clock.iso(30 * SECOND) });
  }
}

test('a registry without a row is free', async () => {
  const world = new PollingWorld();
  const row = await contend(world);
  expect(row).toMatchObject({
    registry: REGISTRY,
    state: 'never-synced',
    leaseOwner: 'me',
    generation: 1,
    leaseUntil: world.clock.iso(30 * SECOND),
    runStartedAt: world.clock.iso(),
    precedence: 0,
    mode: 'poll',
    configVersion: 'v1',
  });
});

test('a lease that was given back is free, and the generation grows', async () => {
  const world = await heldWorld();
  await world.rows.release(fence, {});
  expect(await contend(world)).toMatchObject({ leaseOwner: 'me', generation: 2 });
});

test('a live lease of a young run: the contender leaves at once', async () => {
  const world = await heldWorld();
  await renewFor(world, 12 * MINUTE);
  const before = world.clock.now();
  expect(await contend(world)).toBeUndefined();
  expect(world.clock.now()).toBe(before);
  expect((await world.row()).handover).toBeUndefined();
});

test('one of two that find it free gets it', async () => {
  const world = new PollingWorld();
  const [a, b] = await Promise.all([contend(world), contend(world, { owner: 'you' })]);
  expect([a, b].filter((row) => row !== undefined)).toHaveLength(1);
});

describe('hand-over', () => {
  const cases: readonly (readonly [string, () => Promise<PollingWorld>])[] = [
    ['a run of another configuration', () => heldWorld({ configVersion: 'v0' })],
    [
      'a run within a minute of its end',
      async () => {
        const world = await heldWorld();
        await renewFor(world, 13 * MINUTE);
        return world;
      },
    ],
  ];

  test.each(cases)('%s is asked for it, and the contender waits', async (_, make) => {
    const world = await make();
    const contending = contend(world);
    await world.clock.advance(5 * SECOND);
    expect((await world.row()).handover).toBe('me');
    await world.rows.release(fence, {});
    const row = await world.clock.until(contending);
    expect(row).toMatchObject({ leaseOwner: 'me', generation: 2 });
    expect(row?.handover).toBeUndefined();
  });

  test('a run is not asked before its last minute', async () => {
    const world = await heldWorld();
    await renewFor(world, 13 * MINUTE - 10 * SECOND);
    await world.clock.advance(10 * SECOND - 1);
    expect(await contend(world)).toBeUndefined();
    expect((await world.row()).handover).toBeUndefined();
  });

  test('the contender waits for 20 seconds', async () => {
    const world = await heldWorld({ configVersion: 'v0' });
    const began = world.clock.now();
    const contending = contend(world);
    await renewFor(world, 10 * SECOND);
    expect(await world.clock.until(contending)).toBeUndefined();
    expect(world.clock.now() - began).toBe(20 * SECOND);
    expect((await world.row()).leaseOwner).toBe('other');
  });

  test('it leaves when a third run has taken over', async () => {
    const world = await heldWorld({ configVersion: 'v0' });
    const began = world.clock.now();
    const contending = contend(world);
    await world.clock.advance(0);
    await world.rows.release(fence, {});
    await contend(world, { owner: 'third' });
    expect(await world.clock.until(contending)).toBeUndefined();
    expect(world.clock.now() - began).toBeLessThanOrEqual(SECOND);
    expect((await world.row()).leaseOwner).toBe('third');
  });

  test('it stops waiting when its signal aborts', async () => {
    const world = await heldWorld({ configVersion: 'v0' });
    const stop = new AbortController();
    const contending = contend(world, { signal: stop.signal });
    await world.clock.advance(2 * SECOND);
    expect(world.clock.pending).toBe(1);
    stop.abort();
    await expect(contending).resolves.toBeUndefined();
    expect(world.clock.pending).toBe(0);
  });

  test('a run of another configuration that has died is replaced', async () => {
    const world = await heldWorld({ configVersion: 'v0' });
    await world.clock.advance(40 * SECOND);
    expect(await world.clock.until(contend(world))).toMatchObject({ leaseOwner: 'me', generation: 2 });
  });

  test('a run of another configuration that lives on, with a clock far behind, keeps its lease', async () => {
    const world = await heldWorld({ configVersion: 'v0' });
    await world.clock.advance(40 * SECOND);
    const contending = contend(world);
    await world.clock.advance(10 * SECOND);
    await world.rows.update(fence, {});
    expect(await world.clock.until(contending)).toBeUndefined();
    expect((await world.row()).leaseOwner).toBe('other');
  });
});

describe('a lease that was not renewed in time', () => {
  test('is broken when its renewals stand still for 30 seconds', async () => {
    const world = await heldWorld();
    await world.clock.advance(30 * SECOND);
    const began = world.clock.now();
    const row = await world.clock.until(contend(world));
    expect(row).toMatchObject({ leaseOwner: 'me', generation: 2 });
    expect(world.clock.now() - began).toBe(30 * SECOND);
  });

  test('is not even looked at before', async () => {
    const world = await heldWorld();
    await world.clock.advance(30 * SECOND - 1);
    expect(await contend(world)).toBeUndefined();
    expect(world.clock.pending).toBe(0);
  });

  test('is left alone when it is renewed, however wrong its clock is', async () => {
    const world = await heldWorld();
    await world.clock.advance(10 * MINUTE);
    const began = world.clock.now();
    const contending = contend(world);
    await world.clock.advance(9 * SECOND);
    await world.rows.update(fence, { leaseUntil: world.clock.iso(-9 * MINUTE) });
    expect(await world.clock.until(contending)).toBeUndefined();
    expect(world.clock.now() - began).toBe(10 * SECOND);
  });

  test('is taken when it is given back meanwhile', async () => {
    const world = await heldWorld();
    await world.clock.advance(30 * SECOND);
    const contending = contend(world);
    await world.clock.advance(0);
    await world.rows.release(fence, {});
    expect(await world.clock.until(contending)).toMatchObject({ leaseOwner: 'me' });
  });

  test('is not broken when it is renewed at the last moment', async () => {
    const world = await heldWorld();
    await world.clock.advance(30 * SECOND);
    world.gate = {
      before: async ({ name }) => {
        if (name === 'acquire') await world.rows.update(fence, {});
      },
    };
    expect(await world.clock.until(contend(world))).toBeUndefined();
    expect((await world.row()).leaseOwner).toBe('other');
  });
});

test('exclusive: a lease that is left over is broken at once', async () => {
  const world = await heldWorld();
  const row: RegistryRow | undefined = await contend(world, { exclusive: true });
  expect(row).toMatchObject({ leaseOwner: 'me', generation: 2 });
  expect(world.clock.pending).toBe(0);
});
