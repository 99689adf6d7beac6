// The Consul registry against a real Consul: what it reads, what it asks, and how soon it knows.
import { AppError, describeError } from '../../lib/model/app-error';
import { aclPolicy } from '../../lib/registries/consul/acl-policy';
import { CatalogWriter, type CatalogService } from './support/consul/catalog-writer';
import { EmbeddedRun } from './support/embedded/embedded-run';
import { FollowedRegistry, makeConsulRegistry, readOnce, type Settings } from './support/consul/followed-registry';
import { type Consul, startConsul } from './support/consul/start-consul';
import { waitUntil } from './support/processes/wait-until';

/** Starting builds first, on a machine where `npm run servers:install` has not run. */
const BUILD_TIMEOUT_MS = 45 * 60_000;

async function failureOf(settings: Settings): Promise<AppError> {
  try {
    await readOnce(makeConsulRegistry('poll', settings).registry);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the reading did not fail');
}

const print = (line: string) => process.stdout.write(`${line}\n`);

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

describe('one server', () => {
  let consul: Consul;
  let catalog: CatalogWriter;
  let followed: FollowedRegistry;

  beforeAll(async () => {
    consul = await startConsul();
    catalog = new CatalogWriter(consul);
  }, BUILD_TIMEOUT_MS);
  afterAll(() => consul.stop());

  beforeEach(async () => {
    await catalog.register('node-1', { id: 'web-1', name: 'web' }, [
      { id: 'web-1-up', status: 'passing', serviceId: 'web-1' },
    ]);
    await catalog.register('node-2', { id: 'web-2', name: 'web' });
    followed = await FollowedRegistry.start({ address: consul.url });
  });
  afterEach(async () => {
    await followed.stop();
    for (const node of ['node-1', 'node-2', 'node-3']) await catalog.removeNode(node);
  });

  const endpoints = (name = 'web') =>
    (followed.snapshot(name)?.endpoints ?? []).map(
      ({ addresses, port, weight }) => `${addresses[0] ?? ''}:${port} weight ${weight}`,
    );

  const BEFORE = ['10.0.0.2:80 weight 1', '10.0.0.3:80 weight 1'];

  const check = (status: string) => catalog.setCheck('node-1', { id: 'web-1-up', status, serviceId: 'web-1' });

  const web1 = (change: Partial<CatalogService>) => catalog.register('node-1', { id: 'web-1', name: 'web', ...change });

  test.each<[string, () => Promise<void>, readonly string[]]>([
    ['registered', () => catalog.register('node-3', { id: 'web-3', name: 'web' }), [...BEFORE, '10.0.0.4:80 weight 1']],
    [
      'registered in another case',
      () => catalog.register('node-3', { id: 'w', name: 'WEB' }),
      [...BEFORE, '10.0.0.4:80 weight 1'],
    ],
    ['deregistered', () => catalog.deregister('node-2', 'web-2'), ['10.0.0.2:80 weight 1']],
    ['critical', () => check('critical'), ['10.0.0.3:80 weight 1']],
    [
      'of another weight',
      () => web1({ weights: { passing: 7, warning: 2 } }),
      ['10.0.0.2:80 weight 7', '10.0.0.3:80 weight 1'],
    ],
    ['of another port', () => web1({ port: 81 }), ['10.0.0.2:81 weight 1', '10.0.0.3:80 weight 1']],
    ['of another address', () => web1({ address: '10.9.0.1' }), ['10.9.0.1:80 weight 1', '10.0.0.3:80 weight 1']],
    ['of an IPv6 address', () => web1({ address: 'FD00::1' }), ['fd00::1:80 weight 1', '10.0.0.3:80 weight 1']],
    [
      'on a node with another address',
      () => catalog.setNode('node-1', '10.9.0.2'),
      ['10.9.0.2:80 weight 1', '10.0.0.3:80 weight 1'],
    ],
    [
      'on a node that is critical',
      () => catalog.setCheck('node-1', { id: 'serfHealth', status: 'critical' }),
      ['10.0.0.3:80 weight 1'],
    ],
    [
      'on a node in maintenance',
      () => catalog.setCheck('node-1', { id: '_node_maintenance', status: 'critical' }),
      ['10.0.0.3:80 weight 1'],
    ],
    ['on a node that left', () => catalog.removeNode('node-2'), ['10.0.0.2:80 weight 1']],
  ])('an instance that is %s', async (_how, change, expected) => {
    expect(endpoints()).toEqual(BEFORE);
    await change();
    await followed.expectUntil('the change', () => JSON.stringify(endpoints()) === JSON.stringify(expected));
    expect(followed.applied.readings.at(-1)?.type).toBe('delta');
  });

  test('an instance that turns to a warning and back takes the weight of warnings meanwhile', async () => {
    await web1({ weights: { passing: 7, warning: 2 } });
    await followed.expectUntil('the weight', () => endpoints().includes('10.0.0.2:80 weight 7'));
    await check('warning');
    await followed.expectUntil('the warning', () => endpoints().includes('10.0.0.2:80 weight 2'));
    await check('passing');
    await followed.expectUntil('the recovery', () => endpoints().includes('10.0.0.2:80 weight 7'));
  });

  test('tags only and meta only become labels', async () => {
    const labels = () => followed.snapshot('web')?.endpoints[0]?.labels;
    await web1({ tags: ['primary', 'version=v2'] });
    await followed.expectUntil('the tags', () => labels()?.version === 'v2');
    expect(labels()).toEqual({ 'tag/primary': 'true', version: 'v2' });
    await web1({ tags: ['primary', 'version=v2'], meta: { env: 'prod' } });
    await followed.expectUntil('the meta', () => labels()?.env === 'prod');
  });

  test('the same port with two protocols: that of most instances, then the first by name, and a note', async () => {
    await web1({ meta: { protocol: 'http' } });
    await followed.expectUntil('the protocol', () => followed.snapshot('web')?.service.ports[0]?.name === 'http-80');
    expect(followed.applied.readings.at(-1)?.notes.map(({ code }) => code)).toEqual(['ConsulProtocolsDiffer']);
  });

  test('names with dots stay whole, underscores are allowed, a name that is no host name is left out', async () => {
    await catalog.register('node-3', { id: 'a', name: 'api.v1' });
    await catalog.register('node-3', { id: 'b', name: 'my_db', port: 81 });
    await catalog.register('node-3', { id: 'c', name: 'not ok', port: 82 });
    await followed.expectUntil('the services', () => followed.keys.length === 3);
    expect(followed.keys).toEqual([
      'default/api.v1.service.consul',
      'default/my_db.service.consul',
      'default/web.service.consul',
    ]);
    const { notes } = await readOnce(makeConsulRegistry('poll', { address: consul.url }).registry);
    expect(notes.map(({ code }) => code)).toEqual(['ConsulServiceNameUnusable']);
  });

  test('a service comes, and leaves with its last instance', async () => {
    await catalog.register('node-3', { id: 'a', name: 'api' });
    await followed.expectUntil('the service', () => followed.snapshot('api') !== undefined);
    await catalog.deregister('node-3', 'a');
    await followed.expectUntil('its end', () => followed.snapshot('api') === undefined);
    expect(followed.applied.readings.at(-1)).toMatchObject({ type: 'delta', removals: ['default/api.service.consul'] });
  });

  test('a service whose last instance is critical stays without endpoints', async () => {
    await catalog.register('node-3', { id: 'a', name: 'api' }, [{ id: 'c', status: 'critical', serviceId: 'a' }]);
    await followed.expectUntil('the service', () => followed.snapshot('api') !== undefined);
    expect(endpoints('api')).toEqual([]);
  });

  test('ports that are none are skipped, sockets and host names are kept', async () => {
    await catalog.register('node-3', { id: 'a', name: 'odd', port: 70_000 });
    await catalog.register('node-3', { id: 'b', name: 'odd', port: 0 });
    await catalog.register('node-3', { id: 'c', name: 'odd', port: 81 });
    await catalog.register('node-3', { id: 'd', name: 'odd', socketPath: '/run/odd.sock' });
    await catalog.register('node-3', { id: 'e', name: 'db', address: 'db.example.com', meta: { external: 'true' } });
    await followed.expectUntil('all of it', () => endpoints('odd').length === 2 && endpoints('db').length === 1);
    expect(endpoints('odd')).toEqual(['10.0.0.4:81 weight 1', '/run/odd.sock:0 weight 1']);
    expect(followed.snapshot('db')?.service).toMatchObject({ resolution: 'DNSLB', meshExternal: true });
  });

  test('Connect proxies and the servers themselves are left out unless asked for', async () => {
    await catalog.register('node-3', { id: 'p', name: 'web-proxy', kind: 'connect-proxy', port: 20_000 });
    await catalog.register('node-3', { id: 'a', name: 'api' });
    await followed.expectUntil('the service beside them', () => followed.snapshot('api') !== undefined);
    expect(followed.keys).toEqual(['default/api.service.consul', 'default/web.service.consul']);
    const all = { address: consul.url, proxies: true, consulService: true };
    const { snapshots } = await readOnce(makeConsulRegistry('poll', all).registry);
    expect(snapshots.map(({ service }) => service.name)).toEqual(['api', 'consul', 'web-proxy', 'web']);
  });

  test('maintenance that the agent is asked for takes an instance out, and its end brings it back', async () => {
    await consul.send('PUT', '/v1/agent/service/register', {
      ID: 'local-1',
      Name: 'local',
      Address: '10.7.0.1',
      Port: 80,
    });
    await followed.expectUntil('the service', () => endpoints('local').length === 1);
    await consul.send('PUT', '/v1/agent/service/maintenance/local-1?enable=true');
    await followed.expectUntil('maintenance of the service', () => endpoints('local').length === 0);
    await consul.send('PUT', '/v1/agent/service/maintenance/local-1?enable=false');
    await followed.expectUntil('the end of maintenance of the service', () => endpoints('local').length === 1);
    await consul.send('PUT', '/v1/agent/maintenance?enable=true');
    await followed.expectUntil('maintenance of the node', () => endpoints('local').length === 0);
    await consul.send('PUT', '/v1/agent/maintenance?enable=false');
    await followed.expectUntil('the end of maintenance of the node', () => endpoints('local').length === 1);
    await consul.send('PUT', '/v1/agent/service/deregister/local-1');
    await followed.expectUntil('the end of the service', () => followed.snapshot('local') === undefined);
  });

  test('tags and a filter are applied by the server', async () => {
    await web1({ tags: ['a'], meta: { env: 'prod' } });
    await catalog.register('node-3', { id: 'x', name: 'api', tags: ['a'] });
    const names = async (settings: Readonly<Record<string, unknown>>) =>
      (await readOnce(makeConsulRegistry('poll', { address: consul.url, ...settings }).registry)).snapshots.map(
        ({ service, endpoints: of }) => `${service.name} ${of.length}`,
      );
    expect(await names({ tags: ['a'] })).toEqual(['api 1', 'web 1']);
    expect(await names({ filter: 'Service.Meta.env == "prod" or Service.ID == "x"' })).toEqual(['api 1', 'web 1']);
    expect(await names({ tags: ['a'], filter: 'Service.Meta.env == "prod"' })).toEqual(['web 1']);
    expect(await names({ tags: ['nobody'] })).toEqual([]);
  });

  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{ filter: 'nonsense ===' }, 'ConsulFilterInvalidError'],
    [{ filter: 'Service.Nonsense == "a"' }, 'ConsulFilterInvalidError'],
    [{ datacenter: 'elsewhere' }, 'ConsulDatacenterUnknownError'],
    [{ namespace: 'team-a' }, 'ConsulRequestRefusedError'],
    [{ partition: 'p1' }, 'ConsulRequestRefusedError'],
  ])('settings %j that this Consul does not take are an error of their own', async (settings, code) => {
    expect((await failureOf({ address: consul.url, ...settings })).code).toBe(code);
  });

  test('pitfall 2: a service with 1,200 instances is read whole, and a burst of them is a few readings', async () => {
    const all = Array.from({ length: 1200 }, (_, number): [string, CatalogService] => [
      'node-3',
      { id: `big-${number}`, name: 'big', port: 1000 + number, meta: { 'service-port': '80' } },
    ]);
    const before = followed.applied.readings.length;
    const { bytes } = followed.client.spent;
    await catalog.registerAll(all);
    await followed.expectUntil('all of them', () => endpoints('big').length === 1200);
    const readings = followed.applied.readings.length - before;
    print(
      `1,200 instances in ${all.length / 64} transactions: ${readings} readings, ${followed.client.spent.bytes - bytes} bytes`,
    );
    expect(readings).toBeLessThan(20);
    expect(followed.snapshot('big')?.service.ports).toHaveLength(1);
  });

  test('law: after any changes a watch has come to what reading everything gives', async () => {
    const random = seeded(7);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] ?? values[0]!;
    const nodes = ['node-1', 'node-2', 'node-3'];
    const ids = ['i1', 'i2', 'i3'];
    for (let step = 0; step < 150; step++) {
      const [node, id] = [pick(nodes), pick(ids)];
      await pick([
        () =>
          catalog.register(node, {
            id,
            name: pick(['web', 'Web', 'api', 'a.b']),
            port: pick([80, 81]),
            tags: pick([[], ['a'], ['v=1', 'a']]),
            meta: pick([{}, { env: 'x' }, { protocol: 'http' }]),
          }),
        () => catalog.deregister(node, id),
        () =>
          catalog.setCheck(node, { id: 'n', status: pick(['passing', 'warning', 'critical']) }).catch(() => undefined),
        () => catalog.removeCheck(node, 'n'),
        () => catalog.setNode(node, pick(['10.1.0.1', '10.1.0.2'])),
        () => catalog.removeNode(node),
      ])();
    }
    await catalog.register('node-1', { id: 'last', name: 'last' });
    await followed.expectUntil('the last change', () => followed.snapshot('last') !== undefined);
    const { snapshots } = await readOnce(makeConsulRegistry('poll', { address: consul.url }).registry);
    const expected = JSON.stringify(snapshots.map(({ key, hash }) => `${key} ${hash}`).sort());
    await followed.expectUntil('the same as read anew', () => JSON.stringify(followed.applied.content) === expected);
    expect(followed.applied.readings.slice(1).map(({ type }) => type)).not.toContain('full');
  });

  test('poll mode asks for three lists when nothing has changed, and for what has', async () => {
    const { registry, client } = makeConsulRegistry('poll', { address: consul.url });
    const first = await readOnce(registry);
    const second = await readOnce(registry);
    expect(second.snapshots).toEqual(first.snapshots);
    expect(second.cost.requests).toBe(3);
    await check('critical');
    const third = await readOnce(registry);
    expect(third.snapshots[0]?.endpoints).toHaveLength(1);
    expect(third.cost.requests).toBe(4);
    client.reconnect();
  });
});

