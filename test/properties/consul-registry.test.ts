import * as fc from 'fast-check';
import type { PollMode } from '../../lib/model/registry-row';
import { ConsulRegistry } from '../../lib/registries/consul/consul-registry';
import { convertService } from '../../lib/registries/consul/convert-service';
import { AppliedSnapshots } from '../support/applied-snapshots';
import { consulInstance, CONVERSION_RULES } from '../support/consul-instance';
import { MemoryConsul } from '../support/memory-consul';
import { VirtualClock } from '../support/virtual-clock';

type Operation = (consul: MemoryConsul) => void;

const node = fc.constantFrom('m1', 'm2', 'm3');
const id = fc.constantFrom('i1', 'i2', 'i3');
const name = fc.constantFrom('web', 'Web', 'api', 'db', 'mail', 'cache', 'a.b', 'not ok');
const status = fc.constantFrom('passing', 'warning', 'critical');

/** Anything that can be done to a catalog; names are few, so that operations meet. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .tuple(
      node,
      id,
      name,
      fc.record({
        port: fc.constantFrom(80, 81, 0),
        tags: fc.subarray(['a', 'v=1', 'v=2']),
        meta: fc.dictionary(fc.constantFrom('env', 'protocol', 'external'), fc.constantFrom('http', 'x')),
      }),
    )
    .map<Operation>(
      ([on, one, service, content]) =>
        (consul) =>
          consul.register(on, one, service, content),
    ),
  fc.tuple(node, id).map<Operation>(
    ([on, one]) =>
      (consul) =>
        consul.deregister(on, one),
  ),
  fc.tuple(node, fc.constantFrom('c1', 'c2'), status, fc.constantFrom('', 'i1', 'i2')).map<Operation>(
    ([on, check, state, of]) =>
      (consul) =>
        consul.setCheck(on, check, state, of),
  ),
  fc.tuple(node, fc.constantFrom('c1', 'c2')).map<Operation>(
    ([on, check]) =>
      (consul) =>
        consul.removeCheck(on, check),
  ),
  fc.tuple(node, fc.constantFrom('10.1.0.1', '10.1.0.2', 'db.example.com')).map<Operation>(
    ([on, address]) =>
      (consul) =>
        consul.setNode(on, address),
  ),
  node.map<Operation>((on) => (consul) => consul.removeNode(on)),
);

/**
 * A restored snapshot. Only while all lists wait, as they nearly always do: Consul answers those at once. An index that has
 * overtaken the old one by the time of the next request shows nothing, and only `fullReadEvery` helps; so it does when
 * everything is read from a server that is behind.
 */
const restore: Operation = (consul) => {
  if (consul.waiting === 3 && consul.lag === 0) consul.restore();
};

type Has = { readonly filter?: boolean; readonly namespace?: boolean };

const registryOf = (mode: PollMode, consul: MemoryConsul, clock: VirtualClock, has: Has = {}) =>
  new ConsulRegistry({
    cluster: 'dc1',
    mode,
    api: consul,
    clock,
    rules: CONVERSION_RULES,
    hasFilter: has.filter ?? false,
    hasNamespace: has.namespace ?? false,
    fullReadEveryMs: 3_600_000,
    waitMs: 600_000,
  });

async function readInto(applied: AppliedSnapshots, registry: ConsulRegistry, signal: AbortSignal): Promise<void> {
  for await (const reading of registry.read(signal)) applied.apply(reading);
}

/** What a registry that knows nothing yet reads now. */
async function contentOf(consul: MemoryConsul, clock: VirtualClock): Promise<readonly string[]> {
  const fresh = new AppliedSnapshots();
  await clock.until(readInto(fresh, registryOf('poll', consul, clock), new AbortController().signal));
  return fresh.content;
}

/** Operations with pauses of up to a second and a half between them, so that they meet a watch at every point. */
const history = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.tuple(operation, fc.constantFrom(0, 5, 20, 50, 1500)) },
    { weight: 1, arbitrary: fc.constant([restore, 1500] as const) },
  ),
  { maxLength: 25 },
);

