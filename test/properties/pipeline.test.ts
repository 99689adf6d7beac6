import * as fc from 'fast-check';
import type { ServiceChangeEvent } from '../../lib/changes/pilotless-event';
import { isDeleted, type CatalogEntry } from '../../lib/model/catalog-entry';
import { compareText } from '../../lib/model/compare';
import type { Port } from '../../lib/model/port';
import type { RegistryId } from '../../lib/model/registry-id';
import type { ServiceKey } from '../../lib/model/service-key';
import { Crash, Installation, MortalProcess, type CrashPoint } from '../support/mortal-installation';
import { full, seen } from '../support/readings';
import type { Script } from '../support/scripted-registry';
import { endpoint, port } from '../support/stored-snapshots';

const RUNS = 25;

/** Computing alone; jest's 5 s are too few on a machine that others keep busy. */
const LIMIT_MS = 30_000;

const REGISTRIES: readonly RegistryId[] = ['Mock/a', 'Mock/b', 'Mock/c'];

/** Ports that agree, and that dispute a name, a protocol or a number. */
const PORTS: readonly (readonly [Port, ...Port[]])[] = [
  [port('http', 80)],
  [port('web', 80)],
  [port('http', 80, 'TCP')],
  [port('http', 8080)],
  [port('grpc', 9090, 'GRPC'), port('http', 80)],
];

type Told = { readonly ports: readonly [Port, ...Port[]]; readonly addresses: readonly string[] };

/** What a registry holds, by the name of the service. */
type Holding = Readonly<Record<string, Told>>;

