import type { FullReading } from '../../../lib/registries/registry';
import { ExternalRegistry } from '../../../lib/registries/external/external-registry';
import type { ManifestSource } from '../../../lib/registries/external/manifest-source';
import { readOnce } from '../../support/read-once';
import { MemoryManifestSource } from '../../support/memory-manifest-source';

function manifest(name: string, spec: object, kind = 'ServiceEntry', labels: object = {}): string {
  const metadata = { name, namespace: 'shop', labels };
  return `${JSON.stringify({ apiVersion: 'networking.istio.io/v1', kind, metadata, spec })}\n`;
}

const HTTP = { name: 'http', number: 80, protocol: 'HTTP' };

const service = (name: string, ...addresses: readonly string[]) =>
  manifest(name, {
    hosts: [`${name}.example.com`],
    ports: [HTTP],
    resolution: 'STATIC',
    endpoints: addresses.map((address) => ({ address })),
  });

const SELECTING = manifest('cart', {
  hosts: ['cart.example.com'],
  ports: [HTTP],
  resolution: 'STATIC',
  workloadSelector: { labels: { app: 'cart' } },
});

const vm = (name: string, address: string) => manifest(name, { address }, 'WorkloadEntry', { app: 'cart' });

function setUp() {
  const source = new MemoryManifestSource();
  const registry = new ExternalRegistry({ cluster: 'shared', trustDomain: 'cluster.local', source });
  return { source, registry, read: () => readOnce(registry) };
}

const summaryOf = ({ snapshots }: FullReading) =>
  snapshots.map(({ key, endpoints, sources }) => [key, endpoints.map(({ addresses }) => addresses[0]), sources]);

test('belongs to the External provider and its cluster', () => {
  expect(setUp().registry).toMatchObject({ provider: 'External', cluster: 'shared' });
});

test('a cluster name that makes no registry id is refused', () => {
  const options = { cluster: 'a b', trustDomain: 'cluster.local', source: new MemoryManifestSource() };
  expect(() => new ExternalRegistry(options)).toThrow('Cluster name "a b" is not allowed');
});

test('each reading is full and the only one', async () => {
  const { source, read } = setUp();
  source.put('a.yaml', service('a', '10.0.0.1'));
  expect(await read()).toMatchObject({
    type: 'full',
    snapshots: [{ key: 'shop/a.example.com', registry: 'External/shared' }],
    unreadable: [],
    notes: [],
    cost: { requests: 1 },
  });
});

test('no manifests are an empty, complete reading', async () => {
  expect(await setUp().read()).toEqual({
    type: 'full',
    snapshots: [],
    unreadable: [],
    notes: [],
    cost: { requests: 0, bytes: 0 },
  });
});

test('the trust domain is that of the registry', async () => {
  const source = new MemoryManifestSource();
  source.put(
    'a.yaml',
    manifest('a', {
      hosts: ['a.com'],
      ports: [HTTP],
      resolution: 'STATIC',
      endpoints: [{ address: '10.0.0.1', serviceAccount: 'x' }],
    }),
  );
  const registry = new ExternalRegistry({ cluster: 'shared', trustDomain: 'td.example', source });
  expect((await readOnce(registry)).snapshots[0]?.endpoints[0]?.serviceAccount).toBe(
    'spiffe://td.example/ns/shop/sa/x',
  );
});