/** A small generator of pseudo-random numbers (mulberry32), so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('1,000 services on 50 nodes', () => {
  const NODES = 50;
  const SERVICES = 1000;
  const ROUNDS = 15;
  let consul: Consul;
  let catalog: CatalogWriter;
  let followed: FollowedRegistry;

  const service = (number: number, change: Partial<CatalogService> = {}): [string, CatalogService] => [
    `node-${number % NODES}`,
    { id: `s${number}`, name: `service-${number}`, port: 8000, ...change },
  ];

  beforeAll(async () => {
    consul = await startConsul();
    catalog = new CatalogWriter(consul);
    await catalog.registerAll(Array.from({ length: SERVICES }, (_, number) => service(number)));
    followed = await FollowedRegistry.start({ address: consul.url });
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await followed.stop();
    await consul.stop();
  });

  /** The server's own node is swept as well. */
  const SWEEP = NODES + 1;

  /** Until everything that the change before has set off is over. */
  const quiet = () => new Promise((resolve) => setTimeout(resolve, 400));

  test('the first reading asks for each service once', () => {
    const [first] = followed.applied.readings;
    print(`1,000 services read: ${JSON.stringify(first?.cost)}, ${JSON.stringify(followed.client.spent)}`);
    expect(first?.cost.requests).toBe(3 + SWEEP + SERVICES);
    expect(followed.keys).toHaveLength(SERVICES);
    expect(followed.client.spent.connections).toBeLessThanOrEqual(16 + 3);
  });

  test('a minute of watching has three requests outstanding and makes no other', async () => {
    await quiet();
    const before = followed.client.spent;
    expect(before.requests).toBe(3 + SWEEP + SERVICES + 3);
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    expect(followed.client.spent).toEqual(before);
    print(`a minute of watching 1,000 idle services: ${followed.client.spent.requests - before.requests} requests`);
  }, 90_000);

  type Change = (round: number) => Promise<unknown>;

  /** The services of a node, of which each has 20. */
  const onNode = (node: number) =>
    Array.from({ length: SERVICES / NODES }, (_, number) =>
      followed.snapshot(`service-${node + number * NODES}`),
    ).filter((snapshot) => snapshot !== undefined);

  // [change, how it is made, how it is seen, requests beside those of a sweep, whether there is a sweep]
  test.each<[string, Change, (round: number) => boolean, number, boolean]>([
    [
      'status',
      (round) =>
        catalog.setCheck('node-1', { id: 'c', status: round % 2 === 0 ? 'critical' : 'passing', serviceId: 's1' }),
      (round) => followed.snapshot('service-1')?.endpoints.length === round % 2,
      4,
      false,
    ],
    [
      'tags',
      (round) => catalog.register(...service(2, { tags: [`v=${round}`] })),
      (round) => followed.snapshot('service-2')?.endpoints[0]?.labels.v === String(round),
      4,
      true,
    ],
    [
      'new service',
      (round) => catalog.register(...service(SERVICES + round)),
      (round) => followed.snapshot(`service-${SERVICES + round}`) !== undefined,
      4,
      true,
    ],
    [
      'removed service',
      (round) => catalog.deregister(`node-${(SERVICES + round) % NODES}`, `s${SERVICES + round}`),
      (round) => followed.snapshot(`service-${SERVICES + round}`) === undefined,
      4,
      true,
    ],
    [
      'meta',
      (round) => catalog.register(...service(3, { meta: { v: String(round) } })),
      (round) => followed.snapshot('service-3')?.endpoints[0]?.labels.v === String(round),
      4,
      true,
    ],
    [
      'port',
      (round) => catalog.register(...service(4, { port: 9000 + round })),
      (round) => followed.snapshot('service-4')?.endpoints[0]?.port === 9000 + round,
      4,
      true,
    ],
    [
      'node address',
      (round) => catalog.setNode('node-5', `10.8.0.${round + 1}`),
      (round) => onNode(5).every(({ endpoints: [one] }) => one?.addresses[0] === `10.8.0.${round + 1}`),
      4,
      false,
    ],
    [
      'check of a node',
      // Not `serfHealth`: the leader takes nodes with that check away that are no members (`agent/consul/leader.go`, reconcileReaped).
      (round) => catalog.setCheck('node-6', { id: 'disk', status: round % 2 === 0 ? 'critical' : 'passing' }),
      (round) => onNode(6).every(({ endpoints }) => endpoints.length === round % 2),
      4,
      false,
    ],
    [
      'removed node',
      (round) => catalog.removeNode(`node-${7 + round}`),
      (round) => onNode(7 + round).length === 0,
      4,
      true,
    ],
  ])(
    'what a change costs: %s',
    async (what, change, isSeen, most, isSwept) => {
      const times: number[] = [];
      const requests: number[] = [];
      const bytes: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await quiet();
        const before = followed.client.spent;
        const startedAt = performance.now();
        await Promise.all([change(round), followed.expectUntil(what, () => isSeen(round))]);
        times.push(performance.now() - startedAt);
        await quiet();
        requests.push(followed.client.spent.requests - before.requests);
        bytes.push(followed.client.spent.bytes - before.bytes);
      }
      print(
        `${what}: ${median(times).toFixed(0)} ms from write to reading at the median, ${Math.max(...times).toFixed(0)} at most; ` +
          `${Math.max(...requests)} requests at most, ${median(bytes)} bytes at the median`,
      );
      expect(Math.max(...requests)).toBeLessThanOrEqual(most + (isSwept ? SWEEP : 0));
    },
    60_000,
  );
});