const holding: fc.Arbitrary<Holding> = fc.dictionary(
  fc.constantFrom('cart', 'catalog', 'checkout', 'search'),
  fc.record({
    ports: fc.constantFrom(...PORTS),
    addresses: fc.subarray(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']),
  }),
  { maxKeys: 4 },
);

/** One time that every registry is read: what each holds, `fails` where it cannot be read, and in which order. */
const round = fc.record({
  holdings: fc.tuple(
    ...REGISTRIES.map(() => fc.oneof({ weight: 6, arbitrary: holding }, fc.constant('fails' as const))),
  ),
  order: fc.shuffledSubarray([...REGISTRIES], { minLength: REGISTRIES.length }),
  /** What deliveries do, one number after the other. */
  fortune: fc.array(fc.nat({ max: 999 }), { minLength: 10, maxLength: 20 }),
});

type Round = typeof round extends fc.Arbitrary<infer T> ? T : never;

const crashPoint: fc.Arbitrary<CrashPoint> = fc.record({
  atWrite: fc.integer({ min: 1, max: 25 }),
  moment: fc.constantFrom('before', 'after'),
});

/** What happens to an installation. */
const story = fc.record({
  registries: fc.constantFrom(2, 3).map((count) => REGISTRIES.slice(0, count)),
  rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
  final: fc.tuple(...REGISTRIES.map(() => holding)),
  /** One a process; the last process lives for ever. */
  crashes: fc.array(crashPoint, { minLength: 1, maxLength: 3 }),
  /** Whether registries have gone on to what they hold next when a process comes back. */
  goesOn: fc.boolean(),
  /** Whether a process that comes back looks at every key before it reads. */
  looksFirst: fc.boolean(),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Two registries dispute a port; then one service changes, one goes and one comes. */
const SHORT_STORY: Omit<Story, 'crashes'> = {
  registries: REGISTRIES.slice(0, 2),
  rounds: [
    {
      holdings: [
        { cart: { ports: [port('http', 80)], addresses: ['10.0.0.1'] } },
        {
          cart: { ports: [port('web', 80)], addresses: ['10.0.0.2'] },
          search: { ports: [port('http', 80)], addresses: [] },
        },
        'fails',
      ],
      order: REGISTRIES.slice(0, 2),
      fortune: [1],
    },
  ],
  final: [{ cart: { ports: [port('http', 80)], addresses: [] } }, {}, {}],
  goesOn: false,
  looksFirst: true,
};

function scriptOf(registry: RegistryId, held: Holding | 'fails' | undefined): Script {
  if (held === 'fails' || held === undefined) return new Error('connection refused');
  const snapshots = Object.entries(held).map(([name, { ports, addresses }]) =>
    seen(
      name,
      addresses.map((address) => endpoint(address, { servicePort: ports[0].name })),
      { registry, service: { ports } },
    ),
  );
  return full(snapshots);
}

/** Delivers each key once, twice or not at all, in any order, and in two calls that run at the same time. */
async function deliver(
  stream: ServiceKey[],
  fortune: () => number,
  stage: (keys: readonly ServiceKey[]) => Promise<void>,
): Promise<void> {
  const copies = [0, 1, 1, 1, 1, 2, 2, 2];
  const deliveries = stream
    .splice(0)
    .flatMap((key) => Array.from({ length: copies[fortune() % copies.length] ?? 1 }, () => ({ key, at: fortune() })))
    .sort((a, b) => a.at - b.at)
    .map(({ key }) => key);
  const half = Math.ceil(deliveries.length / 2);
  const calls = await Promise.allSettled([stage(deliveries.slice(0, half)), stage(deliveries.slice(half))]);
  for (const call of calls) if (call.status === 'rejected') throw call.reason;
}

async function play(process: MortalProcess, { holdings, order, fortune }: Round, registries: readonly RegistryId[]) {
  let position = 0;
  const next = (): number => fortune[(position += 1) % fortune.length] ?? 0;
  for (const registry of order.filter((each) => registries.includes(each))) {
    const precedence = REGISTRIES.indexOf(registry);
    await process.poll(registry, precedence, scriptOf(registry, holdings[precedence]));
    if (next() % 2 === 0) await deliver(process.snapshotStream, next, (keys) => process.aggregate(keys));
    if (next() % 2 === 0) await deliver(process.catalogStream, next, (keys) => process.publish(keys));
  }
  await deliver(process.snapshotStream, next, (keys) => process.aggregate(keys));
  await deliver(process.catalogStream, next, (keys) => process.publish(keys));
}

/** Lets the story happen. @returns the places that processes died at. */
async function happen(installation: Installation, { registries, rounds, final, crashes, goesOn, looksFirst }: Story) {
  const plain = { order: [...REGISTRIES], fortune: rounds[0]?.fortune ?? [1] };
  const all: readonly Round[] = [...rounds, { ...plain, holdings: final }];
  const deaths: string[] = [];
  let done = 0;
  for (let life = 0; done < all.length; life += 1) {
    const process = new MortalProcess(installation, crashes[life]);
    try {
      if (looksFirst) await process.reconcile(registries);
      while (done < all.length) {
        await installation.clock.advance(1000);
        await play(process, all[done]!, registries);
        if (done === all.length - 1) await process.reconcile(registries);
        done += 1;
      }
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      deaths.push(process.diedAt ?? '');
      if (goesOn && done < all.length - 1) done += 1;
    }
  }
  return deaths;
}

/** The catalog of an installation that has never seen anything but the final readings, and nothing went wrong. */
async function cleanRun({ registries, final }: Story): Promise<Installation> {
  const installation = new Installation();
  const process = new MortalProcess(installation, undefined);
  for (const [index, registry] of registries.entries())
    await process.poll(registry, index, scriptOf(registry, final[index]));
  await process.aggregate(process.snapshotStream);
  await process.publish(process.catalogStream);
  return installation;
}

async function liveHashes(installation: Installation): Promise<Readonly<Record<ServiceKey, string>>> {
  const live = [...(await installation.records('catalog')).values()].flatMap((record) =>
    isDeleted(record) ? [] : [[record.key, record.hash] as const],
  );
  return Object.fromEntries(live.sort(([a], [b]) => compareText(a, b)));
}

async function versions(installation: Installation, table: 'catalog' | 'published') {
  return new Map([...(await installation.records(table))].map(([key, { version }]) => [key, version]));
}

/** What a consumer knows at the end who takes the events in the order of their versions. */
function lastTold(installation: Installation): ReadonlyMap<ServiceKey, ServiceChangeEvent> {
  const last = new Map<ServiceKey, ServiceChangeEvent>();
  for (const event of installation.told) {
    const { key, version } = event.detail.service;
    if (version >= (last.get(key)?.detail.service.version ?? 0)) last.set(key, event);
  }
  return last;
}

function expectTold(
  { key, hash, registries, endpoints, version, cause, updatedAt, ...state }: CatalogEntry,
  event?: ServiceChangeEvent,
) {
  expect(event?.type).not.toBe('Service Deleted');
  expect(event?.detail.state).toEqual(state);
  expect(event?.detail.change.endpoints.after).toBe(endpoints.length);
}

/** Lets the story happen and holds its end against a run that knows of nothing but the end. @returns the deaths. */
async function expectRightEnd(told: Story): Promise<readonly string[]> {
  const installation = new Installation();
  const deaths = await happen(installation, told);
  expect(await liveHashes(installation)).toEqual(await liveHashes(await cleanRun(told)));
  expect(await versions(installation, 'published')).toEqual(await versions(installation, 'catalog'));
  const last = lastTold(installation);
  for (const [key, record] of await installation.records('catalog')) {
    if (!isDeleted(record)) expectTold(record, last.get(key));
    // Who was never told of a service need not be told that it has gone.
    else expect(last.get(key)?.type ?? 'Service Deleted').toBe('Service Deleted');
  }
  return deaths;
}

describe('a pipeline that dies and is started again ends in the catalog of one clean run, and has told every change', () => {
  test(
    'whatever the registries say, in whatever order keys are delivered, and wherever it dies',
    async () => {
      let crashed = 0;
      await fc.assert(
        fc.asyncProperty(story, async (told) => {
          const deaths = await expectRightEnd(told);
          if (deaths.length > 0) crashed += 1;
        }),
        { numRuns: RUNS },
      );
      expect(crashed).toBeGreaterThan(RUNS / 2);
    },
    LIMIT_MS,
  );

  test(
    'at every single write of a short story, before it takes effect and after',
    async () => {
      const deaths = new Set<string>();
      for (const moment of ['before', 'after'] as const) {
        for (let atWrite = 1, died = true; died; atWrite += 1) {
          const end = await expectRightEnd({ ...SHORT_STORY, crashes: [{ atWrite, moment }] });
          for (const death of end) deaths.add(death);
          died = end.length > 0;
        }
      }
      const writes = ['acquire', 'release', 'snapshot put', 'snapshot remove', 'catalog put', 'change put', 'event'];
      const expected = [...writes, 'published put'].flatMap((write) => [`before ${write}`, `after ${write}`]);
      expect([...deaths].sort()).toEqual(expected.sort());
    },
    LIMIT_MS,
  );
});
