import { MAX_ITEM_BYTES } from '../../lib/model/store-errors';
import type { PollSettings } from '../../lib/polling/poll-settings';
import { describeRemovals, missing } from '../../lib/polling/removal-guard';
import { delta, endpoints, fleet, full, keyOf, knownOf, REGISTRY, seen } from '../support/readings';
import { PollingWorld } from '../support/polling-world';
import { noise } from '../support/store-samples';
import { endpoint } from '../support/stored-snapshots';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const services = [seen('api', 1), seen('web', 2)];
const down = new Error('connection refused');

/** A world that has read these services once. */
async function worldAfter(script: PollingWorld['registry']['script'] = full(services)): Promise<PollingWorld> {
  const world = new PollingWorld();
  world.registry.script = script;
  await world.readOnce();
  world.writes();
  world.log.lines.length = 0;
  return world;
}

/** Reads once more, a minute later. */
async function then(
  world: PollingWorld,
  script: PollingWorld['registry']['script'],
  settings: Partial<PollSettings> = {},
) {
  world.registry.script = script;
  await world.clock.advance(MINUTE);
  return world.readOnce({}, settings);
}

describe('pitfall 1: a failed reading changes nothing', () => {
  test('but the row: state, error, age', async () => {
    const world = await worldAfter();
    const before = await world.stored();
    await then(world, down);
    expect(world.writes()).toEqual(['acquire', 'release']);
    expect(await world.stored()).toEqual(before);
    expect(await world.row()).toMatchObject({
      state: 'failed',
      lastError: { code: 'Error', message: 'connection refused' },
      consecutiveFailures: 1,
      lastAttemptAt: world.clock.iso(),
      lastSuccessAt: world.clock.iso(-MINUTE),
      lastChangeAt: world.clock.iso(-MINUTE),
      pollId: 'Mock/demo#2.1',
      services: 2,
      endpoints: 3,
    });
  });

  test('failures are counted from reading to reading, and a good one ends the count', async () => {
    const world = await worldAfter();
    await then(world, down);
    await then(world, down);
    expect((await world.row()).consecutiveFailures).toBe(2);
    await then(world, full(services));
    const row = await world.row();
    expect(row).toMatchObject({ state: 'synced', consecutiveFailures: 0 });
    expect(row.lastError).toBeUndefined();
  });

  test('pitfall 9: a registry that was never read well stays never-synced, and tells why', async () => {
    const world = await worldAfter(down);
    expect(await world.row()).toMatchObject({
      state: 'never-synced',
      consecutiveFailures: 1,
      lastError: { message: 'connection refused' },
    });
    expect((await world.row()).lastSuccessAt).toBeUndefined();
  });

  test('pitfall 9: one that had been removed and comes back is never-synced until it is read', async () => {
    const world = await worldAfter();
    const fence = { registry: REGISTRY, owner: 'reconcile', generation: 2 };
    const { mode, precedence, configVersion } = world.settings;
    const lease = {
      registry: REGISTRY,
      owner: 'reconcile',
      leaseUntil: '',
      runStartedAt: '',
      mode,
      precedence,
      configVersion,
    };
    await world.rows.acquire(lease);
    await world.rows.release(fence, { state: 'removed' });
    await then(world, down);
    expect((await world.row()).state).toBe('never-synced');
  });
});

describe('pitfall 3, 4: a partial reading', () => {
  test('makes the registry degraded, and lists what was unreadable, twenty at most', async () => {
    const world = await worldAfter();
    const sources = Array.from({ length: 21 }, (_, n) => `file/${n}`);
    await then(world, full(services, sources));
    const row = await world.row();
    expect(row).toMatchObject({ state: 'degraded', unreadableCount: 21, consecutiveFailures: 0 });
    expect(row.unreadable).toEqual(sources.slice(0, 20).map((source) => ({ source, reason: 'forbidden' })));
    expect(row.lastSuccessAt).toBe(world.clock.iso());
    await then(world, full(services));
    expect(await world.row()).toMatchObject({ state: 'synced', unreadableCount: 0, unreadable: [] });
  });

  test('is warned of once in a run for each source, with its reason', async () => {
    const world = await worldAfter();
    world.registry.script = full(services, ['a']);
    const run = world.start();
    await world.clock.advance(10 * SECOND);
    world.registry.script = full(services, ['a', 'b']);
    await world.clock.advance(2 * MINUTE);
    await run.stop();
    const warnings = world.log.lines.filter(({ message }) => message.startsWith('Source unreadable'));
    expect(warnings.map(({ level, facts }) => [level, facts.source, facts.reason])).toEqual([
      ['warn', 'a', 'forbidden'],
      ['warn', 'b', 'forbidden'],
    ]);
  });
});

