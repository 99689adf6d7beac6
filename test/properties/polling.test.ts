import * as fc from 'fast-check';
import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import type { FullReading, RegistryReading } from '../../lib/registries/registry';
import { Evidence } from '../support/evidence';
import { delta, full, keyOf, seen } from '../support/readings';
import { PollingWorld, type StartedRun } from '../support/polling-world';
import { endpoint } from '../support/stored-snapshots';
import type { StoreCall } from '../support/watched-stores';

/**
 * The promise of the product as laws, tried on random histories: services come, go, grow and shrink; readings are complete,
 * partial, failed, or lie by leaving things out; runs are stopped, and any write fails,
 * before or after it took effect, so that the run dies by it or goes on.
 */

const SECOND = 1000;
const INTERVAL = 5 * SECOND;
const GUARD = {
  maxRemovedPercent: 30,
  maxRemoved: 2,
  confirmations: 3,
  minHoldMs: 10 * SECOND,
  maxHoldMs: 30 * SECOND,
};

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
const ENDPOINTS = 4;

type Name = (typeof NAMES)[number];

/** The services that there are; the bits of the number say which endpoints each has. */
type Truth = ReadonlyMap<Name, number>;

type Health = 'complete' | 'failed' | 'partial' | 'lying';

type Change = readonly (readonly [Name, number | undefined])[];

