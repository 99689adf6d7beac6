import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import type { PilotlessEvent } from '../../lib/changes/pilotless-event';
import { EmbeddedWorld } from '../support/embedded-world';

const HELLO = 'default/hello.default.svc.cluster.local';

let world: EmbeddedWorld;

beforeEach(async () => {
  world = await EmbeddedWorld.make();
});

afterEach(() => world.end());

const isPush = ({ type }: PilotlessEvent) => type === 'Push Requested';
const pushes = () => world.events.filter(isPush);
const ofHello = (events: readonly PilotlessEvent[]) =>
  events.filter((event) => 'service' in event.detail && event.detail.service.key === HELLO);

/** Starts a server and forgets what its first readings brought. */
async function running(options: { readonly keep?: boolean } = {}) {
  const server = await world.open(options);
  await server.start();
  await server.firstReadings(new AbortController().signal);
  await world.until('the first push', (events) => events.some(isPush));
  world.events.length = 0;
  return server;
}

describe('EmbeddedServer', () => {
  test('reads nothing before it is started, and handlers that were appended by then miss no event', async () => {
    const server = await world.open();
    const changes: string[] = [];
    const requested: number[] = [];
    server.appendServiceHandler(({ type }) => void changes.push(type));
    server.appendPushHandler(({ detail }) => void requested.push(detail.push.configsUpdated.length));
    expect((await server.catalog.services()).data).toEqual([]);
    expect(await server.catalog.hasSynced()).toBe(false);
    await server.readOnce(new AbortController().signal);
    expect(changes.sort()).toContain('Service Added');
    expect(requested.length).toBeGreaterThan(0);
    expect(await server.catalog.hasSynced()).toBe(true);
    const { data, completeness } = await server.catalog.services();
    expect(data.map(({ key, endpoints }) => `${key} ${endpoints.length}`)).toEqual([
      `${HELLO} 13`,
      'default/world.default.svc.cluster.local 12',
      'shop/api.payments.example.com 1',
      'shop/orders-db.shop.vm 2',
    ]);
    expect(completeness).toMatchObject({ complete: true, failed: [], neverSynced: [] });
  });

  test('the first readings of all registries are one push', async () => {
    const server = await world.open();
    await server.start();
    await world.until('a push', (events) => events.some(isPush));
    expect(pushes()).toMatchObject([{ detail: { push: { full: true, all: false, configsUpdated: { length: 4 } } } }]);
  });

  test('an edited manifest is one change and one push, with its cause', async () => {
    await running();
    const file = world.manifest('hello-on-a-vm.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('10.30.0.1', '10.30.0.9'));
    await world.until('a push', (events) => events.some(isPush));
    expect(world.types).toEqual(['Endpoints Changed', 'Push Requested']);
    expect(world.events[0]).toMatchObject({
      detail: {
        metadata: { cause: { registry: 'External/default' } },
        service: { key: HELLO },
        change: {
          push: 'incremental',
          endpoints: { added: [{ address: '10.30.0.9' }], removed: [{ address: '10.30.0.1' }] },
        },
      },
    });
    expect(pushes()).toMatchObject([{ detail: { push: { full: false, reason: { endpoint: 1 } } } }]);
  });

  test('pitfall 3: a broken manifest is named with its reason and deletes nothing; restored, all is well', async () => {
    const server = await running();
    const file = world.manifest('hello-on-a-vm.yaml');
    const good = await readFile(file, 'utf8');
    await appendFile(file, 'bad: [\n');
    const state = async () => (await server.catalog.completeness()).degraded;
    while ((await state()).length === 0) await new Promise(setImmediate);
    expect(await state()).toEqual(['External/default']);
    const warning = world.log.lines.find(({ message }) => message.startsWith('Source unreadable'));
    expect(warning?.facts).toMatchObject({ source: 'service-entries/hello-on-a-vm.yaml' });
    expect((await server.catalog.services()).data).toHaveLength(4);
    await writeFile(file, good);
    while ((await state()).length > 0) await new Promise(setImmediate);
    expect(ofHello(world.events)).toEqual([]);
  });

  test('a deleted manifest takes away what it brought and nothing else', async () => {
    const server = await running();
    await rm(world.manifest('external-api.yaml'));
    await world.until('a push', (events) => events.some(isPush));
    expect(world.types).toEqual(['Service Deleted', 'Push Requested']);
    expect((await server.catalog.services()).data).toHaveLength(3);
  });

  test('what was stored is there after a restart: no change is told again, and everything is pushed once', async () => {
    const first = await running({ keep: true });
    const before = (await first.catalog.services()).data;
    await first.stop();
    world.events.length = 0;
    const second = await world.open({ keep: true });
    expect((await second.catalog.services()).data).toEqual(before);
    await second.start();
    await world.until('a push', (events) => events.some(isPush));
    expect(world.types).toEqual(['Push Requested']);
    expect(pushes()).toMatchObject([{ detail: { push: { all: true, full: true, reason: { global: 1 } } } }]);
  });

  test('a registry that left the configuration leaves the catalog', async () => {
    const first = await running({ keep: true });
    await first.stop();
    const second = await world.open({ keep: true, document: 'registries: []' });
    await second.start();
    await world.until('the deletion of world', (events) => events.some(({ type }) => type === 'Service Deleted'));
    await second.readOnce(new AbortController().signal);
    const { data, completeness } = await second.catalog.services();
    expect(data.map(({ hostname }) => hostname)).not.toContain('world.default.svc.cluster.local');
    expect(data.find(({ key }) => key === HELLO)?.endpoints).toHaveLength(1);
    expect(completeness.registries.map(({ registry }) => registry)).toEqual(['External/default']);
  });

  test('pitfall 10: a registry that fails stops no other', async () => {
    const faults = 'faults: [{ type: error, rate: 1 }]';
    const server = await world.open({ document: `registries: [{ provider: Mock, cluster: bad, ${faults} }]` });
    await server.readOnce(new AbortController().signal);
    const { data, completeness } = await server.catalog.services();
    expect(data).toHaveLength(3);
    expect(completeness).toMatchObject({ complete: false, failed: [], neverSynced: ['Mock/bad'] });
    expect(completeness.registries[1]).toMatchObject({ registry: 'Mock/bad', lastError: { code: 'MockError' } });
  });

  test('a paused registry is not read, and says so', async () => {
    const server = await world.open({ document: 'registries: [{ provider: Mock, cluster: demo, paused: true }]' });
    await server.readOnce(new AbortController().signal);
    const { data, completeness } = await server.catalog.services();
    expect(data).toHaveLength(3);
    expect(completeness).toMatchObject({ complete: false, paused: ['Mock/demo'] });
  });
});
