import { convertService } from '../../../lib/registries/consul/convert-service';
import { consulInstance, CONVERSION_RULES } from '../../support/consul-instance';

test('a service without instances does not exist', () => {
  expect(convertService('web', [], CONVERSION_RULES)).toEqual({ snapshot: undefined, notes: [] });
});

test('a service becomes a snapshot that names the list and itself as its sources', () => {
  const { snapshot, notes } = convertService('web', [consulInstance()], CONVERSION_RULES);
  expect(snapshot).toMatchObject({
    key: 'default/web.service.consul',
    registry: 'Consul/dc1',
    service: {
      hostname: 'web.service.consul',
      namespace: 'default',
      name: 'web',
      address: '0.0.0.0',
      ports: [{ name: 'tcp-80', number: 80, protocol: 'TCP', transport: 'TCP' }],
      resolution: 'ClientSideLB',
      meshExternal: false,
      labels: {},
    },
    endpoints: [{ addresses: ['10.0.0.1'], port: 80 }],
    sources: ['catalog/services', 'service/web'],
  });
  expect(notes).toEqual([]);
});

test('pitfall 27: the key has the real namespace and host name', () => {
  const rules = { ...CONVERSION_RULES, namespace: 'team-a', hostname: 'datacenter', domain: 'corp' } as const;
  expect(convertService('web', [consulInstance({ node: { datacenter: 'DC2' } })], rules).snapshot?.key).toBe(
    'team-a/web.service.dc2.corp',
  );
});

test('pitfall 3: an instance that no client can reach is skipped with a note, the service and the others stay', () => {
  const { snapshot, notes } = convertService(
    'web',
    [
      consulInstance({ id: 'a', port: 70_000 }),
      consulInstance({ id: 'b', port: undefined }),
      consulInstance({ id: 'c' }),
    ],
    CONVERSION_RULES,
  );
  expect(snapshot?.endpoints.map(({ workload }) => workload.name)).toEqual(['c']);
  expect(notes).toEqual([
    {
      code: 'ConsulInstanceUnusable',
      message:
        'Consul service web: instances were skipped that no client can reach; an address is an IP or a host name, a port is from 1 to 65535 (a on node m1 has port 70000; b on node m1 has no port)',
    },
  ]);
});

test('a service all of whose instances are skipped stays, without ports', () => {
  const { snapshot } = convertService('web', [consulInstance({ port: undefined })], CONVERSION_RULES);
  expect(snapshot).toMatchObject({ service: { ports: [] }, endpoints: [] });
});

test('ports are those of unhealthy instances too, so that health does not change the service', () => {
  const critical = consulInstance({ id: 'b', port: 81, checks: [{ id: 'c', status: 'critical', serviceId: '' }] });
  const { snapshot } = convertService('web', [consulInstance(), critical], CONVERSION_RULES);
  expect(snapshot?.service.ports.map(({ number }) => number)).toEqual([80, 81]);
  expect(snapshot?.endpoints).toHaveLength(1);
});

test('a service with a host name for an address is resolved by DNS, even without a healthy instance', () => {
  const name = consulInstance({ address: 'DB.example.com.', checks: [{ id: 'c', status: 'critical', serviceId: '' }] });
  expect(convertService('db', [name], CONVERSION_RULES).snapshot?.service.resolution).toBe('DNSLB');
  const published = convertService('db', [name], { ...CONVERSION_RULES, publishUnhealthy: true });
  expect(published.snapshot?.endpoints[0]?.addresses).toEqual(['db.example.com']);
});

test('an external service is outside the mesh and passed through', () => {
  const { snapshot } = convertService('db', [consulInstance({ meta: { external: 'true' } })], CONVERSION_RULES);
  expect(snapshot?.service).toMatchObject({ meshExternal: true, resolution: 'Passthrough' });
});

test('the order of instances, tags and checks has no influence', () => {
  const instances = ['a', 'b', 'c'].map((id, index) =>
    consulInstance({ id, port: 80 + index, tags: ['x', `v=${id}`], node: { name: `m${3 - index}` } }),
  );
  const shuffled = [...instances].reverse().map((one) => ({ ...one, tags: [...one.tags].reverse() }));
  expect(convertService('web', shuffled, CONVERSION_RULES)).toEqual(convertService('web', instances, CONVERSION_RULES));
});

test('raft indexes are no content', () => {
  const hash = (modifyIndex: number) =>
    convertService('web', [consulInstance({ modifyIndex })], CONVERSION_RULES).snapshot?.hash;
  expect(hash(11)).toBe(hash(10));
});
