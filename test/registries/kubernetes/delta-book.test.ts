import { ClusterState } from '../../../lib/registries/kubernetes/cluster-state';
import { DeltaBook } from '../../../lib/registries/kubernetes/delta-book';
import type { Resource } from '../../../lib/registries/kubernetes/kube-objects';
import { kept, serviceManifest, sliceManifest, type Manifest } from '../../support/kube-manifests';

const CART = 'shop/cart.shop.svc.cluster.local';
const pace = { quietMs: 100, maxMs: 1_000 };

/** A state and its book, which time is given to by hand. */
class Bench {
  readonly state = new ClusterState({
    cluster: 'prod',
    domainSuffix: 'cluster.local',
    trustDomain: 'cluster.local',
    network: '',
    systemNamespace: 'istio-system',
    publishUnhealthy: true,
    workloads: true,
    serviceEntries: false,
  });
  readonly book = new DeltaBook(this.state, pace);

  put(nowMs: number, resource: Resource, manifest: Manifest): void {
    this.book.touch(this.state.put(kept(resource, manifest)), nowMs);
  }

  remove(nowMs: number, resource: Resource, name: string): void {
    this.book.touch(this.state.remove(resource, { namespace: 'shop', name }), nowMs);
  }

  /** Keys that are told at that time. */
  told(nowMs: number): readonly string[] {
    const { upserts, removals } = this.book.take(nowMs);
    return [...upserts.map(({ key }) => `+${key}`), ...removals.map((key) => `-${key}`)];
  }
}

const listing = (...addresses: readonly string[]) =>
  sliceManifest(addresses.map((address) => ({ addresses: [address] })));

function opened(): Bench {
  const bench = new Bench();
  bench.put(0, 'services', serviceManifest());
  bench.put(0, 'endpointslices', listing('10.1.0.1', '10.1.0.2'));
  bench.book.all();
  return bench;
}

test('before everything was told for the first time nothing is pending', () => {
  const bench = new Bench();
  bench.put(0, 'services', serviceManifest());
  expect(bench.book.nextDue()).toBeUndefined();
  expect(bench.book.all()).toMatchObject({ snapshots: [{ key: CART }], notes: [] });
  expect(bench.told(10_000)).toEqual([]);
});

test('everything is by key, whatever the order of arrival', () => {
  const bench = new Bench();
  for (const name of ['b', 'a', 'c']) bench.put(0, 'services', serviceManifest({ metadata: { name } }));
  expect(bench.book.all().snapshots.map(({ service }) => service.name)).toEqual(['a', 'b', 'c']);
});

describe('good news is told at once', () => {
  test.each([
    {
      rule: 'another endpoint',
      resource: 'endpointslices' as const,
      manifest: listing('10.1.0.1', '10.1.0.2', '10.1.0.3'),
    },
    {
      rule: 'other labels',
      resource: 'services' as const,
      manifest: serviceManifest({ metadata: { labels: { a: 'b' } } }),
    },
    {
      rule: 'another port',
      resource: 'services' as const,
      manifest: serviceManifest({
        spec: {
          ports: [
            { name: 'http', port: 80 },
            { name: 'grpc', port: 90 },
          ],
        },
      }),
    },
  ])('$rule', ({ resource, manifest }) => {
    const bench = opened();
    bench.put(5_000, resource, manifest);
    expect(bench.book.nextDue()).toBe(5_000);
    expect(bench.told(5_000)).toEqual([`+${CART}`]);
  });

  test('a new service', () => {
    const bench = opened();
    bench.put(5_000, 'services', serviceManifest({ metadata: { name: 'new' } }));
    expect(bench.told(5_000)).toEqual(['+shop/new.shop.svc.cluster.local']);
  });
});

describe('bad news is told after a breath', () => {
  const unready = sliceManifest([
    { addresses: ['10.1.0.1'], conditions: { ready: false, serving: false, terminating: false } },
    { addresses: ['10.1.0.2'] },
  ]);

  test.each([
    { rule: 'an endpoint less', resource: 'endpointslices' as const, manifest: listing('10.1.0.1') },
    {
      rule: 'one endpoint for another',
      resource: 'endpointslices' as const,
      manifest: listing('10.1.0.1', '10.1.0.3'),
    },
    { rule: 'an endpoint that is no longer healthy', resource: 'endpointslices' as const, manifest: unready },
    {
      rule: 'a port with another name, until its slice follows',
      resource: 'services' as const,
      manifest: serviceManifest({ spec: { ports: [{ name: 'web', port: 80 }] } }),
    },
  ])('$rule', ({ resource, manifest }) => {
    const bench = opened();
    bench.put(5_000, resource, manifest);
    expect(bench.book.nextDue()).toBe(5_100);
    expect(bench.told(5_099)).toEqual([]);
    expect(bench.told(5_100)).toEqual([`+${CART}`]);
  });

  test('a service less', () => {
    const bench = opened();
    bench.remove(5_000, 'services', 'cart');
    expect(bench.told(5_099)).toEqual([]);
    expect(bench.told(5_100)).toEqual([`-${CART}`]);
  });

  test('a port with another name whose slice follows is one change', () => {
    const bench = opened();
    bench.put(5_000, 'services', serviceManifest({ spec: { ports: [{ name: 'web', port: 80 }] } }));
    bench.put(
      5_020,
      'endpointslices',
      sliceManifest([{ addresses: ['10.1.0.1'] }, { addresses: ['10.1.0.2'] }], {
        ports: [{ name: 'web', port: 8080 }],
      }),
    );
    expect(bench.told(5_119)).toEqual([]);
    expect(bench.told(5_120)).toEqual([`+${CART}`]);
  });
});

test('pitfall 25: what came back in the meantime is not told', () => {
  const bench = opened();
  bench.remove(5_000, 'services', 'cart');
  bench.put(5_050, 'services', serviceManifest());
  expect(bench.told(5_150)).toEqual([]);
});

test('a touch that makes no difference is not told, and leaves the service quiet', () => {
  const bench = opened();
  bench.book.touch(new Set(['shop/cart', 'shop/unknown'] as const), 5_000);
  expect(bench.book.nextDue()).toBeUndefined();
});

test('pitfall 24: many changes of one service are told once a window', () => {
  const bench = opened();
  for (let n = 0; n < 20; n += 1) bench.put(5_000 + n, 'endpointslices', listing(`10.2.0.${n}`));
  expect(bench.told(5_118)).toEqual([]);
  expect(bench.told(5_119)).toEqual([`+${CART}`]);
});

test('what was told in full is not told again', () => {
  const bench = opened();
  bench.put(5_000, 'endpointslices', listing());
  bench.book.all();
  expect(bench.told(9_000)).toEqual([]);
});

describe('notes', () => {
  const withheld = sliceManifest([
    { addresses: ['10.1.0.1'] },
    { addresses: ['10.1.0.2'] },
    { addresses: ['10.1.0.9'], pod: 'unseen' },
  ]);

  test('come with what was built, also when nothing else changed, and once', () => {
    const bench = opened();
    bench.put(5_000, 'endpointslices', withheld);
    expect(bench.told(5_000)).toEqual([]);
    expect(bench.book.takeNotes()).toEqual([expect.objectContaining({ code: 'EndpointsWithheld' })]);
    expect(bench.book.takeNotes()).toEqual([]);
  });

  test('are part of everything', () => {
    const bench = opened();
    bench.put(5_000, 'endpointslices', withheld);
    expect(bench.book.all().notes).toHaveLength(1);
    expect(bench.book.takeNotes()).toEqual([]);
  });
});
