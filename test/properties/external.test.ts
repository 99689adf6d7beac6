import * as fc from 'fast-check';
import { convertServiceEntries } from '../../lib/registries/external/convert-service-entries';
import { decodeServiceEntry } from '../../lib/registries/external/decode-entry';
import type { ServiceEntry, WorkloadEntry } from '../../lib/registries/external/entries';
import { ExternalRegistry } from '../../lib/registries/external/external-registry';
import { parseManifest } from '../../lib/registries/external/parse-manifest';
import { workloadOfEntry } from '../../lib/registries/external/selectable-workload';
import { indexWorkloads } from '../../lib/registries/external/workload-index';
import { portKey } from '../../lib/model/port';
import type { FullReading } from '../../lib/registries/registry';
import { canonicalAddress } from '../../lib/model/ip-address';
import { serviceEntry, workloadEntry } from '../support/external-entries';
import { readOnce } from '../support/read-once';
import { MemoryManifestSource } from '../support/memory-manifest-source';

/** Small pools, so that hosts, ports and labels meet each other often. */
const namespace = fc.constantFrom('shop', 'default');
const labels = fc.dictionary(fc.constantFrom('app', 'version'), fc.constantFrom('a', 'b'), { noNullPrototype: true });
const host = fc.constantFrom('a.example.com', 'B.example.com', 'b.example.com.');
const port = fc.record({
  name: fc.constantFrom('http', 'web'),
  number: fc.constantFrom(80, 81),
  protocol: fc.constantFrom('HTTP', 'GRPC', 'UDP'),
  targetPort: fc.constantFrom(0, 8080),
});
const address = fc.constantFrom('10.0.0.1', '10.0.0.2', '2001:DB8::1', 'vm.example.com', 'unix:///run/a.sock', '');
const workloadSpec = fc.record({
  address,
  network: fc.constant('vpc'),
  ports: fc.dictionary(fc.constantFrom('http', 'web'), fc.constantFrom(1000, 2000), { noNullPrototype: true }),
  labels,
  weight: fc.constantFrom(0, 1),
  serviceAccount: fc.constantFrom('', 'sa'),
});
const metadata = fc.record({
  name: fc.constantFrom('x', 'y', 'z'),
  namespace,
  labels,
  creationTimestamp: fc.constantFrom(undefined, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
});
const source = fc.constantFrom('a.yaml', 'b.yaml', 'c.yaml');
const serviceSpec = fc.record(
  {
    hosts: fc.array(host, { minLength: 1, maxLength: 2 }),
    addresses: fc.subarray(['10.9.0.1', '10.9.0.2']),
    ports: fc.array(port, { maxLength: 2 }),
    location: fc.constantFrom('MESH_EXTERNAL', 'MESH_INTERNAL'),
    resolution: fc.constantFrom('NONE', 'STATIC', 'DNS', 'DNS_ROUND_ROBIN', 'DYNAMIC_DNS'),
    endpoints: fc.array(workloadSpec, { maxLength: 2 }),
    workloadSelector: fc.record({ labels }),
    exportTo: fc.subarray(['.', 'other']),
  },
  { requiredKeys: ['hosts', 'ports', 'resolution'] },
);

const serviceEntries: fc.Arbitrary<readonly ServiceEntry[]> = fc.array(
  fc
    .tuple(metadata, serviceSpec, source)
    .map(([meta, spec, from]) => serviceEntry(meta.name, spec, { metadata: meta, source: from })),
  { maxLength: 5 },
);
const workloadEntries: fc.Arbitrary<readonly WorkloadEntry[]> = fc.array(
  fc
    .tuple(metadata, workloadSpec, source)
    .map(([meta, spec, from]) => workloadEntry(meta.name, spec, { metadata: meta, source: from })),
  { maxLength: 5 },
);

function convert(services: readonly ServiceEntry[], workloads: readonly WorkloadEntry[]) {
  return convertServiceEntries(services, {
    registry: 'External/shared',
    trustDomain: 'cluster.local',
    workloads: indexWorkloads(workloads.flatMap((entry) => workloadOfEntry(entry, 'cluster.local') ?? [])),
  });
}

function shuffled<T>(items: readonly T[], order: readonly number[]): readonly T[] {
  return items
    .map((item, index) => ({ item, rank: order[index] ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

const order = fc.array(fc.nat({ max: 1000 }), { minLength: 5, maxLength: 5 });

describe('conversion of entries, valid or not', () => {
  test('pitfall 11: does not depend on the order of the entries', () => {
    fc.assert(
      fc.property(serviceEntries, workloadEntries, order, (services, workloads, ranks) => {
        const expected = convert(services, workloads);
        expect(convert(shuffled(services, ranks), shuffled(workloads, ranks))).toEqual(expected);
      }),
    );
  });

  test('pitfall 16: changes nothing that it is given, and gives the same again', () => {
    // The builders freeze the entries: a change would throw.
    fc.assert(
      fc.property(serviceEntries, workloadEntries, (services, workloads) => {
        expect(convert(services, workloads)).toEqual(convert(services, workloads));
      }),
    );
  });

  test('invents nothing: addresses, ports, names and sources are those of the entries', () => {
    fc.assert(
      fc.property(serviceEntries, workloadEntries, (services, workloads) => {
        const all = [...services, ...workloads];
        const hosts = new Set(services.flatMap(({ spec }) => spec.hosts).map(canonicalAddress));
        const given = [...services.flatMap(({ spec }) => spec.endpoints), ...workloads.map(({ spec }) => spec)];
        const addresses = new Set([
          ...hosts,
          ...given.map((spec) => canonicalAddress(spec.address.replace('unix://', ''))),
        ]);
        const names = new Set(all.map(({ namespace: space, name }) => `${space}/${name}`));
        const sources = new Set(all.map((entry) => entry.source));
        for (const { service, endpoints, sources: named } of convert(services, workloads).snapshots) {
          expect(hosts).toContain(service.hostname);
          for (const { addresses: own, workload } of endpoints) {
            expect(addresses).toContain(own[0]);
            expect(names).toContain(`${workload.namespace}/${workload.name}`);
          }
          for (const one of named) expect(sources).toContain(one);
        }
      }),
    );
  });

  test('loses nothing: every host is a service, with every port of every entry that names it', () => {
    fc.assert(
      fc.property(serviceEntries, workloadEntries, (services, workloads) => {
        const converted = new Map(
          convert(services, workloads).snapshots.map((snapshot) => [snapshot.key as string, snapshot]),
        );
        for (const entry of services) {
          for (const name of entry.spec.hosts) {
            const snapshot = converted.get(`${entry.namespace}/${canonicalAddress(name)}`);
            expect(snapshot?.sources).toContain(entry.source);
            const numbers = snapshot?.service.ports.map(({ number }) => number);
            for (const one of entry.spec.ports) expect(numbers).toContain(one.number);
          }
        }
      }),
    );
  });

  test('gives every port a name and number of its own, and every endpoint a port of its service', () => {
    fc.assert(
      fc.property(serviceEntries, workloadEntries, (services, workloads) => {
        for (const { service, endpoints } of convert(services, workloads).snapshots) {
          const names = service.ports.map(({ name }) => name);
          expect(new Set(names).size).toBe(names.length);
          expect(new Set(service.ports.map(portKey)).size).toBe(names.length);
          for (const { servicePort } of endpoints) expect(names).toContain(servicePort);
        }
      }),
    );
  });

  test('of a service depends only on the entries that name it and the workloads', () => {
    fc.assert(
      fc.property(serviceEntries, workloadEntries, (services, workloads) => {
        for (const snapshot of convert(services, workloads).snapshots) {
          const own = services.filter(
            ({ namespace: space, spec }) =>
              space === snapshot.service.namespace &&
              spec.hosts.map(canonicalAddress).includes(snapshot.service.hostname),
          );
          const alone = convert(own, workloads).snapshots.find(({ key }) => key === snapshot.key);
          expect(alone).toEqual(snapshot);
        }
      }),
    );
  });
});

describe('manifests', () => {
  const document = fc.oneof(
    fc.tuple(metadata, serviceSpec).map(([meta, spec]) => ({ kind: 'ServiceEntry', metadata: meta, spec })),
    fc.tuple(metadata, workloadSpec).map(([meta, spec]) => ({ kind: 'WorkloadEntry', metadata: meta, spec })),
  );
  const files = fc.dictionary(
    fc.constantFrom('a.yaml', 'b.yaml', 'c.yaml'),
    fc.array(
      document.map((object) => JSON.stringify({ apiVersion: 'networking.istio.io/v1', ...object })),
      { minLength: 1, maxLength: 2 },
    ),
    { noNullPrototype: true },
  );

  async function read(contents: readonly (readonly [string, readonly string[]])[]): Promise<FullReading> {
    const manifests = new MemoryManifestSource();
    for (const [name, documents] of contents) manifests.put(name, documents.join('\n---\n'));
    const registry = new ExternalRegistry({ cluster: 'shared', trustDomain: 'cluster.local', source: manifests });
    return readOnce(registry);
  }

  test('pitfall 11: give the same services whatever the order of files and documents', async () => {
    await fc.assert(
      fc.asyncProperty(files, order, async (given, ranks) => {
        const contents = Object.entries(given);
        const expected = await read(contents);
        const other = await read(
          shuffled(
            contents.map(([name, documents]) => [name, shuffled(documents, ranks)] as const),
            ranks,
          ),
        );
        expect(other.snapshots).toEqual(expected.snapshots);
        expect(other.unreadable.map((one) => one.source)).toEqual(expected.unreadable.map((one) => one.source));
      }),
      { numRuns: 20 },
    );
  });

  test('read again give the same as read for the first time', async () => {
    await fc.assert(
      fc.asyncProperty(files, files, async (before, after) => {
        const manifests = new MemoryManifestSource();
        const registry = new ExternalRegistry({ cluster: 'shared', trustDomain: 'cluster.local', source: manifests });
        for (const [name, documents] of Object.entries(before)) manifests.put(name, documents.join('\n---\n'));
        await readOnce(registry);
        for (const name of Object.keys(before)) manifests.remove(name);
        for (const [name, documents] of Object.entries(after)) manifests.put(name, documents.join('\n---\n'));
        expect({ ...(await readOnce(registry)), cost: undefined }).toEqual({
          ...(await read(Object.entries(after))),
          cost: undefined,
        });
      }),
      { numRuns: 20 },
    );
  });

  test('of any text are parsed to entries, notes and problems, without an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string({ unit: fc.constantFrom('a', ':', ' ', '\n', '-', '{', '[', '"', '*', '&', '!', '%') }),
        ),
        (text) => {
          const { problems } = parseManifest('a.yaml', text);
          for (const problem of problems) expect(problem).not.toBe('');
        },
      ),
    );
  });

  test('of any JSON are decoded to an entry or to problems', () => {
    fc.assert(
      fc.property(
        fc.record({ metadata: fc.jsonValue(), spec: fc.jsonValue(), status: fc.jsonValue() }, { requiredKeys: [] }),
        (object) => {
          const decoded = decodeServiceEntry(object, 'a.yaml');
          expect('value' in decoded || decoded.problems.length > 0).toBe(true);
        },
      ),
    );
  });
});