describe('access control', () => {
  let consul: Consul;

  beforeAll(async () => {
    consul = await startConsul({ aclDefaultPolicy: 'deny' });
    const catalog = new CatalogWriter(consul);
    await catalog.register('node-1', { id: 'web-1', name: 'web' });
    await catalog.register('node-2', { id: 'web-2', name: 'web' });
    await catalog.register('node-1', { id: 'api-1', name: 'api', port: 81 });
  }, BUILD_TIMEOUT_MS);
  afterAll(() => consul.stop());

  const read = async (rules: string, settings: Readonly<Record<string, unknown>> = {}) => {
    const token = await consul.createToken(rules);
    const reading = await readOnce(makeConsulRegistry('poll', { address: consul.url, token, ...settings }).registry);
    return {
      services: reading.snapshots.map((snapshot) => `${snapshot.service.name} ${snapshot.endpoints.length}`),
      unreadable: reading.unreadable.map(({ source, seenInPart }) =>
        seenInPart === true ? `${source} in part` : source,
      ),
    };
  };

  const SERVICES = 'service_prefix "" { policy = "read" }';
  const NODES = 'node_prefix "" { policy = "read" }';

  test('the policy of the README sees all', async () => {
    expect(await read(aclPolicy())).toEqual({ services: ['api 1', 'web 2'], unreadable: [] });
  });

  test.each([
    ['services alone', SERVICES, [], ['catalog/nodes in part', 'service/api', 'service/web']],
    ['nodes alone', NODES, [], ['catalog/services in part']],
    ['neither', 'key_prefix "" { policy = "read" }', [], ['catalog/nodes in part', 'catalog/services in part']],
  ])('pitfall 4: no less will do: %s is partial, never empty', async (_what, rules, services, unreadable) => {
    const reading = await read(rules);
    expect(reading).toEqual({ services, unreadable });
  });

  test('pitfall 4: a token that sees some services reads those, and the rest is unreadable', async () => {
    const some = `service "web" { policy = "read" } ${NODES}`;
    expect(await read(some)).toEqual({ services: ['web 2'], unreadable: ['catalog/services in part'] });
    expect(await read(some, { aclFiltered: 'accept' })).toEqual({ services: ['web 2'], unreadable: [] });
  });

  test('pitfall 4: a service with instances on hidden nodes is unreadable itself', async () => {
    const reading = await read(`${SERVICES} node "node-1" { policy = "read" }`);
    expect(reading.services).toEqual(['api 1']);
    expect(reading.unreadable).toContain('service/web');
  });

  test.each([
    ['no token', undefined, 'ConsulTokenMissingError'],
    ['a token that nobody knows', '11111111-2222-3333-4444-555555555555', 'ConsulTokenUnknownError'],
  ])('pitfall 4: %s is a failure', async (_what, token, code) => {
    const settings = { address: consul.url, ...(token === undefined ? {} : { token }) };
    expect((await failureOf(settings)).code).toBe(code);
  });

  test('pitfall 8: a token that is revoked fails the watch, and the next one is used without a restart', async () => {
    const token = await consul.createToken(aclPolicy());
    const { registry } = makeConsulRegistry('poll', { address: consul.url, token });
    await readOnce(registry);
    const self = await consul.send('GET', '/v1/acl/token/self', undefined, token);
    const accessor = /"AccessorID":\s*"([^"]+)"/.exec(self.body)?.[1] ?? '';
    await consul.send('DELETE', `/v1/acl/token/${accessor}`);
    await expect(readOnce(registry)).rejects.toMatchObject({ code: 'ConsulTokenUnknownError' });
  });
});