describe('a manifest', () => {
  test('that appears, changes and goes moves its services', async () => {
    const { source, read } = setUp();
    source.put('a.yaml', service('a', '10.0.0.1'));
    await read();
    source.put('b.yaml', service('b', '10.0.0.2'));
    source.put('a.yaml', service('a', '10.0.0.3'));
    expect(summaryOf(await read())).toEqual([
      ['shop/a.example.com', ['10.0.0.3'], ['a.yaml']],
      ['shop/b.example.com', ['10.0.0.2'], ['b.yaml']],
    ]);
    source.remove('a.yaml');
    expect(summaryOf(await read())).toEqual([['shop/b.example.com', ['10.0.0.2'], ['b.yaml']]]);
  });

  test('may move to another file: the same service, another source', async () => {
    const { source, read } = setUp();
    source.put('a.yaml', service('a', '10.0.0.1'));
    const before = await read();
    source.remove('a.yaml');
    source.put('z.yaml', service('a', '10.0.0.1'));
    const after = await read();
    expect(after.snapshots[0]?.hash).toBe(before.snapshots[0]?.hash);
    expect(after.snapshots[0]?.sources).toEqual(['z.yaml']);
  });

  test('pitfall 3: with a mistake is unreadable, and all others count', async () => {
    const { source, read } = setUp();
    source.put('a.yaml', service('a', '10.0.0.1'));
    source.put('b.yaml', service('b', 'nonsense'));
    source.put('c.yaml', 'a: [');
    const reading = await read();
    expect(summaryOf(reading)).toEqual([['shop/a.example.com', ['10.0.0.1'], ['a.yaml']]]);
    expect(reading.unreadable).toEqual([
      {
        source: 'b.yaml',
        reason:
          'document 1 (line 1), ServiceEntry shop/b: spec.endpoints[0].address is "nonsense", must be an IP address or a unix:// socket with resolution STATIC',
      },
      { source: 'c.yaml', reason: expect.stringMatching(/^document 1 \(line 1\): /) as string },
    ]);
  });

  test('of WorkloadEntries with a mistake: the service that selected them comes without them and does not name it, so that its known sources have to be compared', async () => {
    const { source, read } = setUp();
    source.put('cart.yaml', SELECTING);
    source.put('vms.yaml', vm('vm-1', '10.0.0.1'));
    expect(summaryOf(await read())).toEqual([['shop/cart.example.com', ['10.0.0.1'], ['cart.yaml', 'vms.yaml']]]);
    source.put('vms.yaml', `${vm('vm-1', '10.0.0.1')}---\nbroken`);
    const reading = await read();
    expect(summaryOf(reading)).toEqual([['shop/cart.example.com', [], ['cart.yaml']]]);
    expect(reading.unreadable.map((one) => one.source)).toEqual(['vms.yaml']);
  });

  test('that was repaired counts again', async () => {
    const { source, read } = setUp();
    source.put('a.yaml', '');
    expect((await read()).unreadable.map((one) => one.source)).toEqual(['a.yaml']);
    source.put('a.yaml', service('a', '10.0.0.1'));
    expect((await read()).unreadable).toEqual([]);
  });

  test('that is no UTF-8 text is unreadable', async () => {
    const { source, read } = setUp();
    source.put('a.yaml', Uint8Array.of(0x61, 0x3a, 0x20, 0xc3));
    expect((await read()).unreadable).toEqual([{ source: 'a.yaml', reason: 'it is not UTF-8 text' }]);
  });

  test('that the source could not read is unreadable, in order with the others', async () => {
    const { source, read } = setUp();
    source.put('b.yaml', '');
    source.unreadable = [
      { source: 'x/', reason: 'EACCES' },
      { source: 'a.yaml', reason: 'EIO' },
    ];
    expect((await read()).unreadable.map((one) => one.source)).toEqual(['a.yaml', 'b.yaml', 'x/']);
  });
});

test('notes come from the source, the manifests and the conversion', async () => {
  const { source, read } = setUp();
  source.notes = [{ code: 'NotAFile', message: 'x' }];
  source.put('a.yaml', manifest('a', {}, 'Sidecar'));
  source.put('b.yaml', SELECTING);
  source.put('c.yaml', vm('vm', 'vm.example.com'));
  expect((await read()).notes.map(({ code }) => code)).toEqual(['NotAFile', 'KindSkipped', 'WorkloadAddressUnusable']);
});

