import { delta, fleet, full, keyOf, REGISTRY, seen } from '../support/readings';
import { PollingWorld } from '../support/polling-world';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const services = [seen('api', 1), seen('web', 2)];

/** A world with these services in its registry. */
function worldWith(script: PollingWorld['registry']['script'] = full(services)): PollingWorld {
  const world = new PollingWorld();
  world.registry.script = script;
  return world;
}

function watching(script: PollingWorld['registry']['script'] = full(services)): PollingWorld {
  const world = worldWith(script);
  world.settings = { ...world.settings, mode: 'watch' };
  return world;
}

describe('one reading', () => {
  test('writes the snapshots and the row, and gives the lease back', async () => {
    const world = worldWith();
    const began = world.clock.iso();
    expect(await world.readOnce()).toEqual({ type: 'ended', reason: 'once', state: 'synced', attempts: 1 });
    expect(world.writes()).toEqual(['acquire', 'put shop/api.shop', 'put shop/web.shop', 'release']);
    expect(await world.row()).toEqual({
      registry: REGISTRY,
      state: 'synced',
      precedence: 0,
      mode: 'poll',
      configVersion: 'v1',
      generation: 1,
      leaseRenewals: 1,
      runStartedAt: began,
      pollId: 'Mock/demo#1.1',
      lastAttemptAt: began,
      lastSuccessAt: began,
      lastChangeAt: began,
      consecutiveFailures: 0,
      services: 2,
      endpoints: 3,
      requests: 1,
      durationMs: 0,
      unreadable: [],
      unreadableCount: 0,
    });
    expect((await world.stored()).get(keyOf('web'))).toEqual({
      ...services[1],
      endpointAccounts: [],
      precedence: 0,
      generation: 1,
      pollId: 'Mock/demo#1.1',
      observedAt: began,
    });
  });

  test('leaves nothing open and no timer behind', async () => {
    const world = worldWith();
    await world.readOnce();
    expect(world.registry.open).toBe(0);
    expect(world.clock.pending).toBe(0);
  });

  test('is observed when it began, and tells how long it took', async () => {
    const world = worldWith(async () => {
      await world.clock.delay(3 * SECOND);
      return full(services);
    });
    const began = world.clock.iso();
    await world.readOnce();
    expect(await world.row()).toMatchObject({ lastAttemptAt: began, lastSuccessAt: began, durationMs: 3 * SECOND });
    expect((await world.stored()).get(keyOf('api'))?.observedAt).toBe(began);
  });

  test('pitfall 25: of a registry that has not changed writes no snapshot, and the row once', async () => {
    const world = worldWith();
    await world.readOnce();
    world.writes();
    await world.clock.advance(5 * SECOND);
    await world.readOnce();
    expect(world.writes()).toEqual(['acquire', 'release']);
    expect((await world.row()).lastSuccessAt).toBe(world.clock.iso());
    expect((await world.row()).lastChangeAt).toBe(world.clock.iso(-5 * SECOND));
  });

  test.each([
    ['poll', MINUTE, 14 * MINUTE, 'once'],
    ['poll', MINUTE - 1, 14 * MINUTE, 'stopped'],
    ['poll', MINUTE, Infinity, 'stopped'],
    ['watch', MINUTE, 14 * MINUTE, 'stopped'],
  ] as const)(
    'is all there is in mode %s at an interval of %i ms and runs of %i ms: %s',
    async (mode, intervalMs, maxRunMs, reason) => {
      const world = worldWith();
      const run = world.start({}, { mode, intervalMs, maxRunMs });
      await world.clock.advance(SECOND);
      expect(await run.stop()).toMatchObject({ reason });
      expect(world.registry.open).toBe(0);
    },
  );

  test('is all there is when it is asked for, also of a watch', async () => {
    const world = watching();
    expect(await world.readOnce()).toMatchObject({ reason: 'once', attempts: 1 });
    expect(world.registry.open).toBe(0);
  });
});

