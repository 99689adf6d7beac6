import { AppError } from '../../../lib/model/app-error';
import type { PollMode } from '../../../lib/model/registry-row';
import { AnswerError } from '../../../lib/registries/consul/answer-error';
import { ConsulRegistry } from '../../../lib/registries/consul/consul-registry';
import type { RegistryReading } from '../../../lib/registries/registry';
import { AppliedSnapshots } from '../../support/applied-snapshots';
import { CONVERSION_RULES } from '../../support/consul-instance';
import { MemoryConsul } from '../../support/memory-consul';
import { VirtualClock } from '../../support/virtual-clock';

const FULL_MS = 300_000;

type Setting = { readonly hasFilter?: boolean; readonly hasNamespace?: boolean; readonly waitMs?: number };

function setUp(mode: PollMode, { hasFilter = false, hasNamespace = false, waitMs = 600_000 }: Setting = {}) {
  const clock = new VirtualClock();
  const consul = new MemoryConsul(clock);
  const registry = new ConsulRegistry({
    cluster: 'dc1',
    mode,
    api: consul,
    clock,
    rules: CONVERSION_RULES,
    hasFilter,
    hasNamespace,
    fullReadEveryMs: FULL_MS,
    waitMs,
  });
  return { clock, consul, registry };
}

async function readOnce(registry: ConsulRegistry, clock: VirtualClock): Promise<RegistryReading> {
  const readings: RegistryReading[] = [];
  const read = async () => {
    for await (const reading of registry.read(new AbortController().signal)) readings.push(reading);
  };
  await clock.until(read());
  expect(readings).toHaveLength(1);
  return readings[0]!;
}

/** A registry that is being watched, with `web` and `api` on m1 and m2 and `db` on m1. */
async function watching(setting: Setting = {}) {
  const parts = setUp('watch', setting);
  const { clock, consul, registry } = parts;
  consul.register('m1', 'web-1', 'web');
  consul.register('m2', 'web-2', 'web');
  consul.register('m1', 'api-1', 'api');
  consul.register('m1', 'db-1', 'db');
  const abort = new AbortController();
  const applied = new AppliedSnapshots();
  const outcome: { error?: unknown } = {};
  const ended = (async () => {
    try {
      for await (const reading of registry.read(abort.signal)) applied.apply(reading);
    } catch (error) {
      outcome.error = error;
    }
  })();
  await clock.advance(1000);
  consul.asked.length = 0;
  return { ...parts, applied, abort, ended, outcome };
}

const endpoints = (applied: AppliedSnapshots, name: string) =>
  applied.byKey.get(`default/${name}.service.consul`)?.endpoints.map(({ workload }) => workload.name);

const shape = (reading: RegistryReading | undefined) =>
  reading?.type === 'delta'
    ? { upserts: reading.upserts.map(({ key }) => key), removals: reading.removals }
    : reading?.type;

