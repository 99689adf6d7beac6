import * as fc from 'fast-check';
import { mergeService } from '../../lib/aggregation/merge-service';
import { canonicalJson } from '../../lib/model/canonical-json';
import { compareCatalogEndpoints, type CatalogEndpoint, type Endpoint } from '../../lib/model/endpoint';
import { compareConflicts, type ConflictValue } from '../../lib/model/conflict';
import { comparePorts, portKey } from '../../lib/model/port';
import { sameValue } from '../../lib/model/same-value';
import type { Service } from '../../lib/model/service';
import type { StoredSnapshot } from '../../lib/model/service-snapshot';
import { arbitraryRegistryId, arbitrarySnapshotOf, arbitraryStored } from '../support/arbitraries';
import { deepFreeze } from '../../lib/storage/deep-freeze';

/** What up to five registries say of one service. */
const snapshotsOfOneService: fc.Arbitrary<readonly StoredSnapshot[]> = fc
  .uniqueArray(
    arbitraryStored(
      arbitrarySnapshotOf({
        registry: arbitraryRegistryId,
        namespace: fc.constant('shop'),
        hostname: fc.constant('cart.shop.svc.cluster.local'),
      }),
    ),
    { selector: ({ registry }) => registry, minLength: 1, maxLength: 5 },
  )
  .map(deepFreeze);

function merge(snapshots: readonly StoredSnapshot[]) {
  const result = mergeService(snapshots);
  if (result === undefined) throw new Error('nothing merged');
  return result;
}

function ordered(snapshots: readonly StoredSnapshot[]): readonly StoredSnapshot[] {
  const { registries } = merge(snapshots).service;
  return registries.flatMap(({ registry }) => snapshots.filter((snapshot) => snapshot.registry === registry));
}

/** The (transport, number) that the endpoint leads to, by its own snapshot. */
function portOf({ service }: StoredSnapshot, { servicePort }: Endpoint) {
  return service.ports.find(({ name }) => name === servicePort);
}