describe('a run in poll mode', () => {
  test('reads each interval, counted from beginning to beginning', async () => {
    const begun: number[] = [];
    const world = worldWith(async () => {
      begun.push(world.clock.now());
      await world.clock.delay(2 * SECOND);
      return full(services);
    });
    const run = world.start();
    await world.clock.advance(16 * SECOND);
    expect(begun.map((at) => at - (begun[0] ?? 0))).toEqual([0, 5000, 10_000, 15_000]);
    await run.stop();
  });

  test('pitfall 7: a reading that takes longer than the interval skips beats', async () => {
    const begun: number[] = [];
    const world = worldWith(async () => {
      begun.push(world.clock.now());
      await world.clock.delay(5 * SECOND);
      return full(services);
    });
    const run = world.start();
    await world.clock.advance(21 * SECOND);
    expect(begun.map((at) => at - (begun[0] ?? 0))).toEqual([0, 10_000, 20_000]);
    await run.stop();
  });

  test('pitfall 25: writes one row a reading, and nothing else, while nothing changes', async () => {
    const world = worldWith();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.writes();
    await world.clock.advance(20 * SECOND);
    expect(world.writes()).toEqual(['update', 'update', 'update', 'update']);
    await run.stop();
  });

  test('writes what has changed, and only that', async () => {
    const world = worldWith();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.writes();
    world.registry.script = full([seen('web', 3), seen('new', 1)]);
    await world.clock.advance(5 * SECOND);
    expect(world.writes()).toEqual(['put shop/new.shop', 'put shop/web.shop', 'remove shop/api.shop', 'update']);
    expect(await world.counts()).toEqual({ new: 1, web: 3 });
    expect(await world.row()).toMatchObject({ services: 2, endpoints: 4, pollId: 'Mock/demo#1.2' });
    await run.stop();
  });

  test('reads what is known once, at its beginning', async () => {
    const world = worldWith();
    const run = world.start();
    await world.clock.advance(20 * SECOND);
    expect(world.calls.filter(({ name }) => name === 'known')).toHaveLength(1);
    await run.stop();
  });

  test('pauses longer and longer while readings fail, and no longer than a minute', async () => {
    const begun: number[] = [];
    const world = worldWith(() => {
      begun.push(world.clock.now());
      return new Error('down');
    });
    const run = world.start();
    await world.clock.advance(6 * MINUTE);
    const pauses = begun.slice(1).map((at, n) => at - (begun[n] ?? 0));
    expect(pauses.slice(0, 8)).toEqual([5000, 5000, 5000, 8000, 16_000, 32_000, 60_000, 60_000]);
    await run.stop();
  });

  test('pauses as ever after the first good reading', async () => {
    const world = worldWith(new Error('down'));
    const run = world.start();
    await world.clock.advance(MINUTE);
    world.registry.script = full(services);
    await world.clock.advance(MINUTE);
    const before = world.registry.reads;
    await world.clock.advance(20 * SECOND);
    expect(world.registry.reads - before).toBe(4);
    await run.stop();
  });

  test('ends after maxRun, with its lease given back', async () => {
    const world = worldWith();
    const outcome = await world.clock.until(world.start({}, { maxRunMs: 2 * MINUTE }).outcome);
    expect(outcome).toEqual({ type: 'ended', reason: 'max-run', state: 'synced', attempts: 24 });
    expect(world.clock.iso()).toBe('2026-01-01T00:02:00.000Z');
    expect((await world.row()).leaseOwner).toBeUndefined();
    expect(world.clock.pending).toBe(0);
  });

  test('ends in the middle of a reading that hangs', async () => {
    const world = worldWith('hangs');
    const run = world.start({}, { readTimeoutMs: 10 * MINUTE });
    await world.clock.advance(MINUTE);
    expect(await run.stop()).toMatchObject({ reason: 'stopped', attempts: 0, state: 'never-synced' });
    expect((await world.row()).leaseOwner).toBeUndefined();
  });

  test('does not begin when its signal has aborted', async () => {
    const world = worldWith();
    expect(await world.readOnce({ signal: AbortSignal.abort() })).toMatchObject({ reason: 'stopped', attempts: 0 });
    expect(world.registry.reads).toBe(0);
  });
});

