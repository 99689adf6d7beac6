import { CLUSTER_ENDPOINTS } from '../../../lib/registries/mcp/cluster-endpoints';
import { McpRegistry } from '../../../lib/registries/mcp/mcp-registry';
import { SERVICE_ENTRY, WORKLOAD_ENTRY } from '../../../lib/registries/mcp/object-kind';
import type { FullReading } from '../../../lib/registries/registry';
import { anyMessage, serviceEntryResource, workloadEntryResource, type AnyMessage } from '../../support/mcp-messages';
import { adsAnswer, type Deed, ScriptedAdsClient } from '../../support/scripted-ads-client';

const ENTRIES = SERVICE_ENTRY.typeUrl;
const WORKLOADS = WORKLOAD_ENTRY.typeUrl;

const ports = [{ number: 80, name: 'http', protocol: 'HTTP' }];

function dnsEntry(name: string): AnyMessage {
  return serviceEntryResource({
    name: `shop/${name}`,
    spec: { hosts: [`${name}.example.com`], ports, resolution: 'DNS' },
  });
}

const SELECTING = serviceEntryResource({
  name: 'shop/vms',
  spec: { hosts: ['vms.example.com'], ports, resolution: 'STATIC', workloadSelector: { labels: { app: 'vm' } } },
});

function vm(name: string, address: string): AnyMessage {
  return workloadEntryResource({ name: `shop/${name}`, spec: { address, labels: { app: 'vm' } } });
}

const SYNTHETIC = serviceEntryResource({
  name: 'shop/synthetic-cart',
  spec: { hosts: ['cart.shop.svc.cluster.local'], ports, resolution: 'STATIC', location: 'MESH_INTERNAL' },
});
const CART_CLUSTER = 'outbound|80||cart.shop.svc.cluster.local';

function clusterOf(clusterName: string, ...addresses: readonly string[]): AnyMessage {
  const lbEndpoints = addresses.map((address) => ({
    endpoint: { address: { socketAddress: { address, portValue: 8080 } } },
  }));
  return anyMessage('envoy.config.endpoint.v3.ClusterLoadAssignment', { clusterName, endpoints: [{ lbEndpoints }] });
}

/** Its wrapping is sound, its spec is not. */
function spoiled(name: string): AnyMessage {
  const body = {
    typeUrl: 'type.googleapis.com/istio.networking.v1alpha3.ServiceEntry',
    value: Buffer.from([0x0a, 9]),
  };
  return anyMessage('istio.mcp.v1alpha1.Resource', { metadata: { name: `shop/${name}` }, body });
}

function registryOver(client: ScriptedAdsClient, options: { mode?: 'poll' | 'watch'; synthetic?: boolean } = {}) {
  return new McpRegistry({
    cluster: 'test',
    mode: options.mode ?? 'watch',
    trustDomain: 'cluster.local',
    client,
    address: 'xds://istiod:15010',
    synthetic: options.synthetic ?? false,
    answerTimeoutMs: 10_000,
  });
}

/** The readings until there is no other, and why there is none. */
async function readAll(registry: McpRegistry): Promise<{ readings: FullReading[]; error?: unknown }> {
  const readings: FullReading[] = [];
  try {
    for await (const reading of registry.read(new AbortController().signal)) readings.push(reading);
    return { readings };
  } catch (error) {
    return { readings, error };
  }
}

function keysOf(reading: FullReading | undefined): readonly string[] {
  return reading!.snapshots.map(({ key }) => key);
}

function isWait(deed: Deed): deed is Extract<Deed, { readonly wait: unknown }> {
  return typeof deed === 'object' && 'wait' in deed;
}