describe('TLS', () => {
  test('of a private CA, with a client certificate', async () => {
    const consul = await startConsul({ tls: 'mutual' });
    try {
      await new CatalogWriter(consul).register('node-1', { id: 'web-1', name: 'web' });
      const { certFile, keyFile } = await consul.authority!.issue({ commonName: 'pilotless' });
      const tls = { caFile: consul.authority!.caFile, clientCert: { certFile, keyFile } };
      const { snapshots } = await readOnce(makeConsulRegistry('poll', { address: consul.url, ...tls }).registry);
      expect(snapshots.map(({ key }) => key)).toEqual(['default/web.service.consul']);

      const { caFile } = tls;
      expect((await failureOf({ address: consul.url })).message).toMatch(/^No TLS connection to .*Check caFile/);
      expect((await failureOf({ address: consul.url, caFile })).code).toBe('ConsulTlsError');
      expect((await failureOf({ address: consul.url, ...tls, serverName: 'another' })).code).toBe('ConsulTlsError');
    } finally {
      await consul.stop();
    }
  });
});

describe('a server that fails', () => {
  let consul: Consul;
  let catalog: CatalogWriter;

  beforeAll(async () => {
    consul = await startConsul();
    catalog = new CatalogWriter(consul);
    await catalog.register('node-1', { id: 'web-1', name: 'web' });
  }, BUILD_TIMEOUT_MS);
  afterAll(() => consul.stop());

  test('pitfall 1: killed, it fails the watch; started again, it is read again', async () => {
    const { registry } = makeConsulRegistry('poll', { address: consul.url });
    const before = await readOnce(registry);
    const followed = await FollowedRegistry.start({ address: consul.url });
    await consul.kill();
    expect(describeError(await followed.failure()).code).toMatch(/^Consul(Unreachable|AnswerCut)Error$/);
    expect(followed.applied.byKey.size).toBe(1);
    await expect(readOnce(registry)).rejects.toMatchObject({ code: 'ConsulUnreachableError', transient: true });
    await consul.start();
    expect((await readOnce(registry)).snapshots).toEqual(before.snapshots);
    await followed.stop();
  });

  test('a snapshot that is restored takes the index back, and everything is read again', async () => {
    const snapshot = await (await fetch(`${consul.url}/v1/snapshot`)).arrayBuffer();
    for (let port = 1000; port < 1200; port++) await catalog.register('node-1', { id: 'web-1', name: 'web', port });
    await catalog.register('node-1', { id: 'new-1', name: 'new', port: 90 });
    const followed = await FollowedRegistry.start({ address: consul.url });
    expect(followed.keys).toEqual(['default/new.service.consul', 'default/web.service.consul']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const restored = await fetch(`${consul.url}/v1/snapshot`, { method: 'PUT', body: snapshot });
    expect(restored.status).toBe(200);
    await followed.expectUntil('the state of the snapshot', () => followed.keys.length === 1);
    expect(followed.snapshot('web')?.endpoints[0]?.port).toBe(80);
    expect(followed.applied.readings.at(-1)?.type).toBe('full');
    await catalog.register('node-1', { id: 'after-1', name: 'after', port: 91 });
    await followed.expectUntil('a change after it', () => followed.snapshot('after') !== undefined);
    await followed.stop();
  });
});

describe('two datacenters', () => {
  test('are two registries, that know nothing of each other', async () => {
    const [one, two] = [await startConsul({ datacenter: 'dc1' }), await startConsul({ datacenter: 'dc2' })];
    try {
      await new CatalogWriter(one).register('node-1', { id: 'web-1', name: 'web' });
      await new CatalogWriter(two).register('node-2', { id: 'web-1', name: 'web' });
      const read = async (consul: Consul) => {
        const settings = { address: consul.url, hostname: 'datacenter', datacenter: consul.datacenter };
        const { registry } = makeConsulRegistry('poll', settings, consul.datacenter);
        return (await readOnce(registry)).snapshots.map(
          (snapshot) =>
            `${snapshot.registry} ${snapshot.key} ${snapshot.endpoints[0]?.addresses[0] ?? ''} ${snapshot.endpoints[0]?.locality ?? ''}`,
        );
      };
      expect([await read(one), await read(two)]).toEqual([
        ['Consul/dc1 default/web.service.dc1.consul 10.0.0.2 dc1'],
        ['Consul/dc2 default/web.service.dc2.consul 10.0.0.3 dc2'],
      ]);
      await one.kill();
      expect(await read(two)).toHaveLength(1);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });
});

describe('all stages in one process', () => {
  const ROUNDS = 15;
  let consul: Consul;
  let catalog: CatalogWriter;
  let embedded: EmbeddedRun;

  beforeAll(async () => {
    consul = await startConsul();
    catalog = new CatalogWriter(consul);
    const services = Array.from({ length: 200 }, (_, number): [string, CatalogService] => [
      `node-${number % 10}`,
      { id: `s${number}`, name: `service-${number}`, port: 8000 },
    ]);
    await catalog.registerAll(services);
    embedded = await EmbeddedRun.start(`registries: [{ provider: Consul, cluster: dc1, address: "${consul.url}" }]`);
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await embedded.server.stop();
    await consul.stop();
  });

  const isWhole = async () => (await embedded.server.catalog.services()).data.length === 200;

  test('the catalog holds what Consul holds', async () => {
    // A start waits 5 s for first readings at most, which a busy machine may exceed.
    await waitUntil({ what: 'the first reading', attempt: async () => (await isWhole()) || undefined });
    const { data, completeness } = await embedded.server.catalog.services();
    expect(data).toHaveLength(200);
    expect(completeness).toMatchObject({ failed: [], degraded: [], neverSynced: [] });
  });

  test.each<[string, (round: number) => Promise<void>, string, string]>([
    [
      'status',
      (round) =>
        catalog.setCheck('node-1', { id: 'c', status: round % 2 === 0 ? 'critical' : 'passing', serviceId: 's1' }),
      'service-1',
      'Endpoints Changed',
    ],
    ['tags', (round) => catalog.register('node-2', tagged(round)), 'service-2', 'Endpoints Changed'],
    [
      'port',
      (round) => catalog.register('node-3', { id: 's3', name: 'service-3', port: 9000 + round }),
      'service-3',
      'Service Updated',
    ],
  ])(
    'from a change to its event: %s',
    async (what, change, name, type) => {
      const key = `default/${name}.service.consul`;
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await new Promise((resolve) => setTimeout(resolve, 400));
        const seen = embedded.events.length;
        const startedAt = performance.now();
        const [event] = await Promise.all([
          embedded.expectEvent(what, seen, ({ detail }) => detail.service.key === key),
          change(round),
        ]);
        times.push(performance.now() - startedAt);
        expect(event).toMatchObject({ type, detail: { metadata: { cause: { registry: 'Consul/dc1' } } } });
      }
      expect(
        embedded.events.filter(({ detail }) => detail.service.key === key && detail.change.type === type),
      ).toHaveLength(ROUNDS);
      print(
        `${what}: ${median(times).toFixed(0)} ms from write to change event at the median, ${Math.max(...times).toFixed(0)} at most (embedded, watch)`,
      );
    },
    60_000,
  );

  test('a new service and its end are one event each, with the real key', async () => {
    const key = 'default/new.service.consul';
    const seen = embedded.events.length;
    await catalog.register('node-1', { id: 'new-1', name: 'new', port: 90 });
    await embedded.expectEvent('the service', seen, (event) => event.type === 'Service Added');
    await catalog.deregister('node-1', 'new-1');
    await embedded.expectEvent('its end', seen, (event) => event.type === 'Service Deleted');
    expect(embedded.events.slice(seen).map(({ type, detail }) => `${type} ${detail.service.key}`)).toEqual([
      `Service Added ${key}`,
      `Service Deleted ${key}`,
    ]);
  });

  test('pitfall 1: a server that is killed keeps its services, and changes after its return are events again', async () => {
    const seen = embedded.events.length;
    await consul.kill();
    await waitUntil({
      what: 'the registry has failed',
      attempt: async () => (await embedded.server.catalog.services()).completeness.failed.length > 0 || undefined,
    });
    expect((await embedded.server.catalog.services()).data).toHaveLength(200);
    await consul.start();
    await catalog.register('node-4', { id: 's4', name: 'service-4', port: 9100 });
    await embedded.expectEvent('a change after its return', seen, ({ type }) => type === 'Service Updated');
    expect(embedded.events.slice(seen).map(({ detail }) => detail.service.key)).toEqual([
      'default/service-4.service.consul',
    ]);
  });
});

const tagged = (round: number): CatalogService => ({ id: 's2', name: 'service-2', port: 8000, tags: [`v=${round}`] });
