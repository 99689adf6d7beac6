import type * as z from 'zod';
import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { mockProvider } from '../../lib/registries/mock/mock-provider';
import type { ProviderDefinition } from '../../lib/registries/provider-definition';
import { durationSchema } from '../../lib/model/duration-schema';
import { isoTime } from '../../lib/runtime/clock';
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import type { PollEventInput } from '../../lib/runtime/poll-event';
import { pollHandler } from '../../lib/runtime/poll-handler';
import { MemorySnapshotStore } from '../../lib/snapshots/memory-snapshot-store';
import { CollectedEvents } from '../support/collected-events';
import { CollectedLog } from '../support/collected-log';
import { lambdaContext } from '../support/lambda-context';
import { ScriptedRegistry } from '../support/scripted-registry';
import { VirtualClock } from '../support/virtual-clock';
import { DEFAULT_GUARD } from '../../lib/polling/poll-settings';

const REGISTRY: PollEventInput['registry'] = {
  id: 'Mock/demo',
  cluster: 'demo',
  mode: 'poll',
  intervalMs: 60_000,
  maxRunMs: 840_000,
  paused: false,
  domainSuffix: 'cluster.local',
  trustDomain: 'cluster.local',
  guard: DEFAULT_GUARD,
  precedence: 0,
  configVersion: 'one',
  writtenSettings: {},
};

function setUp<Shape extends z.ZodRawShape>(provider: ProviderDefinition<Shape>) {
  const clock = new VirtualClock();
  const parts = {
    provider,
    registries: new MemoryRegistryStore(),
    snapshots: new MemorySnapshotStore(clock),
    events: new CollectedEvents(),
    clock,
    log: new CollectedLog(),
    metrics: new MemoryMetrics(),
    random: () => 0.5,
  };
  const handler = pollHandler(parts);
  const invoke = (event: Partial<PollEventInput>) => handler({ registry: REGISTRY, ...event }, lambdaContext());
  return { ...parts, invoke };
}

test('reads the registry that the event describes', async () => {
  const { invoke, snapshots, registries, metrics } = setUp(mockProvider);

  await expect(invoke({})).resolves.toMatchObject({ type: 'ended', reason: 'once', state: 'synced' });
  await expect(snapshots.known('Mock/demo')).resolves.toHaveLength(2);
  await expect(registries.get('Mock/demo')).resolves.toMatchObject({ services: 2, configVersion: 'one' });
  expect(metrics.sum('PollInvocations')).toBe(1);
});

test('parses the settings as they were written by the provider’s own schema', async () => {
  const wait = durationSchema({ min: '1s', max: '1h' });
  const create = jest.fn(() => new ScriptedRegistry());
  const provider: ProviderDefinition<{ readonly wait: typeof wait }> = {
    provider: 'Mock',
    settings: { wait },
    watch: 'unsupported',
    load: () => Promise.resolve(create),
  };
  const { invoke } = setUp(provider);
  await invoke({ registry: { ...REGISTRY, writtenSettings: { wait: '2m' } } });

  expect(create).toHaveBeenCalledWith(expect.objectContaining({ cluster: 'demo', mode: 'poll' }), { wait: 120_000 });
});

test('reads the companion of its provider when the event is of that', async () => {
  const load = () => Promise.reject(new Error('another registry is wanted'));
  const { invoke, registries } = setUp({
    ...mockProvider,
    provider: 'Kubernetes',
    load,
    companion: { provider: 'Mock', wantedBy: 'services', load: mockProvider.load },
  });

  await expect(invoke({})).resolves.toMatchObject({ state: 'synced' });
  await expect(registries.get('Mock/demo')).resolves.toMatchObject({ services: 2 });
});

test('refuses a registry that its provider does not make', async () => {
  const { invoke } = setUp(mockProvider);

  await expect(invoke({ registry: { ...REGISTRY, id: 'Consul/demo' } })).rejects.toThrow(
    'The provider Mock makes no registries of Consul',
  );
});

test('pitfall 30: a registry that cannot be read is no failure of the function, and stands in its row', async () => {
  const { invoke, registries, events } = setUp(mockProvider);
  const writtenSettings = { faults: [{ type: 'error', rate: 1 }] };

  await expect(invoke({ registry: { ...REGISTRY, writtenSettings } })).resolves.toMatchObject({
    type: 'ended',
    reason: 'once',
  });
  await expect(registries.get('Mock/demo')).resolves.toMatchObject({
    consecutiveFailures: 1,
    lastError: { code: 'MockError' },
  });
  expect(events.types).toEqual(['Registry Failed']);
});

test('a paused registry is not read, and says so', async () => {
  const { invoke, registries, snapshots } = setUp(mockProvider);

  await expect(invoke({ registry: { ...REGISTRY, paused: true } })).resolves.toEqual({ type: 'paused' });
  await expect(registries.get('Mock/demo')).resolves.toMatchObject({ state: 'paused' });
  await expect(snapshots.known('Mock/demo')).resolves.toEqual([]);
});

test('a paused registry is left alone by every further firing, and read when the pause is over', async () => {
  const { invoke, registries } = setUp(mockProvider);
  const paused = { ...REGISTRY, paused: true, configVersion: 'paused' };
  await invoke({ registry: REGISTRY });
  await invoke({ registry: paused });
  const row = await registries.get('Mock/demo');

  await expect(invoke({ registry: paused, requested: true })).resolves.toEqual({ type: 'paused' });
  await expect(registries.get('Mock/demo')).resolves.toEqual(row);

  await expect(invoke({ registry: REGISTRY })).resolves.toMatchObject({ type: 'ended', state: 'synced' });
});

test('a wake while another run reads asks that run for a reading, and ends', async () => {
  const { invoke, registries, clock } = setUp(mockProvider);
  await registries.acquire({
    registry: 'Mock/demo',
    owner: 'another',
    leaseUntil: isoTime(clock.now() + 30_000),
    runStartedAt: isoTime(clock.now()),
    precedence: 0,
    mode: 'poll',
    configVersion: 'one',
  });

  await expect(invoke({ requested: true })).resolves.toEqual({ type: 'skipped' });
  await expect(registries.get('Mock/demo')).resolves.toMatchObject({
    requestedAt: isoTime(clock.now()),
    leaseOwner: 'another',
  });
});

test('an event of another shape is refused', async () => {
  const { invoke } = setUp(mockProvider);

  await expect(invoke({ registry: { ...REGISTRY, id: 'Eureka/demo' as 'Mock/demo' } })).rejects.toThrow(
    'Event of the function',
  );
});
