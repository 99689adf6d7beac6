import { makeRegistryId, type RegistryId } from '../../lib/model/registry-id';
import { pollRegistry, type PollOutcome } from '../../lib/polling/poll-registry';
import { MockRegistry } from '../../lib/registries/mock/mock-registry';
import type { MockSettings } from '../../lib/registries/mock/settings';
import type { Registry } from '../../lib/registries/registry';
import { full, seen } from '../support/readings';
import { PollingWorld } from '../support/polling-world';
import { ScriptedRegistry } from '../support/scripted-registry';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Outages of whole registries, as they were told of other products, played through with the Mock registry's faults. */

class Installation {
  readonly world = new PollingWorld();
  readonly #stop = new AbortController();
  readonly #runs: Promise<PollOutcome>[] = [];

  mock(cluster: string, settings: MockSettings = {}): RegistryId {
    const names = { domainSuffix: 'cluster.local', trustDomain: 'cluster.local' };
    return this.poll(new MockRegistry({ cluster, names, settings, clock: this.world.clock }));
  }

  /** Polls the registry every five seconds, from now until {@link end}. */
  poll(registry: Registry): RegistryId {
    const id = makeRegistryId(registry.provider, registry.cluster);
    const settings = { ...this.world.settings, registry: id, maxRunMs: Infinity };
    const options = { owner: `run-${id}`, signal: this.#stop.signal };
    this.#runs.push(pollRegistry({ ...this.world.parts, registry }, settings, options));
    return id;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.world.clock.until(Promise.all(this.#runs));
  }

  async row(registry: RegistryId) {
    const row = await this.world.rows.get(registry);
    return row ?? { state: 'no row' as const, services: 0, endpoints: 0, held: undefined };
  }

  async services(registry: RegistryId): Promise<number> {
    return (await this.world.snapshots.known(registry)).length;
  }
}

describe('pitfall 2: a registry comes whole, whatever its size', () => {
  test.each([0, 1, 100, 101, 1000])('%i services', async (services) => {
    const installation = new Installation();
    const settings = services === 0 ? { faults: [{ type: 'empty' as const }] } : { services, endpoints: services };
    const id = installation.mock('demo', settings);
    await installation.world.clock.advance(SECOND);
    expect(await installation.services(id)).toBe(services);
    expect(await installation.row(id)).toMatchObject({ state: 'synced', services, endpoints: services });
    await installation.end();
  });
});

test('pitfall 10: one registry that hangs and one that fails do not stop the others', async () => {
  const installation = new Installation();
  const hanging = new ScriptedRegistry('hangs');
  hanging.script = 'hangs';
  const stuck = installation.poll(hanging);
  const broken = installation.mock('broken', { faults: [{ type: 'error', rate: 1 }] });
  const healthy = installation.mock('healthy', { services: 10, faults: [{ type: 'churn', share: 1 }] });
  await installation.world.clock.advance(10 * MINUTE);
  expect((await installation.row(stuck)).state).toBe('never-synced');
  expect((await installation.row(broken)).state).toBe('never-synced');
  expect(await installation.row(healthy)).toMatchObject({ state: 'synced', services: 10 });
  expect((await installation.world.rows.get(healthy))?.lastSuccessAt).toBe('2026-01-01T00:10:00.000Z');
  await installation.end();
});

test('pitfall 5: a registry that comes back empty from an outage keeps its services until it is itself again', async () => {
  const installation = new Installation();
  const id = installation.mock('demo', {
    services: 100,
    faults: [
      { type: 'error', rate: 1, from: 3, until: 5 },
      { type: 'empty', from: 6, until: 8 },
      { type: 'truncate', share: 0.5, seed: 1, from: 9, until: 9 },
      { type: 'truncate', share: 0.2, seed: 2, from: 10, until: 10 },
    ],
  });
  const seenStates = new Set<string>();
  for (let second = 0; second < 2 * 60; second += 1) {
    await installation.world.clock.advance(SECOND);
    seenStates.add((await installation.row(id)).state);
    expect(await installation.services(id)).toBe(100);
  }
  expect([...seenStates]).toEqual(['synced', 'failed', 'degraded']);
  expect(installation.world.events.types).toEqual([
    'Registry Failed',
    'Registry Recovered',
    'Removal Held',
    'Removal Released',
  ]);
  await installation.end();
});

test('pitfall 6: a registry that is empty for good is emptied after the confirmations', async () => {
  const installation = new Installation();
  const id = installation.mock('demo', { services: 100, faults: [{ type: 'empty', from: 3 }] });
  await installation.world.clock.advance(10 * SECOND + MINUTE - 1);
  expect(await installation.services(id)).toBe(100);
  await installation.world.clock.advance(1);
  expect(await installation.services(id)).toBe(0);
  await installation.end();
});

test('pitfall 6: answers that differ each time are believed after maxHold, and not before', async () => {
  const installation = new Installation();
  const id = installation.mock('demo', { services: 100, faults: [{ type: 'truncate', share: 0.5, from: 2 }] });
  await installation.world.clock.advance(15 * MINUTE + 5 * SECOND - 1);
  expect(await installation.services(id)).toBe(100);
  await installation.world.clock.advance(1);
  expect(await installation.services(id)).toBeLessThan(70);
  expect(installation.world.events.taken.at(-1)?.detail).toMatchObject({ released: 'expired' });
  await installation.end();
});

test('pitfall 28: what a registry loses does not touch the same service of another', async () => {
  const installation = new Installation();
  const scripted = new ScriptedRegistry();
  scripted.script = full([seen('web', 2)]);
  const other = installation.mock('other', { services: 3 });
  const id = installation.poll(scripted);
  await installation.world.clock.advance(SECOND);
  scripted.script = full([]);
  await installation.world.clock.advance(5 * SECOND);
  expect([await installation.services(id), await installation.services(other)]).toEqual([0, 3]);
  await installation.end();
});

test('pitfall 15: a service that was taken away leaves nothing behind but its tombstone', async () => {
  const installation = new Installation();
  const scripted = new ScriptedRegistry();
  scripted.script = full([seen('web', 2), seen('api', 1)]);
  const id = installation.poll(scripted);
  await installation.world.clock.advance(SECOND);
  scripted.script = full([seen('api', 1)]);
  await installation.world.clock.advance(5 * SECOND);
  const addresses = [seen('web').key, seen('api').key].map((key) => ({ registry: id, key }));
  expect(await installation.world.snapshots.getMany(addresses)).toEqual({
    snapshots: [expect.objectContaining({ key: seen('api').key })],
    tombstones: [
      {
        key: seen('web').key,
        registry: id,
        generation: 1,
        pollId: 'Mock/demo#1.2',
        removedAt: '2026-01-01T00:00:05.000Z',
      },
    ],
  });
  await installation.end();
});