describe('a reading has a deadline', () => {
  test('of two minutes when nothing is said', async () => {
    const world = worldWith('hangs');
    const run = world.start();
    await world.clock.advance(2 * MINUTE - 1);
    expect((await world.row()).lastError).toBeUndefined();
    await world.clock.advance(2 * SECOND);
    expect((await world.row()).lastError).toEqual({
      code: 'ReadingTimeoutError',
      message: 'Reading Mock/demo took longer than the 120000 ms that it may take',
    });
    await run.stop();
  });

  test('that can be set, and is left behind when it passes', async () => {
    const world = worldWith('hangs');
    const run = world.start({}, { readTimeoutMs: 20 * SECOND });
    await world.clock.advance(22 * SECOND);
    expect((await world.row()).lastError?.code).toBe('ReadingTimeoutError');
    world.registry.script = full(services);
    await world.clock.advance(5 * SECOND);
    expect(await world.row()).toMatchObject({ state: 'synced', services: 2 });
    await run.stop();
  });
});

describe('what is no reading fails', () => {
  test.each([
    ['an error', new Error('down'), { code: 'Error', message: 'down' }],
    [
      'nothing at all',
      'nothing' as const,
      {
        code: 'InvalidReadingError',
        message: 'Mock/demo ended its reading without giving one; a full reading has to come first',
      },
    ],
    [
      'a change that comes first',
      delta([seen('web')]),
      {
        code: 'InvalidReadingError',
        message: 'Mock/demo began its reading with a change; a full reading has to come first',
      },
    ],
    [
      'a snapshot of another registry',
      full([seen('web', 1, { registry: 'Mock/other' })]),
      {
        code: 'InvalidReadingError',
        message: 'A reading of Mock/demo holds shop/web.shop of Mock/other; allowed: its own services',
      },
    ],
  ])('%s', async (_, script, lastError) => {
    const world = worldWith();
    await world.readOnce();
    world.registry.script = script;
    expect(await world.readOnce()).toMatchObject({ state: 'failed', attempts: 1 });
    expect(await world.row()).toMatchObject({ state: 'failed', lastError, consecutiveFailures: 1, services: 2 });
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
  });

  test('a provider that throws before it begins to read', async () => {
    const world = worldWith();
    world.parts.registry.read = () => {
      throw new TypeError('not a function');
    };
    await world.readOnce();
    expect((await world.row()).lastError).toEqual({ code: 'TypeError', message: 'not a function' });
  });
});