test('both types are asked for, each answer is acknowledged, and the stream closed', async () => {
  const client = new ScriptedAdsClient([adsAnswer(ENTRIES, '1', [dnsEntry('web')]), adsAnswer(WORKLOADS, '1')]);

  const { readings } = await readAll(registryOver(client, { mode: 'poll' }));

  expect(readings).toEqual([
    {
      type: 'full',
      snapshots: [
        expect.objectContaining({
          key: 'shop/web.example.com',
          sources: ['ServiceEntry/shop/web'],
          registry: 'MCP/test',
        }),
      ],
      unreadable: [],
      notes: [],
      cost: { requests: 1, bytes: 10 },
    },
  ]);
  expect(client.deeds).toEqual([
    { subscribe: ENTRIES, names: [] },
    { subscribe: WORKLOADS, names: [] },
    { wait: 10_000 },
    { acknowledge: ENTRIES, version: '1' },
    { wait: 10_000 },
    { acknowledge: WORKLOADS, version: '1' },
    'close',
  ]);
});

test('pitfall 9: there is no reading before each type has answered', async () => {
  const client = new ScriptedAdsClient([adsAnswer(ENTRIES, '1', [dnsEntry('web')]), 'silence']);

  const { readings, error } = await readAll(registryOver(client));

  expect(readings).toEqual([]);
  expect(error).toMatchObject({
    code: 'McpSilentError',
    message: `xds://istiod:15010 accepted the connection and then said nothing for 10000 ms; awaited: ${WORKLOADS}. Is it a gRPC server of xDS?`,
  });
  expect(client.deeds.at(-1)).toBe('close');
});

test('pitfall 5: no entries at all are a reading', async () => {
  const client = new ScriptedAdsClient([adsAnswer(WORKLOADS, '1'), adsAnswer(ENTRIES, '1')]);
  const { readings } = await readAll(registryOver(client, { mode: 'poll' }));
  expect(readings).toMatchObject([{ snapshots: [], unreadable: [] }]);
});

test('pitfall 1: a stream that breaks fails the reading, and what was read before it stands', async () => {
  const broken = new Error('broken');
  const client = new ScriptedAdsClient([adsAnswer(ENTRIES, '1', [dnsEntry('web')]), adsAnswer(WORKLOADS, '1'), broken]);

  const { readings, error } = await readAll(registryOver(client));

  expect(readings.map(keysOf)).toEqual([['shop/web.example.com']]);
  expect(error).toBe(broken);
  expect(client.deeds.at(-1)).toBe('close');
});

test('pitfall 2: lists of 0, 1 and 1,000 entries are read as a whole', async () => {
  const entries = Array.from({ length: 1_000 }, (_, index) => dnsEntry(`web-${index}`));
  const client = new ScriptedAdsClient([
    adsAnswer(WORKLOADS, '1'),
    ...[0, 1, 1_000].map((count) => adsAnswer(ENTRIES, '1', entries.slice(0, count))),
  ]);
  const { readings } = await readAll(registryOver(client));
  expect(readings.map(({ snapshots }) => snapshots.length)).toEqual([0, 1, 1_000]);
});