test.each<[string, Has, number, number]>([
  ['', {}, 0, 0],
  [' of one namespace', { namespace: true }, 0, 0],
  [' by its services', { filter: true }, 0, 0],
  [' over a slow network', {}, 0, 30],
  [' by its services over a slow network', { filter: true }, 0, 30],
  [' on servers that are behind', {}, 1, 0],
  [' by its services on servers that are behind', { filter: true }, 1, 0],
  [' on servers that are behind, over a slow network', {}, 1, 30],
])('law: a watch%s ends with what reading everything gives', async (_how, has, lag, latencyMs) => {
  await fc.assert(
    fc.asyncProperty(history, history, async (before, during) => {
      const clock = new VirtualClock();
      const consul = new MemoryConsul(clock);
      for (const [change] of before) change(consul);
      const applied = new AppliedSnapshots();
      const abort = new AbortController();
      const ended = readInto(applied, registryOf('watch', consul, clock, has), abort.signal);
      await clock.advance(1000);
      consul.lag = lag;
      consul.latencyMs = latencyMs;
      for (const [change, pauseMs] of during) {
        change(consul);
        await clock.advance(pauseMs);
      }
      await clock.advance(5000);
      consul.lag = 0;
      consul.latencyMs = 0;
      expect(applied.content).toEqual(await contentOf(consul, clock));
      abort.abort();
      await clock.advance(0);
      await ended;
    }),
    { numRuns: 60 },
  );
});

test('law: a later reading gives what a first one gives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.array(operation), fc.boolean()), { maxLength: 4 }), async (rounds) => {
      const clock = new VirtualClock();
      const consul = new MemoryConsul(clock);
      const registry = registryOf('poll', consul, clock);
      for (const [changes, isRestored] of rounds) {
        for (const change of changes) change(consul);
        if (isRestored) consul.restore();
        const applied = new AppliedSnapshots();
        await clock.until(readInto(applied, registry, new AbortController().signal));
        expect(applied.content).toEqual(await contentOf(consul, clock));
      }
    }),
    { numRuns: 60 },
  );
});

const instance = fc
  .record({
    id: fc.string({ maxLength: 4 }),
    address: fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain(), fc.string({ maxLength: 6 }), fc.constant('')),
    port: fc.oneof(fc.integer({ min: -1, max: 70_000 }), fc.constant(undefined)),
    socketPath: fc.constantFrom('', '', '/run/a.sock', 'relative'),
    tags: fc.array(fc.string({ maxLength: 6 }), { maxLength: 4 }),
    meta: fc.dictionary(
      fc.oneof(fc.constantFrom('protocol', 'service-port', 'external', 'region'), fc.string({ maxLength: 4 })),
      fc.string({ maxLength: 6 }),
      { maxKeys: 4 },
    ),
    weights: fc.record({ passing: fc.nat(3), warning: fc.nat(3) }),
    checks: fc.array(fc.record({ id: fc.string({ maxLength: 3 }), status, serviceId: fc.constant('') }), {
      maxLength: 3,
    }),
    node: fc.record({ name: fc.constantFrom('m1', 'm2'), address: fc.ipV4() }),
  })
  .map(consulInstance);

test('law: whatever is registered becomes a snapshot, and no order of arrival has an influence', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(instance, { minLength: 1, maxLength: 6, selector: (one) => `${one.node.name}/${one.id}` }),
      fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
      (instances, order) => {
        const shuffled = instances
          .map((one) => ({ ...one, tags: [...one.tags].reverse(), checks: [...one.checks].reverse() }))
          .map((one, index) => ({ one, key: order[index] ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one);
        const { snapshot, notes } = convertService('web', instances, { ...CONVERSION_RULES, publishUnhealthy: true });
        const other = convertService('web', shuffled, { ...CONVERSION_RULES, publishUnhealthy: true });
        expect(other.snapshot?.hash).toBe(snapshot?.hash);
        expect(other.notes).toEqual(notes);
        expect(snapshot).toBeDefined();
        const names = new Set(snapshot?.service.ports.map((port) => port.name));
        for (const endpoint of snapshot?.endpoints ?? []) {
          expect(names).toContain(endpoint.servicePort);
          expect(endpoint.addresses).toHaveLength(1);
        }
        const places = snapshot?.endpoints.map(({ addresses, port }) => `${addresses[0] ?? ''} ${port}`) ?? [];
        expect(new Set(places).size).toBe(places.length);
      },
    ),
  );
});