describe('a run in watch mode', () => {
  test('reads once, then follows the changes', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.writes();
    world.registry.tell(delta([seen('web', 3)], [keyOf('api')]));
    await world.clock.advance(0);
    expect(world.writes()).toEqual(['put shop/web.shop', 'remove shop/api.shop']);
    expect((await world.stored()).get(keyOf('web'))).toMatchObject({
      pollId: 'Mock/demo#1.2',
      observedAt: world.clock.iso(),
    });
    await world.clock.advance(10 * MINUTE);
    expect(world.registry.reads).toBe(1);
    await run.stop();
  });

  test('what a change says of the row goes along with the next renewal', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.registry.tell(delta([seen('web', 3)]));
    await world.clock.advance(SECOND);
    expect((await world.row()).endpoints).toBe(3);
    world.writes();
    await world.clock.advance(10 * SECOND);
    expect(world.writes()).toEqual(['update']);
    expect(await world.row()).toMatchObject({ endpoints: 4, pollId: 'Mock/demo#1.2' });
    await run.stop();
  });

  test('or with the end of the run', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.registry.tell(delta([seen('web', 3)]));
    await world.clock.advance(SECOND);
    await run.stop();
    expect(await world.row()).toMatchObject({ endpoints: 4 });
  });

  test('pitfall 30: a watch that hears of no change goes on saying that it is up to date', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.writes();
    await world.clock.advance(MINUTE);
    expect(world.writes()).toEqual(Array.from({ length: 6 }, () => 'update'));
    const { lastSuccessAt = '' } = await world.row();
    expect(world.clock.now() - Date.parse(lastSuccessAt)).toBeLessThan(10 * SECOND);
    expect(world.metrics.of('ReadingAgeSeconds')).toHaveLength(7);
    expect(world.metrics.newest).toMatchObject({ ReadingAgeSeconds: 0, Services: 2, Endpoints: 3, HeldRemovals: 0 });
    await run.stop();
  });

  test('pitfall 30: a watch that never began does not say so', async () => {
    const world = watching('hangs');
    const run = world.start();
    await world.clock.advance(MINUTE);
    expect((await world.row()).lastSuccessAt).toBeUndefined();
    await run.stop();
  });

  test('pitfall 30: a watch whose first reading failed is no watch: all is read anew after a pause', async () => {
    const world = watching(new Error('forbidden'));
    const run = world.start();
    await world.clock.advance(0);
    expect(world.registry).toMatchObject({ reads: 1, open: 0 });
    world.registry.script = full(services);
    await world.clock.advance(2 * SECOND);
    expect(world.registry).toMatchObject({ reads: 2, open: 1 });
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
    await run.stop();
  });

  test.each([
    [
      'ends',
      'ends',
      {
        code: 'WatchEndedError',
        message: 'Mock/demo ended its watch without an error; a watch goes on until it is told to end',
      },
    ],
    ['breaks', new Error('reset'), { code: 'Error', message: 'reset' }],
    [
      'contradicts itself',
      delta([seen('web')], [keyOf('web')]),
      { code: 'InvalidReadingError', message: 'A change of Mock/demo says two different things of shop/web.shop' },
    ],
  ] as const)('a watch that %s is a failed reading, and after a pause all is read anew', async (_, news, lastError) => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.registry.script = full([seen('web', 9)]);
    world.registry.tell(news);
    await world.clock.advance(SECOND - 1);
    expect(await world.row()).toMatchObject({ state: 'failed', lastError });
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
    expect(world.registry.reads).toBe(1);
    await world.clock.advance(1);
    expect(world.registry.reads).toBe(2);
    expect(await world.row()).toMatchObject({ state: 'synced' });
    expect(await world.counts()).toEqual({ web: 9 });
    await run.stop();
  });

  test('a full reading within a watch is one like any other', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.registry.tell(full([seen('web', 2)]));
    await world.clock.advance(SECOND);
    expect(await world.counts()).toEqual({ web: 2 });
    expect(world.registry.reads).toBe(1);
    await run.stop();
  });

  test('while something is unreadable all is read each interval', async () => {
    const world = watching(full([seen('web', 2)], ['file/api']));
    const run = world.start();
    await world.clock.advance(11 * SECOND);
    expect(world.registry.reads).toBe(3);
    expect(await world.row()).toMatchObject({ state: 'degraded', unreadableCount: 1 });
    world.registry.script = full(services);
    await world.clock.advance(MINUTE);
    expect(world.registry.reads).toBe(4);
    expect(await world.row()).toMatchObject({ state: 'synced', unreadableCount: 0, unreadable: [] });
    await run.stop();
  });

  test('what was unreadable in the last full reading is so for the changes after it', async () => {
    const world = watching(full(services));
    const run = world.start({}, { intervalMs: MINUTE });
    await world.clock.advance(SECOND);
    world.registry.tell(full([seen('api', 1)], ['file/web']));
    world.registry.tell(delta([seen('web', 0), seen('api', 5)]));
    await world.clock.advance(SECOND);
    expect(await world.counts()).toEqual({ api: 5, web: 2 });
    await run.stop();
  });

  test('while removals are held all is read each interval, until they are let go', async () => {
    const world = watching(full(fleet(20)));
    const run = world.start();
    await world.clock.advance(10 * MINUTE);
    expect(world.registry.reads).toBe(1);
    world.registry.script = full([]);
    world.registry.tell(
      delta(
        [],
        fleet(20).map(({ key }) => key),
      ),
    );
    await world.clock.advance(SECOND);
    expect(world.registry.reads).toBe(2);
    expect((await world.row()).held).toMatchObject({ services: 20, confirmations: 1 });
    await world.clock.advance(58 * SECOND);
    expect(world.registry.reads).toBe(13);
    expect((await world.row()).held).toMatchObject({ services: 20, confirmations: 12 });
    await world.clock.advance(5 * SECOND);
    expect(await world.counts()).toEqual({});
    const reads = world.registry.reads;
    await world.clock.advance(MINUTE);
    expect(world.registry.reads).toBe(reads);
    await run.stop();
  });

  test('closes its watch when it ends, within a second even if the provider does not answer', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    expect(world.registry.open).toBe(1);
    const before = world.clock.now();
    await run.stop();
    expect(world.registry.open).toBe(0);
    expect(world.clock.now()).toBe(before);

    world.registry.script = 'hangs';
    const hanging = world.start();
    await world.clock.advance(SECOND);
    const began = world.clock.now();
    await hanging.stop();
    expect(world.clock.now() - began).toBe(SECOND);
    expect(world.clock.pending).toBe(0);
  });
});