describe('events', () => {
  test('Registry Failed comes once an outage, with the error, and Registry Recovered at its end', async () => {
    const world = await worldAfter();
    const lastSuccessAt = world.clock.iso();
    await then(world, down);
    const failedAt = world.clock.iso();
    await then(world, down);
    await then(world, full(services, ['file/x']));
    expect(world.events.taken).toEqual([
      {
        type: 'Registry Failed',
        detail: {
          metadata: {
            schema: 1,
            id: `Mock/demo@${lastSuccessAt}#registry-failed`,
            at: failedAt,
            correlationId: 'Mock/demo#2.1',
          },
          registry: { id: REGISTRY, state: 'failed' },
          error: { code: 'Error', message: 'connection refused' },
        },
      },
      {
        type: 'Registry Recovered',
        detail: {
          metadata: {
            schema: 1,
            id: `Mock/demo@${lastSuccessAt}#registry-recovered`,
            at: world.clock.iso(),
            correlationId: 'Mock/demo#4.1',
          },
          registry: { id: REGISTRY, state: 'degraded' },
        },
      },
    ]);
    await then(world, down);
    await then(world, full(services));
    expect(world.events.types).toEqual([
      'Registry Failed',
      'Registry Recovered',
      'Registry Failed',
      'Registry Recovered',
    ]);
    expect(new Set(world.events.taken.map(({ detail }) => detail.metadata.id)).size).toBe(4);
  });

  test('an outage before the first good reading is told too', async () => {
    const world = await worldAfter(down);
    expect(world.events.taken[0]?.detail).toMatchObject({
      metadata: { id: 'Mock/demo@never#registry-failed' },
      registry: { state: 'never-synced' },
    });
  });

  test('Removal Held and Removal Released tell what is held, and why it was let go', async () => {
    const world = await worldAfter(full(fleet(20, 2)));
    await then(world, full([]));
    const { held } = await world.row();
    expect(held).toMatchObject({ services: 20, endpoints: 40, since: world.clock.iso() });
    await then(world, full([]));
    await then(world, full([]));
    expect(world.events.taken).toMatchObject([
      {
        type: 'Removal Held',
        detail: {
          metadata: { id: `Mock/demo@${held?.since ?? ''}#removal-held` },
          registry: { state: 'degraded' },
          held,
        },
      },
      {
        type: 'Removal Released',
        detail: {
          metadata: { id: `Mock/demo@${held?.since ?? ''}#removal-released`, correlationId: 'Mock/demo#4.1' },
          registry: { state: 'synced' },
          held: { ...held, confirmations: 2 },
          released: 'confirmed',
        },
      },
    ]);
  });

  test('come before the state that they tell of is written', async () => {
    const world = await worldAfter(full(fleet(20)));
    const seenBefore: unknown[] = [];
    const publish = world.events.publish.bind(world.events);
    world.events.publish = async (events) => {
      const { state, held } = await world.row();
      seenBefore.push([events[0]?.type, state, held === undefined, Object.keys(await world.counts()).length]);
      return publish(events);
    };
    await then(world, down);
    await then(world, full([]));
    await then(world, full([]));
    await then(world, full([]));
    expect(seenBefore).toEqual([
      ['Registry Failed', 'synced', true, 20],
      ['Registry Recovered', 'failed', true, 20],
      ['Removal Released', 'degraded', false, 20],
    ]);
  });

  test.each(['refuses', 'fails'] as const)(
    'a bus that %s: the data flows, and the event comes with a later reading',
    async (mood) => {
      const world = await worldAfter();
      world.events.mood = mood;
      await then(world, down);
      expect(await world.row()).toMatchObject({
        state: 'synced',
        consecutiveFailures: 0,
        lastError: { message: 'connection refused' },
        lastAttemptAt: world.clock.iso(),
      });
      expect(world.log.messages('warn')[0]).toMatch(/^Registry events? not sent$/);
      world.events.mood = 'takes';
      await then(world, down);
      expect(world.events.types).toEqual(['Registry Failed']);
      expect(await world.row()).toMatchObject({ state: 'failed', consecutiveFailures: 1 });
      world.events.mood = mood;
      await then(world, full([seen('web', 5)]));
      expect(await world.counts()).toEqual({ web: 5 });
      expect(await world.row()).toMatchObject({ state: 'failed', consecutiveFailures: 1, services: 1, endpoints: 5 });
      world.events.mood = 'takes';
      await then(world, full([seen('web', 5)]));
      expect(world.events.types).toEqual(['Registry Failed', 'Registry Recovered']);
      expect((await world.row()).state).toBe('synced');
    },
  );

  test('an event that the bus will never take does not keep the row from the truth', async () => {
    const world = await worldAfter();
    world.events.mood = 'rejects';
    await then(world, down);
    expect(await world.row()).toMatchObject({ state: 'failed', consecutiveFailures: 1 });
    expect(world.log.lines[0]).toEqual({
      level: 'warn',
      message: 'Registry event not sent',
      facts: { registry: REGISTRY, event: 'Registry Failed', reason: 'malformed', transient: false },
    });
  });

  test('a hold that could not be told holds all the same; its end is told with its reason when it can be', async () => {
    const world = await worldAfter(full(fleet(20)));
    const run = world.start();
    world.events.mood = 'refuses';
    world.registry.script = full([]);
    await world.clock.advance(6 * SECOND);
    expect(Object.keys(await world.counts())).toHaveLength(20);
    expect((await world.row()).held).toBeUndefined();
    world.events.mood = 'takes';
    await world.clock.advance(50 * SECOND);
    const { held } = await world.row();
    expect(held).toMatchObject({ services: 20, confirmations: 12 });
    world.events.mood = 'refuses';
    await world.clock.advance(10 * SECOND);
    expect(await world.counts()).toEqual({});
    expect((await world.row()).held).toEqual(held);
    world.events.mood = 'takes';
    await world.clock.advance(5 * SECOND);
    expect((await world.row()).held).toBeUndefined();
    expect(
      world.events.taken.map(({ type, detail }) => [type, 'released' in detail ? detail.released : undefined]),
    ).toEqual([
      ['Removal Held', undefined],
      ['Removal Released', 'confirmed'],
    ]);
    await run.stop();
  });

  test('a row that could not be written after its event: the event comes again, with the same id', async () => {
    const world = await worldAfter();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.registry.script = down;
    world.gate = {
      before: ({ name }) => {
        if (name === 'update') throw new Error('throttled');
      },
    };
    await world.clock.advance(10 * SECOND);
    world.gate = {};
    await world.clock.advance(20 * SECOND);
    const ids = world.events.taken.map(({ detail }) => detail.metadata.id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(world.log.lines.find(({ message }) => message === 'Registry row not written')).toEqual({
      level: 'warn',
      message: 'Registry row not written',
      facts: { registry: REGISTRY, code: 'Error', message: 'throttled' },
    });
    expect((await world.row()).state).toBe('failed');
    await run.stop();
  });
});

describe('held removals', () => {
  test('are in the row and known to the next run, which goes on counting', async () => {
    const world = await worldAfter(full(fleet(20)));
    await then(world, full([]));
    const removals = new Map(fleet(20).map((snapshot) => [snapshot.key, missing(knownOf(snapshot))] as const));
    expect((await world.row()).held).toEqual({
      ...describeRemovals(removals),
      since: world.clock.iso(),
      confirmations: 1,
      confirmedSince: world.clock.iso(),
    });
    await then(world, full([]));
    expect(await world.row()).toMatchObject({ state: 'degraded', services: 20, held: { confirmations: 2 } });
    await then(world, full([]));
    expect(await world.counts()).toEqual({});
    expect((await world.row()).held).toBeUndefined();
  });

  test('a failed reading ends the row of confirmations, in the table too', async () => {
    const world = await worldAfter(full(fleet(20)));
    await then(world, full([]));
    await then(world, down);
    expect((await world.row()).held).toMatchObject({ services: 20, confirmations: 0 });
    await then(world, full([]));
    await then(world, full([]));
    expect(Object.keys(await world.counts())).toHaveLength(20);
    await then(world, full([]));
    expect(await world.counts()).toEqual({});
  });

  test('of a shrinking service: it is written as the union of its old and new endpoints', async () => {
    const world = await worldAfter(full([seen('web', 40)]));
    await then(world, full([seen('web', endpoints(5, 38), { service: { labels: { v: '2' } } })]));
    const stored = (await world.stored()).get(keyOf('web'));
    expect(stored?.endpoints).toHaveLength(43);
    expect(stored?.service.labels).toEqual({ v: '2' });
    expect(await world.row()).toMatchObject({ endpoints: 43, held: { services: 0, endpoints: 35 } });
  });

  test('of a shrinking service are read and written once, not with each reading', async () => {
    const world = await worldAfter(full([seen('web', 40)]));
    const run = world.start();
    world.registry.script = full([seen('web', 5)]);
    await world.clock.advance(SECOND);
    world.calls.length = 0;
    await world.clock.advance(40 * SECOND);
    expect(world.calls.map(({ name }) => name)).toEqual(Array.from({ length: 8 }, () => 'update'));
    await world.clock.advance(20 * SECOND);
    expect(await world.counts()).toEqual({ web: 5 });
    await run.stop();
  });

  test('of a service that shrinks again after a hold are united anew', async () => {
    const world = await worldAfter(full([seen('web', 40)]));
    const run = world.start();
    const shrunk = full([seen('web', endpoints(5, 100))]);
    world.registry.script = shrunk;
    await world.clock.advance(SECOND);
    expect(await world.counts()).toEqual({ web: 45 });
    world.registry.script = full([seen('web', 60)]);
    await world.clock.advance(5 * SECOND);
    expect(await world.counts()).toEqual({ web: 60 });
    world.registry.script = shrunk;
    await world.clock.advance(5 * SECOND);
    expect(await world.counts()).toEqual({ web: 65 });
    await run.stop();
  });

  test('pitfall 6: nothing is forgotten by a release: what is gone is removed then', async () => {
    const world = await worldAfter(full(fleet(20)));
    await then(world, full([]));
    await then(world, full(fleet(20)));
    expect(world.events.taken.at(-1)?.detail).toMatchObject({ released: 'returned' });
    await then(world, full([]));
    expect(Object.keys(await world.counts())).toHaveLength(20);
  });

  test('after a release the guard begins anew, and ordinary removals are not held', async () => {
    const world = await worldAfter(full(fleet(40)));
    const run = world.start();
    world.registry.script = full(fleet(20));
    await world.clock.advance(65 * SECOND);
    expect(Object.keys(await world.counts())).toHaveLength(20);
    world.registry.script = full(fleet(19));
    await world.clock.advance(5 * SECOND);
    expect(Object.keys(await world.counts())).toHaveLength(19);
    await run.stop();
  });

  test('a registry that falls to pieces within a minute is held though each step is small', async () => {
    const world = await worldAfter(full(fleet(50)));
    const run = world.start();
    for (const left of [42, 35, 29]) {
      world.registry.script = full(fleet(left));
      await world.clock.advance(5 * SECOND);
    }
    expect(Object.keys(await world.counts())).toHaveLength(35);
    expect((await world.row()).held).toMatchObject({ services: 6 });
    await run.stop();
  });

  test('an approval lets them go, and is used up by it', async () => {
    const world = await worldAfter(full(fleet(20)));
    await then(world, full([]));
    const hash = (await world.row()).held?.hash ?? '';
    await world.rows.request(REGISTRY, { approvedHold: hash });
    await then(world, full([]));
    expect(await world.counts()).toEqual({});
    const row = await world.row();
    expect([row.held, row.approvedHold]).toEqual([undefined, undefined]);
    expect(world.events.taken.at(-1)?.detail).toMatchObject({ released: 'approved' });
  });
});

describe('writes that fail', () => {
  const failing = (world: PollingWorld, name: string, when: 'before' | 'after' = 'before') => {
    world.gate = {
      [when]: (call: { readonly name: string }) => {
        if (call.name === name) throw new Error('throttled');
      },
    };
  };

  test('do not stop the others, and come again with the next reading', async () => {
    const world = await worldAfter(full([]));
    failing(world, 'put shop/api.shop');
    await then(world, full(services));
    expect(await world.counts()).toEqual({ web: 2 });
    expect(await world.row()).toMatchObject({
      state: 'degraded',
      services: 1,
      consecutiveFailures: 0,
      lastError: { code: 'Error', message: 'throttled' },
    });
    world.gate = {};
    await then(world, full(services));
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
    expect(await world.row()).toMatchObject({ state: 'synced', services: 2 });
  });

  test('within a run they come again, after a pause that grows', async () => {
    const world = await worldAfter(full([]));
    const run = world.start();
    await world.clock.advance(SECOND);
    failing(world, 'put shop/api.shop');
    world.registry.script = full(services);
    world.writes();
    await world.clock.advance(60 * SECOND);
    expect(world.writes().filter((name) => name === 'put shop/api.shop')).toHaveLength(6);
    world.gate = {};
    await world.clock.advance(MINUTE);
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
    expect((await world.row()).state).toBe('synced');
    await run.stop();
  });

  test('in a watch all is read anew, since the change would not come again', async () => {
    const world = await worldAfter();
    const run = world.start({}, { mode: 'watch' });
    await world.clock.advance(SECOND);
    failing(world, 'put shop/web.shop');
    world.registry.script = full([seen('api', 1), seen('web', 9)]);
    world.registry.tell(delta([seen('web', 9)]));
    await world.clock.advance(500);
    expect(await world.row()).toMatchObject({ state: 'degraded' });
    world.gate = {};
    await world.clock.advance(SECOND);
    expect(world.registry.reads).toBe(3);
    expect(await world.counts()).toEqual({ api: 1, web: 9 });
    await run.stop();
  });

  test('one that took effect all the same is found out before the next plan', async () => {
    const world = await worldAfter();
    const run = world.start();
    await world.clock.advance(SECOND);
    failing(world, 'put shop/new.shop', 'after');
    world.registry.script = full([...services, seen('new', 3)]);
    await world.clock.advance(5 * SECOND);
    expect(await world.counts()).toEqual({ api: 1, new: 3, web: 2 });
    world.gate = {};
    world.registry.script = full(services);
    await world.clock.advance(5 * SECOND);
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
    await run.stop();
  });

  test('a removal that took effect all the same is found out too', async () => {
    const world = await worldAfter();
    const run = world.start();
    await world.clock.advance(SECOND);
    failing(world, 'remove shop/api.shop', 'after');
    world.registry.script = full([seen('web', 2)]);
    await world.clock.advance(5 * SECOND);
    world.gate = {};
    world.writes();
    await world.clock.advance(5 * SECOND);
    expect(world.writes()).toEqual(['update']);
    world.registry.script = full(services);
    await world.clock.advance(5 * SECOND);
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
    await run.stop();
  });

  test('while it cannot be found out nothing is planned', async () => {
    const world = await worldAfter();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.gate = {
      before: ({ name }) => {
        if (name === 'put shop/new.shop' || name === 'getMany') throw new Error('throttled');
      },
    };
    world.registry.script = full([...services, seen('new', 3)]);
    await world.clock.advance(5 * SECOND);
    world.registry.script = full([]);
    await world.clock.advance(5 * SECOND);
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
    expect(world.log.lines.find(({ message }) => message === 'Snapshots not read back')).toEqual({
      level: 'warn',
      message: 'Snapshots not read back',
      facts: { registry: REGISTRY, services: 1, code: 'Error', message: 'throttled' },
    });
    world.gate = {};
    await world.clock.advance(10 * SECOND);
    expect(await world.counts()).toEqual({});
    await run.stop();
  });

  test('the run stops between two writes when it is told to, and the next one does the rest', async () => {
    const world = await worldAfter(full([]));
    const stop = new AbortController();
    let puts = 0;
    world.gate = {
      before: ({ name }) => {
        if (!name.startsWith('put')) return;
        puts += 1;
        if (puts === 20) stop.abort();
      },
    };
    world.registry.script = full(fleet(100));
    await world.clock.advance(MINUTE);
    const before = world.clock.iso(-MINUTE);
    expect(await world.readOnce({ signal: stop.signal })).toMatchObject({ reason: 'stopped', state: 'synced' });
    const written = Object.keys(await world.counts()).length;
    expect(written).toBeGreaterThanOrEqual(20);
    expect(written).toBeLessThan(50);
    expect(await world.row()).toMatchObject({
      state: 'synced',
      services: written,
      lastSuccessAt: before,
      lastAttemptAt: world.clock.iso(),
      lastChangeAt: world.clock.iso(),
    });
    expect((await world.row()).leaseOwner).toBeUndefined();
    expect(world.log.lines.find(({ message }) => message === 'Registry read')?.facts).toMatchObject({
      interrupted: true,
    });
    world.gate = {};
    await then(world, full(fleet(100)));
    expect(Object.keys(await world.counts())).toHaveLength(100);
  });
});

describe('a service too large to be stored', () => {
  const large = (seed: string) =>
    seen('web', [endpoint('10.0.0.1', { labels: { noise: noise(seed, 2 * MAX_ITEM_BYTES) } })]);

  test('stays as it was; the others go on; row, metric and log tell', async () => {
    const world = await worldAfter();
    await then(world, full([seen('api', 5), large('a')]));
    expect(await world.counts()).toEqual({ api: 5, web: 2 });
    expect(await world.row()).toMatchObject({ state: 'degraded', lastError: { code: 'ItemTooLargeError' } });
    expect(world.metrics.newest).toMatchObject({ ItemsTooLarge: 1, SnapshotWrites: 1 });
    expect(world.log.lines[0]?.facts).toMatchObject({
      unwritten: 1,
      firstUnwritten: [{ service: keyOf('web'), code: 'ItemTooLargeError' }],
    });
  });

  test('is not offered again until it is another one, and goes on being told of', async () => {
    const world = await worldAfter();
    const run = world.start();
    world.registry.script = full([seen('api', 1), large('a')]);
    await world.clock.advance(SECOND);
    world.writes();
    await world.clock.advance(10 * SECOND);
    expect(world.writes()).toEqual(['update', 'update']);
    expect(await world.row()).toMatchObject({ state: 'degraded', lastError: { code: 'ItemTooLargeError' } });
    expect(world.metrics.newest.ItemsTooLarge).toBe(1);
    world.registry.script = full([seen('api', 1), large('b')]);
    await world.clock.advance(5 * SECOND);
    expect(world.writes()).toEqual(['put shop/web.shop', 'update']);
    world.registry.script = full([seen('api', 1), seen('web', 3)]);
    await world.clock.advance(5 * SECOND);
    expect(await world.counts()).toEqual({ api: 1, web: 3 });
    expect((await world.row()).state).toBe('synced');
    expect(world.metrics.newest.ItemsTooLarge).toBe(0);
    await run.stop();
  });

  test('does not slow the readings down', async () => {
    const world = await worldAfter(full([large('a')]));
    const run = world.start();
    await world.clock.advance(SECOND);
    const reads = world.registry.reads;
    await world.clock.advance(20 * SECOND);
    expect(world.registry.reads - reads).toBe(4);
    await run.stop();
  });

  test.each([
    ['full', full([])],
    ['delta', delta([], [keyOf('web')])],
  ] as const)('is forgotten when it is gone by a %s reading', async (_, news) => {
    const world = await worldAfter(full([large('a')]));
    const run = world.start({}, { mode: 'watch' });
    await world.clock.advance(SECOND);
    expect(world.metrics.newest.ItemsTooLarge).toBe(1);
    world.registry.tell(news);
    await world.clock.advance(SECOND);
    expect(await world.row()).toMatchObject({ state: 'synced' });
    expect(world.metrics.newest.ItemsTooLarge).toBe(0);
    await run.stop();
  });
});

describe('expireAfter', () => {
  const settings = { expireAfterMs: 10 * MINUTE, maxRunMs: Infinity };

  test('pitfall 29: endpoints leave step by step, services and their accounts stay', async () => {
    const account = 'spiffe://cluster.local/ns/shop/sa/a';
    const world = await worldAfter(
      full([seen('a', [endpoint('10.0.0.1', { serviceAccount: account })]), seen('b', 39)]),
    );
    const run = world.start({}, settings);
    await world.clock.advance(SECOND);
    world.registry.script = down;
    await world.clock.advance(10 * MINUTE);
    expect(await world.counts()).toEqual({ a: 1, b: 39 });
    await world.clock.advance(MINUTE);
    expect(await world.counts()).toEqual({ a: 0, b: 28 });
    expect((await world.stored()).get(keyOf('a'))).toMatchObject({ endpointAccounts: [account] });
    expect(await world.row()).toMatchObject({ state: 'failed', services: 2, endpoints: 28 });
    await world.clock.advance(MINUTE);
    expect(await world.counts()).toEqual({ a: 0, b: 18 });
    await world.clock.advance(2 * MINUTE);
    expect(await world.counts()).toEqual({ a: 0, b: 0 });
    world.registry.script = full([seen('a', 1), seen('b', 39)]);
    await world.clock.advance(MINUTE);
    expect(await world.counts()).toEqual({ a: 1, b: 39 });
    await run.stop();
  });

  test('a step is no oftener than a minute, over the end of a run too', async () => {
    const world = await worldAfter(full([seen('b', 40)]));
    world.registry.script = down;
    await world.clock.advance(10 * MINUTE);
    for (let reading = 0; reading < 6; reading += 1) {
      await world.readOnce({}, settings);
      await world.clock.advance(10 * SECOND);
    }
    expect(await world.counts()).toEqual({ b: 28 });
    await world.readOnce({}, settings);
    expect(await world.counts()).toEqual({ b: 18 });
  });

  test('without it nothing ever leaves', async () => {
    const world = await worldAfter();
    world.registry.script = down;
    await world.clock.advance(365 * 24 * 60 * MINUTE);
    await world.readOnce();
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
  });

  test('a write that fails comes again with a later step of the same run', async () => {
    const world = await worldAfter(full([seen('b', 5)]));
    const run = world.start({}, settings);
    await world.clock.advance(SECOND);
    world.registry.script = down;
    world.gate = {
      before: ({ name }) => {
        if (name === 'put shop/b.shop') throw new Error('throttled');
      },
    };
    await world.clock.advance(12 * MINUTE);
    expect(await world.counts()).toEqual({ b: 5 });
    world.gate = {};
    await world.clock.advance(2 * MINUTE);
    expect(await world.counts()).toEqual({ b: 0 });
    await run.stop();
  });

  test('a write that fails is told, and comes again with a later run', async () => {
    const world = await worldAfter(full([seen('b', 5)]));
    world.gate = {
      before: ({ name }) => {
        if (name === 'put shop/b.shop') throw new Error('throttled');
      },
    };
    await world.clock.advance(10 * MINUTE);
    await then(world, down, settings);
    expect(await world.counts()).toEqual({ b: 5 });
    expect(world.log.lines.at(-2)).toMatchObject({ message: 'Registry not read', facts: { unwritten: 1, expired: 0 } });
    world.gate = {};
    await then(world, down, settings);
    expect(await world.counts()).toEqual({ b: 0 });
    expect(world.log.lines.at(-2)).toMatchObject({ message: 'Registry not read', facts: { expired: 1 } });
  });
});

describe('metrics and the log', () => {
  test('pitfall 31: a reading that changes nothing emits zeros', async () => {
    const world = await worldAfter();
    await then(world, full(services));
    expect(world.metrics.newest).toEqual({
      PollRuns: 1,
      PollFailures: 0,
      PollDurationMs: 0,
      SnapshotWrites: 0,
      ItemsTooLarge: 0,
      Services: 2,
      Endpoints: 3,
      Requests: 1,
      HeldRemovals: 0,
      ReadingAgeSeconds: 0,
    });
  });

  test('pitfall 32: what a registry holds goes down as well as up', async () => {
    const world = await worldAfter(full(fleet(5, 2)));
    await then(world, full(fleet(2, 1)));
    await then(world, full(fleet(3, 1)));
    expect(world.metrics.of('Services')).toEqual([5, 2, 3]);
    expect(world.metrics.of('Endpoints')).toEqual([10, 2, 3]);
  });

  test('pitfall 30: a failed reading shows the age of the newest good one', async () => {
    const world = await worldAfter();
    await then(world, down);
    await then(world, async () => {
      await world.clock.delay(2 * SECOND);
      return down;
    });
    expect(world.metrics.newest).toMatchObject({
      PollFailures: 1,
      PollDurationMs: 2000,
      Requests: 0,
      SnapshotWrites: 0,
      ReadingAgeSeconds: 122,
      Services: 2,
      Endpoints: 3,
    });
  });

  test('a good reading is as old as its beginning', async () => {
    const world = await worldAfter(async () => Promise.resolve(full(services)));
    await then(world, async () => {
      await world.clock.delay(4 * SECOND);
      return full(services);
    });
    expect(world.metrics.newest.ReadingAgeSeconds).toBe(4);
  });

  test('of a registry that was never read well no age is told', async () => {
    const world = await worldAfter(down);
    expect(world.metrics.of('ReadingAgeSeconds')).toEqual([]);
  });

  test('what is held is counted, services and endpoints', async () => {
    const world = await worldAfter(full(fleet(20, 2)));
    await then(world, full([]));
    expect(world.metrics.newest.HeldRemovals).toBe(60);
  });

  test('a reading is one line, with its notes counted and the first five spelled out', async () => {
    const world = await worldAfter();
    const notes = Array.from({ length: 6 }, (_, n) => ({ code: n < 2 ? 'Skipped' : 'Replaced', message: `note ${n}` }));
    await then(world, full([seen('web', 5), seen('x', 1)], ['file/x'], notes));
    expect(world.log.lines.find(({ level }) => level === 'info')).toEqual({
      level: 'info',
      message: 'Registry read',
      facts: {
        registry: REGISTRY,
        pollId: 'Mock/demo#2.1',
        reading: 'partial',
        state: 'degraded',
        services: 1,
        endpoints: 5,
        puts: 1,
        removals: 1,
        unreadable: 1,
        frozen: 1,
        heldServices: 0,
        heldEndpoints: 0,
        requests: 1,
        bytes: 100,
        durationMs: 0,
        notes: { Skipped: 2, Replaced: 4 },
        noted: ['note 0', 'note 1', 'note 2', 'note 3', 'note 4'],
      },
    });
    expect(world.log.messages('info')).toHaveLength(2);
  });

  test('what is held and let go stands in it', async () => {
    const world = await worldAfter(full(fleet(20, 2)));
    await then(world, full([]));
    expect(world.log.lines[0]?.facts).toMatchObject({ heldServices: 20, heldEndpoints: 40 });
    await then(world, full(fleet(20, 2)));
    expect(world.log.lines[2]?.facts).toMatchObject({ heldServices: 0, released: 'returned' });
  });

  test('a failed reading is one warning', async () => {
    const world = await worldAfter();
    await then(world, down);
    expect(world.log.lines).toEqual([
      {
        level: 'warn',
        message: 'Registry not read',
        facts: {
          registry: REGISTRY,
          pollId: 'Mock/demo#2.1',
          state: 'failed',
          error: 'Error',
          reason: 'connection refused',
          failures: 1,
          services: 2,
          endpoints: 3,
          expired: 0,
          durationMs: 0,
        },
      },
      {
        level: 'info',
        message: 'Run ended',
        facts: { registry: REGISTRY, generation: 2, reason: 'once', state: 'failed', attempts: 1 },
      },
    ]);
  });
});