describe('reading once', () => {
  test('an empty catalog is a complete reading', async () => {
    const { clock, registry } = setUp('poll');
    expect(await readOnce(registry, clock)).toEqual({
      type: 'full',
      snapshots: [],
      unreadable: [],
      notes: [],
      cost: { requests: 3, bytes: 30 },
    });
  });

  test('the first reading asks for three lists and each service once', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    consul.register('m1', 'api-1', 'Api');
    consul.register('m1', 'api-2', 'api');
    const reading = await readOnce(registry, clock);
    expect(consul.asked).toEqual(['services', 'checks', 'nodes', 'instances Api', 'instances web']);
    expect(reading).toMatchObject({
      snapshots: [{ key: 'default/api.service.consul' }, { key: 'default/web.service.consul' }],
      cost: { requests: 5, bytes: 50 },
    });
  });

  test('pitfall 7: a reading of an unchanged catalog asks for the three lists and nothing else', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    const first = await readOnce(registry, clock);
    consul.asked.length = 0;
    expect(await readOnce(registry, clock)).toEqual({ ...first, cost: { requests: 3, bytes: 30 } });
    expect(consul.asked).toEqual(['services', 'checks', 'nodes']);
  });

  test('a later reading reads what has changed', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    consul.register('m1', 'api-1', 'api');
    await readOnce(registry, clock);
    consul.setCheck('m1', 'c', 'critical', 'web-1');
    consul.asked.length = 0;
    const reading = await readOnce(registry, clock);
    expect(consul.asked).toEqual(['services', 'checks', 'nodes', 'instances web (leader)']);
    expect(reading).toMatchObject({ snapshots: [{ endpoints: [{}] }, { endpoints: [] }] });
  });

  test('everything is read again after fullReadEvery, over new connections', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    await readOnce(registry, clock);
    await clock.advance(FULL_MS - 1);
    consul.asked.length = 0;
    await readOnce(registry, clock);
    expect(consul.asked).not.toContain('instances web');
    const { reconnects } = consul;
    await clock.advance(1);
    await readOnce(registry, clock);
    expect(consul.asked).toContain('instances web');
    expect(consul.reconnects).toBe(reconnects + 1);
  });

  test('everything is read again when the index went backwards', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    for (const port of [81, 82, 83, 84]) consul.register('m1', 'web-1', 'web', { port });
    await readOnce(registry, clock);
    consul.restore();
    consul.asked.length = 0;
    await readOnce(registry, clock);
    expect(consul.asked).toContain('instances web');
  });

  test('pitfall 1: a failure is thrown, forgets what was known and lets go of the connections', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    await readOnce(registry, clock);
    const { reconnects } = consul;
    const failure = new AppError('no leader', { code: 'ConsulNoLeaderError', transient: true });
    consul.faults.set('services', failure);
    await expect(readOnce(registry, clock)).rejects.toBe(failure);
    expect(consul.reconnects).toBe(reconnects + 1);
    consul.faults.clear();
    consul.asked.length = 0;
    await readOnce(registry, clock);
    expect(consul.asked).toContain('instances web');
  });

  test('pitfall 10: a bad list fails the reading, even where the answer alone is bad', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.faults.set('checks', new AnswerError('HTML', { code: 'ConsulContentTypeError' }));
    await expect(readOnce(registry, clock)).rejects.toThrow('HTML');
  });

  test('a failure of Consul while services are read fails the reading', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    consul.faults.set('instances web', new AppError('gone', { code: 'ConsulUnreachableError' }));
    await expect(readOnce(registry, clock)).rejects.toThrow('gone');
  });

  test('ends quietly when the signal aborts', async () => {
    const { clock, registry } = setUp('poll');
    const readings = registry.read(AbortSignal.abort(new Error('enough')));
    await expect(clock.until(readings.next())).resolves.toEqual({ done: true, value: undefined });
  });
});

describe('what cannot be read', () => {
  test('pitfall 3: a service whose answer is bad is unreadable, the others are read', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    consul.register('m1', 'api-1', 'api');
    consul.faults.set('instances web', new AnswerError('HTML', { code: 'ConsulContentTypeError' }));
    expect(await readOnce(registry, clock)).toMatchObject({
      snapshots: [{ key: 'default/api.service.consul' }],
      unreadable: [{ source: 'service/web', reason: 'ConsulContentTypeError: HTML' }],
    });
  });

  test('it is tried again at the next reading', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    consul.faults.set('instances web', new AnswerError('HTML', { code: 'ConsulContentTypeError' }));
    await readOnce(registry, clock);
    consul.faults.clear();
    expect(await readOnce(registry, clock)).toMatchObject({ snapshots: [{}], unreadable: [] });
  });

  test('pitfall 4: a service that ACLs hide instances of is unreadable', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    consul.faults.set('instances web', 'filtered');
    expect(await readOnce(registry, clock)).toMatchObject({
      snapshots: [],
      unreadable: [
        {
          source: 'service/web',
          reason:
            "ConsulFilteredError: Consul's ACLs hide instances of web from the token: it needs service:read on the service and node:read on its nodes; or set aclFiltered: accept",
        },
      ],
    });
  });

  test('pitfall 4: lists that ACLs cut short are unreadable in part: what they show is read', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    for (const list of ['services', 'checks', 'nodes']) consul.faults.set(list, 'filtered');
    const token = 'the token needs service:read and node:read on all; or set aclFiltered: accept';
    expect(await readOnce(registry, clock)).toMatchObject({
      snapshots: [{ key: 'default/web.service.consul', sources: ['catalog/services', 'service/web'] }],
      unreadable: [
        {
          source: 'catalog/nodes',
          reason: `Consul's ACLs hide part of catalog/nodes, so that changes of nodes may be seen late: ${token}`,
          seenInPart: true,
        },
        {
          source: 'catalog/services',
          reason: `Consul's ACLs hide part of catalog/services, so that services are missing from the list: ${token}`,
          seenInPart: true,
        },
        {
          source: 'health/state',
          reason: `Consul's ACLs hide part of health/state, so that changes of health may be seen late: ${token}`,
          seenInPart: true,
        },
      ],
    });
  });

  test('a token that sees nothing any more changes nothing', async () => {
    const { clock, consul, registry } = setUp('poll');
    const applied = new AppliedSnapshots();
    consul.register('m1', 'web-1', 'web');
    applied.apply(await readOnce(registry, clock));
    consul.deregister('m1', 'web-1');
    consul.faults.set('services', 'filtered');
    consul.faults.set('instances web', 'filtered');
    applied.apply(await readOnce(registry, clock));
    expect(endpoints(applied, 'web')).toEqual(['web-1']);
  });

  test('a service that is unreadable and leaves is gone, and not asked for any more', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'web-1', 'web');
    consul.faults.set('instances web', new AnswerError('HTML', { code: 'ConsulContentTypeError' }));
    expect(await readOnce(registry, clock)).toMatchObject({ unreadable: [{ source: 'service/web' }] });
    consul.deregister('m1', 'web-1');
    consul.asked.length = 0;
    expect(await readOnce(registry, clock)).toMatchObject({ snapshots: [], unreadable: [] });
    expect(consul.asked).toEqual(['services', 'checks', 'nodes']);
  });

  test('notes of names and services are part of a full reading', async () => {
    const { clock, consul, registry } = setUp('poll');
    consul.register('m1', 'a', 'a b');
    consul.register('m1', 'b', 'web', { port: 0 });
    const reading = await readOnce(registry, clock);
    expect(reading.notes.map(({ code }) => code)).toEqual(['ConsulServiceNameUnusable', 'ConsulInstanceUnusable']);
  });
});