describe('the lease', () => {
  test('of a run that has it keeps others away', async () => {
    const world = worldWith();
    const run = world.start();
    await world.clock.advance(10 * MINUTE);
    expect(await world.start().outcome).toEqual({ type: 'skipped' });
    expect(world.registry.open).toBe(0);
    await run.stop();
  });

  test('is renewed every ten seconds when nothing else writes the row', async () => {
    const world = worldWith('hangs');
    const run = world.start({}, { readTimeoutMs: 10 * MINUTE });
    await world.clock.advance(35 * SECOND);
    expect(world.writes()).toEqual(['acquire', 'update', 'update', 'update']);
    expect((await world.row()).leaseUntil).toBe(world.clock.iso(25 * SECOND));
    await run.stop();
  });

  test('renewal that fails is tried again each second, and told once each time', async () => {
    const world = worldWith('hangs');
    const run = world.start({}, { readTimeoutMs: 10 * MINUTE });
    world.gate = {
      before: ({ name }) => {
        if (name === 'update') throw new Error('throttled');
      },
    };
    await world.clock.advance(12 * SECOND);
    expect(world.writes()).toEqual(['acquire', 'update', 'update', 'update']);
    expect(world.log.lines).toEqual(
      Array.from({ length: 3 }, () => ({
        level: 'warn',
        message: 'Lease not renewed',
        facts: { registry: REGISTRY, code: 'Error', message: 'throttled' },
      })),
    );
    world.gate = {};
    await world.clock.advance(11 * SECOND);
    expect(world.writes()).toEqual(['update', 'update']);
    await run.stop();
  });

  test('hand-over: a run that is asked for it ends at its next look, and the next one goes on', async () => {
    const world = watching();
    const first = world.start();
    await world.clock.advance(3 * SECOND);
    const second = world.start({}, { configVersion: 'v2' });
    await world.clock.advance(2 * SECOND);
    expect(await first.outcome).toMatchObject({ reason: 'handover' });
    await world.clock.advance(SECOND);
    expect(await world.row()).toMatchObject({ leaseOwner: 'run-2', generation: 2, configVersion: 'v2' });
    expect(world.registry.reads).toBe(2);
    await second.stop();
  });

  test('the watchdog replaces a run of maxRun in its last minute, without a gap', async () => {
    const world = worldWith();
    const first = world.start();
    const firings: ReturnType<PollingWorld['start']>[] = [];
    for (let minute = 1; minute <= 13; minute += 1) {
      await world.clock.advance(MINUTE);
      firings.push(world.start());
    }
    expect(await world.clock.until(first.outcome)).toMatchObject({ reason: 'handover' });
    expect(world.clock.iso()).toBe('2026-01-01T00:13:02.000Z');
    await world.clock.advance(2 * SECOND);
    expect(await world.row()).toMatchObject({ leaseOwner: 'run-14', generation: 2, state: 'synced' });
    const replacing = firings.pop();
    for (const firing of firings) expect(await firing.outcome).toEqual({ type: 'skipped' });
    await replacing?.stop();
  });

  test('pitfall 22: a run that was asleep when another took over ends quietly, and writes nothing any more', async () => {
    const world = worldWith();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.gate = {
      before: async ({ name, fence }) => {
        const looks = name === 'get' && (await world.row()).generation === 2;
        if (looks || fence?.owner === 'run-1') throw new Error('no way to the table');
      },
    };
    await world.clock.advance(30 * SECOND);
    const successor = world.start({}, { intervalMs: 50 * SECOND });
    await world.clock.advance(31 * SECOND);
    expect(await world.row()).toMatchObject({ leaseOwner: 'run-2', generation: 2 });

    world.registry.script = full([]);
    world.writes();
    await world.clock.advance(5 * SECOND);
    expect(world.writes()).not.toContain('remove shop/api.shop');
    world.log.lines.length = 0;
    world.gate = {};
    expect(await world.clock.until(run.outcome)).toMatchObject({ type: 'ended', reason: 'superseded' });
    expect(await world.counts()).toEqual({ api: 1, web: 2 });
    expect(world.log.lines).toEqual([
      {
        level: 'info',
        message: 'Run ended',
        facts: { registry: REGISTRY, generation: 1, reason: 'superseded', state: 'degraded', attempts: 14 },
      },
    ]);
    await successor.stop();
  });

  test('pitfall 22: a run that is idle sees within two seconds that another has taken over', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    const { generation } = await world.row();
    await world.rows.release({ registry: REGISTRY, owner: 'run-1', generation }, {});
    await world.readOnce();
    world.writes();

    await world.clock.advance(2 * SECOND);

    expect(await run.outcome).toMatchObject({ type: 'ended', reason: 'superseded' });
    expect(world.writes()).toEqual([]);
  });

  test('pitfall 22: a write that is refused since a newer run wrote first ends the run', async () => {
    const world = worldWith();
    const run = world.start();
    await world.clock.advance(SECOND);
    world.registry.script = full([seen('web', 5)]);
    await world.readOnce({ exclusive: true });
    world.registry.script = full([seen('web', 1)]);
    expect(await world.clock.until(run.outcome)).toMatchObject({ reason: 'superseded' });
    expect(await world.counts()).toEqual({ web: 5 });
  });

  test('pitfall 22: a run that was told of nothing and writes its row for a newer run ends quietly', async () => {
    const world = worldWith(async () => {
      const { leaseOwner: owner = '', leaseRenewals: renewals, ...row } = await world.row();
      const [leaseUntil, runStartedAt] = [world.clock.iso(30 * SECOND), world.clock.iso()];
      await world.rows.acquire({ ...row, owner: 'other', leaseUntil, runStartedAt, broken: { owner, renewals } });
      return full([]);
    });
    const { outcome } = world.start();
    await world.clock.advance(0);
    expect(await outcome).toMatchObject({ type: 'ended', reason: 'superseded', attempts: 1 });
    expect(await world.row()).toMatchObject({ leaseOwner: 'other', generation: 2, state: 'never-synced' });
  });

  test('a run that finds out at its renewal ends too', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    await world.readOnce({ exclusive: true });
    expect(await world.clock.until(run.outcome)).toMatchObject({ reason: 'superseded' });
    expect(world.registry.open).toBe(0);
  });

  test('a run that finds out when it gives the lease back has ended all the same', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    await world.readOnce({ exclusive: true });
    expect(await run.stop()).toMatchObject({ reason: 'stopped' });
  });

  test('is given back when the run cannot begin, and the error is thrown', async () => {
    const world = worldWith();
    world.gate = {
      before: ({ name }) => {
        if (name === 'known') throw new Error('no table');
      },
    };
    await expect(world.readOnce()).rejects.toThrow('no table');
    expect((await world.row()).leaseOwner).toBeUndefined();
    expect(world.clock.pending).toBe(0);
  });

  test('that cannot be given back is an error', async () => {
    const world = worldWith();
    world.gate = {
      before: ({ name }) => {
        if (name === 'release') throw new Error('no table');
      },
    };
    await expect(world.readOnce()).rejects.toThrow('no table');
  });
});