describe('watching', () => {
  const start = [adsAnswer(ENTRIES, '1', [SELECTING]), adsAnswer(WORKLOADS, '1', [vm('vm-1', '10.0.0.1')])];

  test('a push of both types is one reading, so that what moves from one to the other is never missing', async () => {
    const client = new ScriptedAdsClient([
      ...start,
      adsAnswer(WORKLOADS, '2', [vm('vm-2', '10.0.0.2')]),
      adsAnswer(ENTRIES, '2', [SELECTING, dnsEntry('web')]),
    ]);

    const { readings } = await readAll(registryOver(client));

    expect(readings.map(keysOf)).toEqual([['shop/vms.example.com'], ['shop/vms.example.com', 'shop/web.example.com']]);
    expect(readings[1]!.snapshots[0]!.endpoints).toMatchObject([{ addresses: ['10.0.0.2'] }]);
    expect(client.deeds.filter(isWait)).toEqual([
      { wait: 10_000 },
      { wait: 10_000 },
      { wait: undefined },
      { wait: 20 },
      { wait: undefined },
    ]);
  });

  test('a push of one type is a reading when the other does not come with it', async () => {
    const client = new ScriptedAdsClient([...start, adsAnswer(WORKLOADS, '2', []), 'silence']);

    const { readings } = await readAll(registryOver(client));

    expect(readings.map(({ snapshots }) => snapshots[0]!.endpoints.length)).toEqual([1, 0]);
  });

  test('a server with a version for each type is not waited for for ever', async () => {
    const client = new ScriptedAdsClient([
      adsAnswer(ENTRIES, 'a', []),
      adsAnswer(WORKLOADS, 'b', []),
      adsAnswer(ENTRIES, 'c', []),
      adsAnswer(ENTRIES, 'd', [dnsEntry('web')]),
      adsAnswer(ENTRIES, 'e', []),
      'silence',
    ]);
    const { readings } = await readAll(registryOver(client));
    expect(readings.map(keysOf)).toEqual([['shop/web.example.com'], []]);
  });

  test('what has not changed is the same value as before, in the next stream too', async () => {
    const client = new ScriptedAdsClient([...start, adsAnswer(ENTRIES, '1', [dnsEntry('web'), SELECTING])], start);
    const registry = registryOver(client);

    const first = await readAll(registry);
    const second = await readAll(registry);

    expect(first.readings[1]!.snapshots[0]).toBe(first.readings[0]!.snapshots[0]);
    expect(second.readings[0]!.snapshots[0]).toBe(first.readings[0]!.snapshots[0]);
  });

  test('what an earlier stream has said is not taken for said by this one', async () => {
    const client = new ScriptedAdsClient(start, [adsAnswer(ENTRIES, '2', []), 'silence']);
    const registry = registryOver(client);

    await readAll(registry);
    const { readings, error } = await readAll(registry);

    expect(readings).toEqual([]);
    expect(error).toMatchObject({ code: 'McpSilentError' });
  });
});

describe('pitfall 3: an object that cannot be decoded', () => {
  test('is unreadable by its name, the others count, and the server is told', async () => {
    const client = new ScriptedAdsClient([
      adsAnswer(ENTRIES, '1', [spoiled('cart'), dnsEntry('web')]),
      adsAnswer(WORKLOADS, '1'),
    ]);

    const { readings } = await readAll(registryOver(client, { mode: 'poll' }));

    const reason = 'It cannot be decoded: the message: field 1 is cut off';
    expect(readings[0]!.unreadable).toEqual([{ source: 'ServiceEntry/shop/cart', reason }]);
    expect(keysOf(readings[0])).toEqual(['shop/web.example.com']);
    expect(client.deeds).toContainEqual({ refuse: ENTRIES, reason: `ServiceEntry/shop/cart: ${reason}` });
    expect(client.deeds).toContainEqual({ acknowledge: WORKLOADS, version: '1' });
  });

  test('of many the server is told of three', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const client = new ScriptedAdsClient([adsAnswer(ENTRIES, '1', names.map(spoiled)), adsAnswer(WORKLOADS, '1')]);

    await readAll(registryOver(client, { mode: 'poll' }));

    const told = client.deeds.flatMap((deed) => (typeof deed === 'object' && 'refuse' in deed ? [deed.reason] : []));
    expect(told).toEqual([
      expect.stringMatching(
        /^ServiceEntry\/shop\/a: .*; ServiceEntry\/shop\/b: .*; ServiceEntry\/shop\/c: .*; and 2 more$/,
      ),
    ]);
  });

  test('among the workloads is unreadable too, sorted', async () => {
    const client = new ScriptedAdsClient([
      adsAnswer(WORKLOADS, '1', [spoiled('vm-2'), spoiled('vm-1')]),
      adsAnswer(ENTRIES, '1', [spoiled('web')]),
    ]);
    const { readings } = await readAll(registryOver(client, { mode: 'poll' }));
    expect(readings[0]!.unreadable.map(({ source }) => source)).toEqual([
      'ServiceEntry/shop/web',
      'WorkloadEntry/shop/vm-1',
      'WorkloadEntry/shop/vm-2',
    ]);
  });
});