describe('merging', () => {
  test('pitfall 11: the order of arrival has no influence', () => {
    fc.assert(
      fc.property(
        snapshotsOfOneService.chain((snapshots) =>
          fc.tuple(fc.constant(snapshots), fc.shuffledSubarray([...snapshots], { minLength: snapshots.length })),
        ),
        ([snapshots, shuffled]) => {
          expect(merge(shuffled)).toEqual(merge(snapshots));
        },
      ),
    );
  });

  test('pitfall 16: the inputs stay as they are, and merging them again gives the same bytes', () => {
    fc.assert(
      fc.property(snapshotsOfOneService, (snapshots) => {
        const before = canonicalJson(snapshots);
        expect(canonicalJson(merge(snapshots))).toBe(canonicalJson(merge(structuredClone(snapshots))));
        expect(canonicalJson(snapshots)).toBe(before);
      }),
    );
  });

  test('nothing is invented: every endpoint, port, account and address was in a snapshot', () => {
    fc.assert(
      fc.property(snapshotsOfOneService, (snapshots) => {
        const { service } = merge(snapshots);
        const original = ({ registry, ...endpoint }: CatalogEndpoint) =>
          snapshots
            .filter((snapshot) => snapshot.registry === registry)
            .some(({ endpoints }) =>
              endpoints.some((own) => sameValue({ ...own, servicePort: endpoint.servicePort }, endpoint)),
            );
        expect(service.endpoints.every(original)).toBe(true);
        const ports = new Set(snapshots.flatMap((snapshot) => snapshot.service.ports.map(portKey)));
        expect(new Set(service.ports.map(portKey))).toEqual(ports);
        expect(service.serviceAccounts).toEqual(
          [...new Set(snapshots.flatMap((each) => [...each.service.serviceAccounts, ...each.endpointAccounts]))].sort(),
        );
        const vips = snapshots.flatMap((snapshot) => Object.values(snapshot.service.clusterVips));
        expect(Object.values(service.clusterVips).every((list) => vips.some((vip) => vip.join() === list.join()))).toBe(
          true,
        );
      }),
    );
  });

  test('nothing is lost: an endpoint that is not in the entry is a double, in a conflict, or in a note', () => {
    fc.assert(
      fc.property(snapshotsOfOneService, (snapshots) => {
        const { service, notes } = merge(snapshots);
        const nameOf = new Map(service.ports.map((port) => [portKey(port), port.name]));
        const unfit = new Set(
          service.conflicts
            .filter(({ type, field }) => type === 'EndpointResolutionConflict' && field === 'endpoints')
            .flatMap(({ losers }) => losers.map(({ registry }) => registry)),
        );
        for (const snapshot of snapshots) {
          for (const endpoint of snapshot.endpoints) {
            const port = portOf(snapshot, endpoint);
            const there = service.endpoints.some(
              (each) =>
                port !== undefined &&
                each.servicePort === nameOf.get(portKey(port)) &&
                each.network === endpoint.network &&
                each.port === endpoint.port &&
                each.addresses[0] === endpoint.addresses[0],
            );
            const noted = notes.some(
              ({ code, message }) => code === 'EndpointPortUnknown' && message.includes(snapshot.registry),
            );
            expect(there || (port === undefined ? noted : unfit.has(snapshot.registry))).toBe(true);
          }
        }
      }),
    );
  });

  test('pitfall 14: the first in precedence wins and every other opinion is a loser of a conflict', () => {
    fc.assert(
      fc.property(snapshotsOfOneService, (snapshots) => {
        const [first, ...others] = ordered(snapshots);
        const { service } = merge(snapshots);
        if (first === undefined) throw new Error('nothing merged');
        const { resolution, meshExternal, exportTo, labels, address, addresses, attributes, name } = first.service;
        expect(service).toMatchObject({ resolution, meshExternal, name });
        expect([service.exportTo, service.labels, service.attributes]).toEqual([exportTo, labels, attributes]);
        expect([service.address, service.addresses]).toEqual([address, addresses]);
        const differing = (type: string, field: string, valueOf: (service: Service) => ConflictValue) => {
          const losers = others
            .map(({ registry, service: other }) => ({ registry, value: valueOf(other) }))
            .filter(({ value }) => !sameValue(value, valueOf(first.service)));
          const winner = { registry: first.registry, value: valueOf(first.service) };
          return losers.length === 0 ? [] : [{ type, field, winner, losers }];
        };
        expect(service.conflicts).toEqual(
          expect.arrayContaining([
            ...differing('ResolutionConflict', 'resolution', (each) => each.resolution),
            ...differing('LocationConflict', 'meshExternal', (each) => String(each.meshExternal)),
            ...differing('ExportToConflict', 'exportTo', (each) => each.exportTo),
          ]),
        );
      }),
    );
  });

  test('every port has a name of its own, and endpoints name ports that exist', () => {
    fc.assert(
      fc.property(snapshotsOfOneService, (snapshots) => {
        const { ports, endpoints } = merge(snapshots).service;
        const names = new Set(ports.map(({ name }) => name));
        expect(names.size).toBe(ports.length);
        expect(endpoints.every(({ servicePort }) => names.has(servicePort))).toBe(true);
      }),
    );
  });

  test('pitfall 13: an endpoint keeps the (transport, number) that its own registry gave it', () => {
    fc.assert(
      fc.property(snapshotsOfOneService, (snapshots) => {
        const { ports, endpoints } = merge(snapshots).service;
        const keyOf = new Map(ports.map((port) => [port.name, portKey(port)]));
        for (const endpoint of endpoints) {
          const own = snapshots
            .filter(({ registry }) => registry === endpoint.registry)
            .flatMap((snapshot) =>
              snapshot.endpoints
                .filter(({ addresses, port }) => addresses[0] === endpoint.addresses[0] && port === endpoint.port)
                .flatMap((each) => portOf(snapshot, each) ?? []),
            );
          expect(own.map(portKey)).toContain(keyOf.get(endpoint.servicePort));
        }
      }),
    );
  });

  test('the result is canonical: ports, endpoints and conflicts in their order', () => {
    fc.assert(
      fc.property(snapshotsOfOneService, (snapshots) => {
        const { ports, endpoints, conflicts } = merge(snapshots).service;
        expect(ports).toEqual([...ports].sort(comparePorts));
        expect(endpoints).toEqual([...endpoints].sort(compareCatalogEndpoints));
        expect(conflicts).toEqual([...conflicts].sort(compareConflicts));
      }),
    );
  });

  test('equal hashes mean equal content, but for the times of observation', () => {
    const withoutTimes = (snapshots: readonly StoredSnapshot[]) => {
      const { service, notes } = merge(snapshots);
      return { ...service, notes, registries: service.registries.map((each) => ({ ...each, observedAt: '' })) };
    };
    fc.assert(
      fc.property(snapshotsOfOneService, snapshotsOfOneService, fc.string(), (a, b, observedAt) => {
        const again = a.map((snapshot) => ({ ...snapshot, observedAt }));
        expect(withoutTimes(again)).toEqual(withoutTimes(a));
        const same = canonicalJson(withoutTimes(a)) === canonicalJson(withoutTimes(b));
        expect(merge(a).service.hash === merge(b).service.hash).toBe(same);
      }),
    );
  });
});