describe('a full reading that is asked for', () => {
  const ask = (world: PollingWorld) => world.rows.request(REGISTRY, { requestedAt: world.clock.iso() });

  test('is made within two seconds, once', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    await ask(world);
    world.registry.script = full([seen('web', 5)]);
    await world.clock.advance(999);
    expect(world.registry.reads).toBe(1);
    await world.clock.advance(1);
    expect(world.registry.reads).toBe(2);
    expect(await world.counts()).toEqual({ web: 5 });
    await world.clock.advance(10 * MINUTE);
    expect(world.registry.reads).toBe(2);
    await run.stop();
  });

  test('comes before its time in poll mode', async () => {
    const world = worldWith();
    const run = world.start({}, { intervalMs: 50 * SECOND });
    await world.clock.advance(SECOND);
    await ask(world);
    await world.clock.advance(2 * SECOND);
    expect(world.registry.reads).toBe(2);
    await world.clock.advance(48 * SECOND);
    expect(world.registry.reads).toBe(2);
    await run.stop();
  });

  test('is heard with the next look when one fails, and nobody is troubled with that', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    await ask(world);
    world.gate = {
      before: ({ name }) => {
        if (name === 'get') throw new Error('throttled');
      },
    };
    await world.clock.advance(2 * SECOND);
    world.gate = {};
    expect(world.registry.reads).toBe(1);
    expect(world.log.lines.filter(({ level }) => level !== 'info')).toEqual([
      {
        level: 'debug',
        message: 'Row not looked at',
        facts: { registry: REGISTRY, code: 'Error', message: 'throttled' },
      },
    ]);
    await world.clock.advance(2 * SECOND);
    expect(world.registry.reads).toBe(2);
    await run.stop();
  });

  test('is looked for in vain while a writing is newer: what the run has written itself is not forgotten', async () => {
    const world = worldWith();
    const run = world.start();
    await world.clock.advance(3 * SECOND);
    world.registry.script = new Error('down');
    world.gate = {
      after: async ({ name }) => {
        if (name === 'get') await world.clock.delay(4 * SECOND);
      },
    };
    await world.clock.advance(8 * SECOND);
    expect(world.registry.reads).toBe(3);
    expect(world.events.types).toEqual(['Registry Failed']);
    await run.stop();
  });

  test('costs nothing where nobody asks: a single reading looks at no row', async () => {
    const world = worldWith(async () => {
      await world.clock.delay(25 * SECOND);
      return full(services);
    });
    await world.readOnce();
    expect(world.calls.filter(({ name }) => name === 'get')).toHaveLength(2);
  });

  test('is made although the clock of the one who asked is behind', async () => {
    const world = watching();
    const run = world.start();
    await world.clock.advance(SECOND);
    await world.rows.request(REGISTRY, { requestedAt: world.clock.iso(-10 * MINUTE) });
    await world.clock.advance(2 * SECOND);
    expect(world.registry.reads).toBe(2);
    await run.stop();
  });

  test('while one is under way is made after that one', async () => {
    const world = worldWith(async () => {
      await world.clock.delay(25 * SECOND);
      return full(services);
    });
    const run = world.start({}, { intervalMs: 50 * SECOND });
    await world.clock.advance(SECOND);
    await ask(world);
    await world.clock.advance(23 * SECOND);
    expect(world.registry.reads).toBe(1);
    await world.clock.advance(2 * SECOND);
    expect(world.registry.reads).toBe(2);
    await run.stop();
  });

  test('does not wait for the pause after a failure', async () => {
    const world = worldWith(new Error('down'));
    const run = world.start();
    await world.clock.advance(5 * MINUTE);
    const reads = world.registry.reads;
    await ask(world);
    await world.clock.advance(2 * SECOND);
    expect(world.registry.reads).toBe(reads + 1);
    await run.stop();
  });

  test('before the run is served by its first reading', async () => {
    const world = worldWith();
    await world.readOnce();
    await ask(world);
    const run = world.start();
    await world.clock.advance(SECOND);
    expect(world.registry.reads).toBe(2);
    await run.stop();
  });

  test('while a single reading is made is served by another one at once', async () => {
    const world = worldWith();
    let asked = false;
    world.gate = {
      before: async ({ name }) => {
        if (name !== 'release' || asked) return;
        asked = true;
        await ask(world);
      },
    };
    expect(await world.readOnce()).toMatchObject({ reason: 'once', attempts: 1 });
    expect(world.registry.reads).toBe(2);
    expect(await world.row()).toMatchObject({ generation: 2 });
    await world.clock.advance(SECOND);
    await world.readOnce();
    expect(world.registry.reads).toBe(3);
  });
});