describe('Kubernetes services that the server shows as entries', () => {
  test('are left out, and nothing is asked for them', async () => {
    const client = new ScriptedAdsClient([
      adsAnswer(ENTRIES, '1', [SYNTHETIC, dnsEntry('web')]),
      adsAnswer(WORKLOADS, '1'),
    ]);

    const { readings } = await readAll(registryOver(client, { mode: 'poll' }));

    expect(keysOf(readings[0])).toEqual(['shop/web.example.com']);
    expect(client.deeds.filter((deed) => typeof deed === 'object' && 'subscribe' in deed)).toHaveLength(2);
  });

  test('are taken with their endpoints when that is wanted, and a reading waits for those', async () => {
    const client = new ScriptedAdsClient([
      adsAnswer(ENTRIES, '1', [SYNTHETIC]),
      adsAnswer(WORKLOADS, '1'),
      adsAnswer(CLUSTER_ENDPOINTS, '1', [clusterOf(CART_CLUSTER, '10.1.0.1')]),
    ]);

    const { readings } = await readAll(registryOver(client, { mode: 'poll', synthetic: true }));

    expect(client.deeds).toContainEqual({ subscribe: CLUSTER_ENDPOINTS, names: [CART_CLUSTER] });
    expect(client.deeds).toContainEqual({ acknowledge: CLUSTER_ENDPOINTS, version: '1' });
    expect(readings[0]!.snapshots).toMatchObject([
      { key: 'shop/cart.shop.svc.cluster.local', endpoints: [{ addresses: ['10.1.0.1'], port: 8080 }] },
    ]);
  });

  test('pitfall 1: are no reading without their endpoints', async () => {
    const client = new ScriptedAdsClient([adsAnswer(ENTRIES, '1', [SYNTHETIC]), adsAnswer(WORKLOADS, '1'), 'silence']);
    const { readings, error } = await readAll(registryOver(client, { synthetic: true }));
    expect(readings).toEqual([]);
    expect(error).toMatchObject({ code: 'McpSilentError', message: expect.stringContaining(CART_CLUSTER) as string });
  });

  test('change with their endpoints', async () => {
    const client = new ScriptedAdsClient([
      adsAnswer(ENTRIES, '1', [SYNTHETIC]),
      adsAnswer(WORKLOADS, '1'),
      adsAnswer(CLUSTER_ENDPOINTS, '1', [clusterOf(CART_CLUSTER, '10.1.0.1')]),
      adsAnswer(CLUSTER_ENDPOINTS, '2', [clusterOf(CART_CLUSTER, '10.1.0.1', '10.1.0.2')]),
      adsAnswer(ENTRIES, '2', [SYNTHETIC]),
      adsAnswer(WORKLOADS, '2'),
    ]);
    const { readings } = await readAll(registryOver(client, { synthetic: true }));
    expect(readings.map(({ snapshots }) => snapshots[0]!.endpoints.length)).toEqual([1, 2]);
  });

  test('are asked for no longer when they go', async () => {
    const client = new ScriptedAdsClient([
      adsAnswer(ENTRIES, '1', [SYNTHETIC]),
      adsAnswer(WORKLOADS, '1'),
      adsAnswer(CLUSTER_ENDPOINTS, '1', [clusterOf(CART_CLUSTER)]),
      adsAnswer(ENTRIES, '2', []),
      adsAnswer(WORKLOADS, '2', []),
    ]);
    const { readings } = await readAll(registryOver(client, { synthetic: true }));
    expect(readings.map(keysOf)).toEqual([['shop/cart.shop.svc.cluster.local'], []]);
    expect(client.deeds).toContainEqual({ subscribe: CLUSTER_ENDPOINTS, names: [] });
  });

  test('decide where an entry names the same host, with a note', async () => {
    const same = serviceEntryResource({
      name: 'shop/more',
      spec: { hosts: ['cart.shop.svc.cluster.local'], ports, resolution: 'DNS' },
    });
    const client = new ScriptedAdsClient([
      adsAnswer(ENTRIES, '1', [same, SYNTHETIC]),
      adsAnswer(WORKLOADS, '1'),
      adsAnswer(CLUSTER_ENDPOINTS, '1', [clusterOf(CART_CLUSTER, '10.1.0.1')]),
    ]);

    const { readings } = await readAll(registryOver(client, { mode: 'poll', synthetic: true }));

    expect(readings[0]!.snapshots).toMatchObject([{ service: { resolution: 'ClientSideLB' } }]);
    expect(readings[0]!.notes).toEqual([
      {
        code: 'EntryOfKubernetesService',
        message:
          'ServiceEntry/shop/more says more of the Kubernetes service shop/cart.shop.svc.cluster.local: the service decides, endpoints are those of both',
      },
    ]);
  });
});