type Step =
  | { readonly type: 'change'; readonly services: Change }
  /** The services of the bits of `hit` are unreadable, or are left out without a word. */
  | { readonly type: 'health'; readonly health: Health; readonly hit: number; readonly readings: number }
  | { readonly type: 'restart' }
  /** The so-maniest write fails; the run dies by it, or goes on. */
  | { readonly type: 'death' | 'hiccup'; readonly write: number; readonly when: 'before' | 'after' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      services: fc.array(
        fc.tuple(fc.constantFrom(...NAMES), fc.option(fc.nat(2 ** ENDPOINTS - 1), { nil: undefined })),
        { minLength: 1, maxLength: NAMES.length },
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('health' as const),
      health: fc.constantFrom<Health>('complete', 'failed', 'partial', 'lying'),
      hit: fc.nat(2 ** NAMES.length - 1),
      readings: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ type: 'restart' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('death' as const, 'hiccup' as const),
      write: fc.integer({ min: 1, max: 4 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
);

/** Each service as it may be; made once, since hashing takes most of the time. */
const SNAPSHOTS = new Map(
  NAMES.flatMap((name) =>
    Array.from({ length: 2 ** ENDPOINTS }, (_, bits) => [`${name}${bits}`, made(name, bits)] as const),
  ),
);

function snapshotOf(name: Name, bits: number): ServiceSnapshot {
  return SNAPSHOTS.get(`${name}${bits}`) ?? made(name, bits);
}

function made(name: Name, bits: number): ServiceSnapshot {
  const numbers = Array.from({ length: ENDPOINTS }, (_, n) => n).filter((n) => (bits & (1 << n)) !== 0);
  return seen(
    name,
    numbers.map((n) => endpoint(`10.${NAMES.indexOf(name)}.0.${n}`)),
  );
}

/** A registry that suffers, and a poller whose every write is held against what it was given. */
class SufferingWorld extends PollingWorld {
  readonly evidence = new Evidence(GUARD, INTERVAL);
  /** How long something had been held at most when a full reading was made; its row may be written later. */
  longestHoldMs = 0;
  #truth: Truth = new Map<Name, number>(NAMES.slice(0, 6).map((name) => [name, 0b0111] as const));
  #told: Truth = new Map();
  #health: Health = 'complete';
  #hit = 0;
  /** When the last full reading was given; the row that tells of it may be written later, and among others. */
  #lastFullMs = 0;
  #run: StartedRun | undefined;

  constructor(mode: 'poll' | 'watch') {
    super();
    this.settings = { ...this.settings, mode, intervalMs: INTERVAL, guard: GUARD, maxRunMs: Infinity };
    this.registry.script = () => this.#answer();
    this.gate = { after: (call) => this.#took(call) };
    this.begin();
  }

  get truth(): readonly ServiceSnapshot[] {
    return [...this.#truth].map(([name, bits]) => snapshotOf(name, bits));
  }

  begin(): void {
    this.#run = this.start({ exclusive: true });
  }

  async end(): Promise<void> {
    await this.#run?.stop();
  }

  async take(next: Step): Promise<void> {
    await this.clock.advance(0);
    switch (next.type) {
      case 'change':
        return this.#change(next.services);
      case 'health':
        return this.suffer(next.health, next.hit, next.readings);
      case 'restart':
        await this.end();
        this.begin();
        return;
      case 'death':
      case 'hiccup':
        return this.#failAt(next.write, next.when, next.type === 'death');
    }
  }

  /** Lets the registry be like that for so many readings. A watch is broken, so that all is read anew. */
  async suffer(health: Health, hit: number, readings: number): Promise<void> {
    this.#health = health;
    this.#hit = hit;
    if (this.settings.mode === 'watch' && this.registry.open > 0) {
      await this.#give(undefined);
      this.registry.tell(new Error('the watch broke'));
    }
    await this.clock.advance(readings * INTERVAL);
  }

  async #change(services: Change): Promise<void> {
    const truth = new Map(this.#truth);
    for (const [name, bits] of services) {
      if (bits === undefined) truth.delete(name);
      else truth.set(name, bits);
    }
    this.#truth = truth;
    if (this.settings.mode !== 'watch' || this.registry.open === 0) return;
    const differing = NAMES.filter((name) => truth.get(name) !== this.#told.get(name));
    const upserts = differing.flatMap((name) => (truth.has(name) ? [snapshotOf(name, truth.get(name) ?? 0)] : []));
    const change = delta(upserts, differing.filter((name) => !truth.has(name)).map(keyOf));
    this.#told = truth;
    await this.#give(change);
    this.registry.tell(change);
    await this.clock.advance(0);
  }

  /** A write fails, before or after it took effect. A run that dies by it does not reach the tables any more. */
  async #failAt(write: number, when: 'before' | 'after', dies: boolean): Promise<void> {
    let writes = 0;
    let dead = false;
    const fail = (call: StoreCall, here: 'before' | 'after'): void => {
      if (call.write && here === when) writes += 1;
      const failsNow = call.write && here === when && writes === write;
      dead ||= dies && failsNow;
      if (dead || failsNow) throw new Error('the tables do not answer');
    };
    this.gate = {
      before: (call) => fail(call, 'before'),
      after: (call) => {
        this.#took(call);
        fail(call, 'after');
      },
    };
    await this.clock.advance(2 * INTERVAL);
    if (dies) {
      dead = true;
      await this.#run?.stop().catch(() => undefined);
    }
    this.gate = { after: (call) => this.#took(call) };
    if (dies) this.begin();
  }

  async #answer(): Promise<FullReading | Error> {
    const isHit = (name: Name): boolean => (this.#hit & (1 << NAMES.indexOf(name))) !== 0;
    const isWhole = this.#health === 'complete';
    const told = [...this.#truth].filter(([name]) => isWhole || !isHit(name));
    this.#told = new Map(told);
    const unreadable = this.#health === 'partial' ? NAMES.filter(isHit).map((name) => `file/${name}`) : [];
    const snapshots = told.map(([name, bits]) => snapshotOf(name, bits));
    const reading = this.#health === 'failed' ? undefined : full(snapshots, unreadable);
    if (reading !== undefined) this.#lastFullMs = this.clock.now();
    await this.#give(reading);
    return reading ?? new Error('connection refused');
  }

  async #give(reading: RegistryReading | undefined): Promise<void> {
    const row = await this.rows.get(this.settings.registry);
    this.evidence.give(reading, this.clock.now(), row?.held !== undefined);
  }

  #took(call: StoreCall): void {
    this.evidence.took(call);
    const held = call.patch?.held;
    if (held === undefined) return;
    this.longestHoldMs = Math.max(this.longestHoldMs, this.#lastFullMs - Date.parse(held.since));
  }
}

const histories = fc.array(step, { minLength: 1, maxLength: 25 });

async function live(mode: 'poll' | 'watch', steps: readonly Step[]): Promise<SufferingWorld> {
  const world = new SufferingWorld(mode);
  await world.clock.advance(SECOND);
  for (const next of steps) await world.take(next);
  return world;
}

describe.each(['poll', 'watch'] as const)('in %s mode, whatever happens', (mode) => {
  test('pitfall 1, 5, 6: nothing leaves without evidence, the guard lets go, and in the end all is as it is', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const world = await live(mode, steps);
        await world.suffer('complete', 0, 36);
        const stored = [...(await world.stored()).values()].map(({ key, hash }) => `${key} ${hash}`).sort();
        const row = await world.row();
        await world.end();
        expect(world.evidence.violations).toEqual([]);
        expect(stored).toEqual(world.truth.map(({ key, hash }) => `${key} ${hash}`).sort());
        expect(row).toMatchObject({ state: 'synced', consecutiveFailures: 0, unreadableCount: 0 });
        expect(row.held).toBeUndefined();
        expect(world.longestHoldMs).toBeLessThan(GUARD.maxHoldMs);
        expect(world.clock.pending).toBe(0);
      }),
      { numRuns: 40 },
    );
  }, 30_000);
});
