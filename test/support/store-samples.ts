import { createHash } from 'node:crypto';
import type { ChangeRecord } from '../../lib/changes/change-store';
import { EVENT_SCHEMA } from '../../lib/changes/pilotless-event';
import type { CatalogEntry, CatalogTombstone } from '../../lib/model/catalog-entry';
import { makeEndpoint, type CatalogEndpoint, type Endpoint } from '../../lib/model/endpoint';
import { makePort } from '../../lib/model/port';
import type { RegistryId } from '../../lib/model/registry-id';
import { makeService, serviceKeyOf, type Service } from '../../lib/model/service';
import { parseServiceKey, type ServiceKey } from '../../lib/model/service-key';
import {
  accountsOf,
  makeServiceSnapshot,
  type SnapshotTombstone,
  type StoredSnapshot,
} from '../../lib/model/service-snapshot';

/** Readable values for the tests of the stores: one service, varied where a test says so. */

export const CART: ServiceKey = 'shop/cart.example.com';

const OBSERVED_AT = '2026-11-30T11:59:58.000Z';

export function sampleEndpoints(count: number): readonly Endpoint[] {
  return Array.from({ length: count }, (_, n) =>
    makeEndpoint({
      addresses: [`10.0.${Math.floor(n / 250)}.${n % 250}`],
      port: 8080,
      servicePort: 'http',
      workload: { name: `cart-${String(n).padStart(5, '0')}`, namespace: 'shop' },
      labels: { app: 'cart', version: 'v1' },
      locality: 'eu-west-1/eu-west-1a/',
      serviceAccount: 'spiffe://cluster.local/ns/shop/sa/cart',
    }),
  );
}

/** Text that gzip cannot shrink by much, the same for the same seed. */
export function noise(seed: string, length: number): string {
  let text = '';
  for (let round = 0; text.length < length; round += 1) {
    text += createHash('sha512').update(`${seed} ${round}`).digest('base64');
  }
  return text.slice(0, length);
}

function sampleService(key: ServiceKey, labels: Service['labels']): Service {
  const { namespace, hostname } = parseServiceKey(key);
  return makeService({
    namespace,
    hostname,
    ports: [makePort({ name: 'http', number: 80, protocol: 'HTTP' })],
    resolution: 'ClientSideLB',
    labels,
  });
}

export function sampleSnapshot(varied: {
  readonly registry?: RegistryId;
  readonly key?: ServiceKey;
  readonly generation?: number;
  readonly precedence?: number;
  readonly endpoints?: readonly Endpoint[];
  readonly labels?: Service['labels'];
  readonly sources?: readonly string[];
}): StoredSnapshot {
  const snapshot = makeServiceSnapshot({
    registry: varied.registry ?? 'Consul/dc1',
    service: sampleService(varied.key ?? CART, varied.labels ?? {}),
    endpoints: varied.endpoints ?? sampleEndpoints(2),
    sources: varied.sources ?? ['services/cart'],
  });
  return {
    ...snapshot,
    endpointAccounts: accountsOf(snapshot.endpoints),
    precedence: varied.precedence ?? 1,
    generation: varied.generation ?? 1,
    pollId: 'poll-1',
    observedAt: OBSERVED_AT,
  };
}

export function sampleSnapshotTombstone(
  removedAt: string,
  varied: { readonly registry?: RegistryId; readonly key?: ServiceKey; readonly generation?: number } = {},
): SnapshotTombstone {
  return {
    key: varied.key ?? CART,
    registry: varied.registry ?? 'Consul/dc1',
    generation: varied.generation ?? 1,
    pollId: 'poll-2',
    removedAt,
  };
}

export function sampleEntry(varied: {
  readonly key?: ServiceKey;
  readonly version?: number;
  readonly endpoints?: readonly Endpoint[];
  readonly labels?: Service['labels'];
}): CatalogEntry {
  const { creationTime, ...service } = sampleService(varied.key ?? CART, varied.labels ?? {});
  if (creationTime !== undefined) throw new Error('the sample has no creation time');
  const registry = 'Consul/dc1';
  const endpoints = (varied.endpoints ?? sampleEndpoints(2)).map((endpoint): CatalogEndpoint => ({
    ...endpoint,
    registry,
  }));
  return {
    key: serviceKeyOf(service),
    ...service,
    endpoints,
    registries: [{ registry, hash: 'c0ffee', endpoints: endpoints.length, observedAt: OBSERVED_AT }],
    conflicts: [],
    hash: 'decaf',
    version: varied.version ?? 1,
    cause: { registry, pollId: 'poll-1', observedAt: OBSERVED_AT },
    updatedAt: '2026-11-30T11:59:59.000Z',
  };
}

export function sampleTombstone(
  updatedAt: string,
  varied: { readonly key?: ServiceKey; readonly version?: number } = {},
): CatalogTombstone {
  return {
    key: varied.key ?? CART,
    deleted: true,
    version: varied.version ?? 1,
    cause: { registry: 'Consul/dc1', pollId: 'poll-2', observedAt: OBSERVED_AT },
    updatedAt,
  };
}

/** An addition of the entry, published at that time. */
export function sampleChange(publishedAt: string, entry: CatalogEntry = sampleEntry({})): ChangeRecord {
  const { key, hostname, namespace, version, cause } = entry;
  const { conflicts, name, address, addresses, autoAddresses, ports, resolution, meshExternal } = entry;
  const { serviceAccounts, exportTo, labels, clusterVips, externalAddresses, attributes } = entry;
  const none = { added: [], removed: [], changed: [], truncated: true };
  return {
    key,
    version,
    publishedAt,
    event: {
      type: 'Service Added',
      detail: {
        metadata: {
          schema: EVENT_SCHEMA,
          id: `${key}@${version}`,
          at: publishedAt,
          correlationId: cause.pollId,
          cause: { registry: cause.registry, observedAt: cause.observedAt },
        },
        service: { key, hostname, namespace, version },
        change: {
          type: 'Service Added',
          fields: [],
          push: 'full',
          endpoints: {
            before: 0,
            after: entry.endpoints.length,
            ...none,
            counts: { added: 2, removed: 0, changed: 0 },
          },
        },
        state: {
          ...{ hostname, namespace, name, address, addresses, autoAddresses, ports, resolution, meshExternal },
          ...{ serviceAccounts, exportTo, labels, clusterVips, externalAddresses, attributes, conflicts },
        },
        stateTruncated: false,
      },
    },
    after: entry,
    endpointsOmitted: false,
  };
}