describe('Pods that entries select', () => {
  const cluster = 'outbound|80||vms.example.com';
  const lists = [adsAnswer(ENTRIES, '1', [SELECTING]), adsAnswer(WORKLOADS, '1', [vm('vm-1', '10.0.0.1')])];

  test('are not known, and that is noted', async () => {
    const client = new ScriptedAdsClient(lists);

    const { readings } = await readAll(registryOver(client, { mode: 'poll' }));

    expect(readings[0]!.snapshots[0]!.endpoints).toHaveLength(1);
    expect(readings[0]!.notes).toEqual([
      {
        code: 'SelectedPodsUnknown',
        message: '1 services select workloads by labels: WorkloadEntries are found, but Pods only with synthetic: true',
      },
    ]);
  });

  test('come with the Kubernetes services', async () => {
    const lbEndpoints = [
      { address: '10.0.0.1', workload: 'vm-1;shop;;;' },
      { address: '10.1.0.1', workload: 'vms-6f;shop;;;' },
    ].map(({ address, workload }) => ({
      endpoint: { address: { socketAddress: { address, portValue: 8080 } } },
      metadata: { filterMetadata: { istio: { fields: { workload: { stringValue: workload } } } } },
    }));
    const endpoints = anyMessage('envoy.config.endpoint.v3.ClusterLoadAssignment', {
      clusterName: cluster,
      endpoints: [{ lbEndpoints }],
    });
    const client = new ScriptedAdsClient([...lists, adsAnswer(CLUSTER_ENDPOINTS, '1', [endpoints])]);

    const { readings } = await readAll(registryOver(client, { mode: 'poll', synthetic: true }));

    expect(client.deeds).toContainEqual({ subscribe: CLUSTER_ENDPOINTS, names: [cluster] });
    expect(readings[0]).toMatchObject({
      snapshots: [{ endpoints: [{ workload: { name: 'vm-1' } }, { workload: { name: 'vms-6f' } }] }],
      notes: [],
    });
  });
});

test('what is noted of the objects and of the conversion is in the reading', async () => {
  const invalid = serviceEntryResource({
    name: 'shop/odd',
    spec: { hosts: ['*.example.com'], ports: [{ number: 80, name: 'http', protocol: 'SCTP' }], resolution: 'DNS' },
  });
  const client = new ScriptedAdsClient([adsAnswer(ENTRIES, '1', [invalid]), adsAnswer(WORKLOADS, '1')]);

  const { readings } = await readAll(registryOver(client, { mode: 'poll' }));

  expect(readings[0]!.notes.map(({ code }) => code)).toEqual(['InvalidEntry', 'WildcardUnresolvable']);
});

test('a cluster name that is not allowed is refused', () => {
  expect(
    () =>
      new McpRegistry({
        cluster: 'a/b',
        mode: 'poll',
        trustDomain: 'cluster.local',
        client: new ScriptedAdsClient(),
        address: '',
        synthetic: false,
        answerTimeoutMs: 1,
      }),
  ).toThrow('Cluster name "a/b" is not allowed');
});