test('notes of an unreadable manifest do not count', async () => {
  const { source, read } = setUp();
  source.put('a.yaml', `${manifest('a', {}, 'Sidecar')}---\nbroken`);
  expect((await read()).notes).toEqual([]);
});

describe('an unchanged reading', () => {
  test('asks for no contents and gives the same snapshots', async () => {
    const { source, read } = setUp();
    source.put('a.yaml', service('a', '10.0.0.1'));
    source.put('b.yaml', '');
    const first = await read();
    const second = await read();
    expect(second.cost).toEqual({ requests: 0, bytes: 0 });
    expect(second.snapshots).toBe(first.snapshots);
    expect(second.unreadable).toEqual(first.unreadable);
  });

  test('parses nothing anew when contents came with another version but are the same', async () => {
    let version = 0;
    const contents = new TextEncoder().encode(service('a', '10.0.0.1'));
    const source: ManifestSource = {
      read: () =>
        Promise.resolve({
          files: [{ source: 'a.yaml', version: `${(version += 1)}`, contents }],
          unreadable: [],
          notes: [],
          cost: { requests: 1, bytes: contents.byteLength },
        }),
    };
    const registry = new ExternalRegistry({ cluster: 'shared', trustDomain: 'cluster.local', source });
    const first = await readOnce(registry);
    expect((await readOnce(registry)).snapshots).toBe(first.snapshots);
  });

  test('converts anew when a manifest went, although no other changed', async () => {
    const { source, read } = setUp();
    source.put('a.yaml', service('a', '10.0.0.1'));
    source.put('b.yaml', service('b', '10.0.0.2'));
    await read();
    source.remove('b.yaml');
    expect(summaryOf(await read())).toHaveLength(1);
  });
});

test('what was there but unreadable is asked for again, so that its absence has to be confirmed like that of any other', async () => {
  const asked: ReadonlyMap<string, string>[] = [];
  const listings = [
    {
      unreadable: [
        { source: 'a.yaml', reason: 'it vanished' },
        { source: 'x/', reason: 'EACCES' },
      ],
    },
    { unreadable: [] },
    { unreadable: [] },
  ];
  const source: ManifestSource = {
    read: (known) => {
      asked.push(known);
      const { unreadable } = listings[asked.length - 1]!;
      return Promise.resolve({ files: [], unreadable, notes: [], cost: { requests: 0, bytes: 0 } });
    },
  };
  const registry = new ExternalRegistry({ cluster: 'shared', trustDomain: 'cluster.local', source });
  for (let i = 0; i < 3; i += 1) await readOnce(registry);
  expect(asked.map((known) => [...known])).toEqual([[], [['a.yaml', 'unread']], []]);
});

describe('a reading fails', () => {
  test('pitfall 1: when the source does, and what was known stays known', async () => {
    const { source, read } = setUp();
    source.put('a.yaml', service('a', '10.0.0.1'));
    const first = await read();
    source.failure = new Error('bucket gone');
    await expect(read()).rejects.toThrow('bucket gone');
    source.failure = undefined;
    const next = await read();
    expect(next.snapshots).toBe(first.snapshots);
    expect(next.cost.requests).toBe(0);
  });

  test('when it is aborted, with the reason', async () => {
    const { registry } = setUp();
    await expect(readOnce(registry, AbortSignal.abort(new Error('time is up')))).rejects.toThrow('time is up');
  });

  test('when the source leaves out contents that are not known', async () => {
    const source: ManifestSource = {
      read: () =>
        Promise.resolve({
          files: [{ source: 'a.yaml', version: '1' }],
          unreadable: [],
          notes: [],
          cost: { requests: 0, bytes: 0 },
        }),
    };
    const registry = new ExternalRegistry({ cluster: 'shared', trustDomain: 'cluster.local', source });
    await expect(readOnce(registry)).rejects.toMatchObject({
      code: 'ManifestContentsMissing',
      message: 'Manifest a.yaml came without contents, but its version 1 is not known',
    });
  });
});
