import * as z from 'zod';
import { clientSettings, consulProvider, consulRegistry } from '../../../lib/registries/consul/consul-provider';
import { consulSettings } from '../../../lib/registries/consul/settings';
import { AppliedSnapshots } from '../../support/applied-snapshots';
import { HttpServer } from '../../support/http-server';
import { MemoryConsul } from '../../support/memory-consul';
import { VirtualClock } from '../../support/virtual-clock';

const settingsOf = (settings: Readonly<Record<string, unknown>>) =>
  z.strictObject(consulSettings).parse({ address: 'http://127.0.0.1:8500', ...settings });

test('Consul can be watched, and is by default', () => {
  expect({ provider: consulProvider.provider, watch: consulProvider.watch }).toEqual({
    provider: 'Consul',
    watch: 'default',
  });
});

test('it loads its client and reads', async () => {
  await using server = await HttpServer.start((request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'X-Consul-Index': '1' })
      .end(request.url?.startsWith('/v1/catalog/services') === true ? '{}' : '[]'),
  );
  const make = await consulProvider.load();
  const context = { cluster: 'dc1', mode: 'poll', domainSuffix: '', trustDomain: '', baseDir: '.' } as const;
  const registry = make(context, settingsOf({ address: server.url, token: 't' }));
  const readings = [];
  for await (const reading of registry.read(new AbortController().signal)) readings.push(reading);
  expect(readings).toMatchObject([{ type: 'full', snapshots: [], cost: { requests: 3, bytes: 6 } }]);
  expect(server.requests.map(({ headers }) => headers['x-consul-token'])).toEqual(['t', 't', 't']);
});

test('what is not set stays away from the client', () => {
  expect(clientSettings(settingsOf({}))).toEqual({
    address: 'http://127.0.0.1:8500',
    selection: { tags: [], proxies: false, consulService: false },
    acceptFiltered: false,
    maxStaleMs: 10_000,
    requestTimeoutMs: 10_000,
    limits: { maxConcurrency: 16, requestsPerSecond: 1_000 },
  });
});

test('what is set reaches the client', () => {
  const some = { serverName: 's', datacenter: 'dc2', namespace: 'n', partition: 'p' };
  const selection = { tags: ['t'], proxies: true, consulService: true, filter: 'f' };
  const settings = settingsOf({ ...some, ...selection, aclFiltered: 'accept', maxStale: '1s', requestTimeout: '2s' });
  expect(clientSettings({ ...settings, maxConcurrency: 3, requestsPerSecond: 4 })).toEqual({
    address: 'http://127.0.0.1:8500',
    ...some,
    selection,
    acceptFiltered: true,
    maxStaleMs: 1000,
    requestTimeoutMs: 2000,
    limits: { maxConcurrency: 3, requestsPerSecond: 4 },
  });
});

test.each<[Readonly<Record<string, unknown>>, string, readonly string[], number]>([
  [{}, 'default/web.service.consul', ['tcp-80'], 0],
  [{ namespace: 'team-a', hostname: 'datacenter', domain: 'corp' }, 'team-a/web.service.dc1.corp', ['tcp-80'], 0],
  [{ servicePort: 9000, publishUnhealthy: true }, 'default/web.service.consul', ['tcp-9000'], 1],
])('settings %j reach the conversion', async (settings, key, ports, endpoints) => {
  const clock = new VirtualClock();
  const consul = new MemoryConsul(clock);
  consul.register('m1', 'web-1', 'web');
  consul.setCheck('m1', 'c', 'critical');
  const registry = consulRegistry({ cluster: 'dc1', mode: 'poll' }, settingsOf(settings), consul, clock);
  const applied = new AppliedSnapshots();
  for await (const reading of registry.read(new AbortController().signal)) applied.apply(reading);
  const [snapshot] = applied.byKey.values();
  expect(snapshot).toMatchObject({ key, registry: 'Consul/dc1' });
  expect(snapshot?.service.ports.map(({ name }) => name)).toEqual(ports);
  expect(snapshot?.endpoints).toHaveLength(endpoints);
});