describe('watching', () => {
  test('reads everything, then waits for three lists and asks nothing else', async () => {
    const { clock, consul, applied } = await watching();
    expect(applied.readings.map(shape)).toEqual(['full']);
    expect(consul.waiting).toBe(3);
    await clock.advance(60_000);
    expect(consul.asked).toEqual([]);
    expect(applied.readings).toHaveLength(1);
  });

  type Change = (consul: MemoryConsul) => void;

  // [change, how, keys that are updated, keys that are removed, requests]
  test.each<[string, Change, readonly string[], readonly string[], readonly string[]]>([
    [
      'a status',
      (consul) => consul.setCheck('m2', 'c', 'critical', 'web-2'),
      ['web'],
      [],
      ['instances web', 'wait checks'],
    ],
    [
      'the status of a node',
      (consul) => consul.setCheck('m1', 'serfHealth', 'critical'),
      ['api', 'db', 'web'],
      [],
      ['wait checks'],
    ],
    ['the address of a node', (consul) => consul.setNode('m1', '10.9.9.9'), ['api', 'db', 'web'], [], ['wait nodes']],
    [
      'tags',
      (consul) => consul.register('m1', 'db-1', 'db', { tags: ['primary'] }),
      ['db'],
      [],
      ['instances db', 'nodeIndex m1', 'nodeIndex m2', 'registrations m1', 'wait services'],
    ],
    [
      'meta, which no list shows',
      (consul) => consul.register('m1', 'db-1', 'db', { meta: { a: 'b' } }),
      ['db'],
      [],
      ['nodeIndex m1', 'nodeIndex m2', 'registrations m1', 'instances db', 'wait services'],
    ],
    [
      'a new service',
      (consul) => consul.register('m2', 'new-1', 'new'),
      ['new'],
      [],
      ['instances new', 'nodeIndex m1', 'nodeIndex m2', 'registrations m2', 'wait services'],
    ],
    [
      'another instance',
      (consul) => consul.register('m2', 'db-2', 'db'),
      ['db'],
      [],
      ['nodeIndex m1', 'nodeIndex m2', 'registrations m2', 'instances db', 'wait services'],
    ],
    [
      'an instance that left',
      (consul) => consul.deregister('m2', 'web-2'),
      ['web'],
      [],
      ['nodeIndex m1', 'nodeIndex m2', 'registrations m2', 'instances web', 'wait services'],
    ],
    [
      'a service that left',
      (consul) => consul.deregister('m1', 'db-1'),
      [],
      ['db'],
      // two services are no more than the nodes
      ['serviceIndex api', 'serviceIndex web', 'wait services'],
    ],
    [
      'an instance that became one of another service',
      (consul) => consul.register('m2', 'web-2', 'api'),
      ['api', 'web'],
      [],
      ['nodeIndex m1', 'nodeIndex m2', 'registrations m2', 'instances api', 'instances web', 'wait services'],
    ],
    ['the output of a check', (consul) => consul.setCheck('m2', 'c', 'passing', 'web-2'), [], [], ['wait checks']],
  ])('%s is one change and costs just these requests', async (_what, change, upserts, removals, requests) => {
    const { clock, consul, applied } = await watching();
    change(consul);
    await clock.advance(1000);
    const key = (name: string) => `default/${name}.service.consul`;
    const deltas = applied.readings.slice(1).map(shape);
    expect(deltas).toEqual(
      upserts.length + removals.length === 0 ? [] : [{ upserts: upserts.map(key), removals: removals.map(key) }],
    );
    expect(consul.asked.map((request) => request.replace(' (leader)', ''))).toEqual(requests);
    expect(consul.waiting).toBe(3);
  });

  test('the first change after a quiet time is told within 10 ms, the next one after 100 ms', async () => {
    const { clock, consul, applied } = await watching();
    consul.setCheck('m2', 'c', 'critical', 'web-2');
    await clock.advance(10);
    expect(endpoints(applied, 'web')).toEqual(['web-1']);
    consul.removeCheck('m2', 'c');
    await clock.advance(99);
    expect(endpoints(applied, 'web')).toEqual(['web-1']);
    await clock.advance(11);
    expect(endpoints(applied, 'web')).toEqual(['web-1', 'web-2']);
  });

  test('pitfall 24: a burst of registrations is a few readings', async () => {
    const { clock, consul, applied } = await watching();
    for (let number = 0; number < 100; number++) {
      consul.register('m2', `burst-${number}`, 'burst', { port: 1000 + number });
      await clock.advance(2);
    }
    await clock.advance(1000);
    expect(endpoints(applied, 'burst')).toHaveLength(100);
    expect(applied.readings.length).toBeLessThanOrEqual(5);
  });

  test('a change says what it cost', async () => {
    const { clock, consul, applied } = await watching();
    consul.setCheck('m2', 'c', 'critical', 'web-2');
    await clock.advance(1000);
    expect(applied.readings[1]?.cost).toEqual({ requests: 4, bytes: 40 });
    consul.removeCheck('m2', 'c');
    await clock.advance(1000);
    expect(applied.readings[2]?.cost).toEqual({ requests: 2, bytes: 20 });
  });

  test('services are swept when they are no more than the nodes', async () => {
    const { clock, consul, applied } = await watching();
    for (const node of ['m3', 'm4', 'm5']) consul.register(node, `web-${node}`, 'web');
    await clock.advance(1000);
    consul.asked.length = 0;
    consul.register('m1', 'db-1', 'db', { meta: { a: 'b' } });
    await clock.advance(1000);
    expect(consul.asked).toEqual([
      'serviceIndex api (leader)',
      'serviceIndex db (leader)',
      'serviceIndex web (leader)',
      'instances db (leader)',
      'wait services',
    ]);
    expect(applied.readings.at(-1)).toMatchObject({
      type: 'delta',
      upserts: [{ endpoints: [{ labels: { a: 'b' } }] }],
    });
  });

  test('services are swept when there is a filter, which registrations of nodes do not know', async () => {
    const { clock, consul } = await watching({ hasFilter: true });
    consul.register('m1', 'db-1', 'db', { meta: { a: 'b' } });
    await clock.advance(1000);
    expect(consul.asked.filter((one) => one.startsWith('nodeIndex'))).toEqual([]);
    expect(consul.asked).toContain('serviceIndex db (leader)');
  });

  test.each<[string, Setting]>([
    ['a filter, which may look at nodes', { hasFilter: true }],
    ['a namespace, whose list of checks lacks those of nodes', { hasNamespace: true }],
  ])('the services of a changed node are read again when there is %s', async (_why, setting) => {
    const { clock, consul, applied } = await watching(setting);
    consul.setNode('m1', '10.9.9.9');
    consul.setCheck('m2', 'serfHealth', 'critical');
    await clock.advance(1000);
    const read = ['instances api (leader)', 'instances db (leader)', 'instances web (leader)'];
    expect(consul.asked.filter((request) => request.startsWith('instances'))).toEqual(read);
    expect(endpoints(applied, 'web')).toEqual(['web-1']);
  });

  test('the services of a changed node are read again where they are swept one by one, so that no sweep reads them later', async () => {
    const { clock, consul } = await watching();
    consul.register('m3', 'web-3', 'web');
    await clock.advance(1000);
    consul.asked.length = 0;
    consul.setNode('m2', '10.9.9.9');
    await clock.advance(1000);
    expect(consul.asked).toEqual(['instances web (leader)', 'wait nodes']);
    consul.register('m1', 'db-1', 'db', { port: 81 });
    await clock.advance(1000);
    expect(consul.asked.filter((request) => request.startsWith('instances'))).toEqual([
      'instances web (leader)',
      'instances db (leader)',
    ]);
  });

  test('a node that moves while it gets a service: the first is shown by the list, the second found by the sweep', async () => {
    const { clock, consul, applied } = await watching();
    consul.setNode('m1', '10.9.9.9');
    consul.register('m1', 'db-2', 'db', { port: 81 });
    await clock.advance(1000);
    expect(applied.byKey.get('default/db.service.consul')?.endpoints).toMatchObject([
      { addresses: ['10.9.9.9'], port: 80 },
      { addresses: ['10.9.9.9'], port: 81 },
    ]);
    expect(consul.asked.filter((request) => request.startsWith('instances'))).toEqual(['instances db (leader)']);
  });

  test('a node that leaves takes its services along without a question about them', async () => {
    const { clock, consul, applied } = await watching();
    consul.register('m2', 'mail-2', 'mail');
    await clock.advance(1000);
    consul.asked.length = 0;
    consul.removeNode('m1');
    await clock.advance(1000);
    expect(consul.asked).toEqual(['nodeIndex m2 (leader)', 'wait services', 'wait nodes']);
    expect(shape(applied.readings.at(-1))).toEqual({
      upserts: ['default/web.service.consul'],
      removals: ['default/api.service.consul', 'default/db.service.consul'],
    });
  });

  test('a node that leaves takes its instances along', async () => {
    const { clock, consul, applied } = await watching();
    consul.removeNode('m2');
    await clock.advance(1000);
    expect(endpoints(applied, 'web')).toEqual(['web-1']);
  });

  test('everything is read again each fullReadEvery', async () => {
    const { clock, consul, applied } = await watching();
    await clock.advance(FULL_MS);
    expect(applied.readings.map(shape)).toEqual(['full', 'full']);
    expect(consul.asked.filter((one) => one.startsWith('instances'))).toHaveLength(3);
    expect(consul.waiting).toBe(3);
  });

  test('an index that goes backwards starts anew with everything', async () => {
    const { clock, consul, applied } = await watching();
    consul.restore();
    await clock.advance(1000);
    expect(applied.readings.map(shape)).toEqual(['full', 'full']);
    expect(endpoints(applied, 'db')).toBeUndefined();
    consul.register('m2', 'db-2', 'db');
    await clock.advance(1000);
    expect(endpoints(applied, 'db')).toEqual(['db-2']);
  });

  test('a wait that ends without a change is made sure of, asked anew, and tells nothing', async () => {
    const { clock, consul, applied } = await watching({ waitMs: 60_000 });
    await clock.advance(61_000);
    expect(consul.asked.sort()).toEqual(['checks', 'nodes', 'services', 'wait checks', 'wait nodes', 'wait services']);
    expect(consul.waiting).toBe(3);
    expect(applied.readings).toHaveLength(1);
  });

  test('pitfall 10: a failure of a waiting request ends the watch and all that it waits for', async () => {
    const { clock, consul, ended, outcome } = await watching();
    const failure = new AppError('no leader', { code: 'ConsulNoLeaderError', transient: true });
    consul.faults.set('checks', failure);
    consul.setCheck('m2', 'c', 'critical', 'web-2');
    await clock.advance(1000);
    await ended;
    expect(outcome.error).toBe(failure);
    expect(consul.waiting).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('an abort ends the watch and all that it waits for', async () => {
    const { clock, consul, abort, ended, outcome } = await watching();
    abort.abort(new Error('enough'));
    await clock.advance(0);
    await ended;
    expect(outcome).toEqual({});
    expect(consul.waiting).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('a reader that leaves ends all that is waited for', async () => {
    const { clock, consul, registry } = setUp('watch');
    consul.register('m1', 'web-1', 'web');
    const readings = registry.read(new AbortController().signal);
    await clock.until(readings.next());
    const second = readings.next();
    await clock.advance(100);
    consul.setCheck('m1', 'c', 'critical', 'web-1');
    await clock.until(second);
    await readings.return(undefined);
    await clock.advance(0);
    expect(consul.waiting).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('a service that becomes unreadable is told by a full reading, and so is its recovery', async () => {
    const { clock, consul, applied } = await watching();
    consul.faults.set('instances web', new AnswerError('HTML', { code: 'ConsulContentTypeError' }));
    consul.setCheck('m2', 'c', 'critical', 'web-2');
    await clock.advance(1000);
    expect(applied.readings.at(-1)).toMatchObject({ type: 'full', unreadable: [{ source: 'service/web' }] });
    expect(endpoints(applied, 'web')).toEqual(['web-1', 'web-2']);
    consul.faults.clear();
    await clock.advance(30_000);
    expect(applied.readings.at(-1)).toMatchObject({ type: 'full', unreadable: [] });
    expect(endpoints(applied, 'web')).toEqual(['web-1']);
    expect(applied.readings).toHaveLength(3);
  });

  test('while something is unreadable, changes of others are told by full readings', async () => {
    const { clock, consul, applied } = await watching();
    consul.faults.set('instances web', new AnswerError('HTML', { code: 'ConsulContentTypeError' }));
    consul.setCheck('m2', 'c', 'critical', 'web-2');
    await clock.advance(1000);
    consul.deregister('m1', 'db-1');
    await clock.advance(1000);
    expect(applied.readings.map(shape)).toEqual(['full', 'full', 'full']);
    expect(endpoints(applied, 'db')).toBeUndefined();
    expect(endpoints(applied, 'web')).toEqual(['web-1', 'web-2']);
  });

  test('a bad answer to the probe of a service makes it be read', async () => {
    const { clock, consul, applied } = await watching({ hasFilter: true });
    consul.faults.set('serviceIndex db', new AnswerError('HTML', { code: 'ConsulContentTypeError' }));
    consul.register('m1', 'db-1', 'db', { meta: { a: 'b' } });
    await clock.advance(1000);
    expect(applied.byKey.get('default/db.service.consul')?.endpoints).toMatchObject([{ labels: { a: 'b' } }]);
  });

  test('a failure of Consul in a sweep ends the watch', async () => {
    const { clock, consul, ended, outcome } = await watching({ hasFilter: true });
    consul.faults.set('serviceIndex db', new AppError('gone', { code: 'ConsulUnreachableError' }));
    consul.register('m1', 'db-1', 'db', { meta: { a: 'b' } });
    await clock.advance(1000);
    await ended;
    expect(outcome.error).toMatchObject({ code: 'ConsulUnreachableError' });
  });
});

describe('servers that are behind', () => {
  test.each<[string, (consul: MemoryConsul) => void, string, readonly string[] | undefined]>([
    ['a status', (consul) => consul.setCheck('m2', 'c', 'critical', 'web-2'), 'web', ['web-1']],
    ['meta', (consul) => consul.register('m1', 'db-1', 'db', { port: 81 }), 'db', ['db-1']],
    ['a new service', (consul) => consul.register('m2', 'new-1', 'new'), 'new', ['new-1']],
    ['a service that left', (consul) => consul.deregister('m1', 'db-1'), 'db', undefined],
    ['an instance that left', (consul) => consul.deregister('m2', 'web-2'), 'web', ['web-1']],
  ])('%s is not missed, since news are followed up at the leader', async (_what, change, name, expected) => {
    const { clock, consul, applied } = await watching();
    const before = applied.byKey.get(`default/${name}.service.consul`)?.hash;
    consul.lag = 1;
    change(consul);
    await clock.advance(1000);
    expect(endpoints(applied, name)).toEqual(expected);
    expect(applied.byKey.get(`default/${name}.service.consul`)?.hash).not.toBe(before);
  });

  test('lists and readings of everything are answered by any server', async () => {
    const { clock, consul, registry } = setUp('watch');
    consul.register('m1', 'web-1', 'web');
    await clock.until(registry.read(new AbortController().signal).next());
    expect(consul.asked.filter((request) => request.endsWith('(leader)'))).toEqual([]);
  });
});
