import type { Endpoint } from '../../lib/model/endpoint';
import type { Note } from '../../lib/model/note';
import type { Unreadable } from '../../lib/model/registry-row';
import type { RegistryId } from '../../lib/model/registry-id';
import { makeService, type Service } from '../../lib/model/service';
import type { ServiceKey } from '../../lib/model/service-key';
import { accountsOf, makeServiceSnapshot, type ServiceSnapshot } from '../../lib/model/service-snapshot';
import type { DeltaReading, FullReading } from '../../lib/registries/registry';
import { SNAPSHOT_SCHEMA, type KnownSnapshot } from '../../lib/snapshots/snapshot-store';
import { endpoint, HTTP } from './stored-snapshots';

/** The registry that tests of polling read. */
export const REGISTRY: RegistryId = 'Mock/demo';

const COST = { requests: 1, bytes: 100 };

/** The key of the service that {@link seen} builds under that name. */
export function keyOf(name: string): ServiceKey {
  return `shop/${name}.shop`;
}

/** So many endpoints, numbered from `from`. */
export function endpoints(count: number, from = 0): readonly Endpoint[] {
  return Array.from({ length: count }, (_, n) => endpoint(`10.0.${Math.floor((from + n) / 256)}.${(from + n) % 256}`));
}

export type SeenInput = {
  readonly registry?: RegistryId;
  readonly service?: Partial<Service>;
  readonly sources?: readonly string[];
};

/** A service as the registry tells it: a number of endpoints stands for the first so many; its source is `file/<name>`. */
export function seen(name: string, told: number | readonly Endpoint[] = 1, more: SeenInput = {}): ServiceSnapshot {
  return makeServiceSnapshot({
    registry: more.registry ?? REGISTRY,
    service: makeService({
      namespace: 'shop',
      hostname: `${name}.shop`,
      ports: [HTTP],
      resolution: 'ClientSideLB',
      ...more.service,
    }),
    endpoints: typeof told === 'number' ? endpoints(told) : told,
    sources: more.sources ?? [`file/${name}`],
  });
}

/** So many services `<prefix>-<number>`, each with so many endpoints. */
export function fleet(services: number, endpointsEach = 1, prefix = 's'): readonly ServiceSnapshot[] {
  return Array.from({ length: services }, (_, n) => seen(`${prefix}-${String(n).padStart(3, '0')}`, endpointsEach));
}

/** The snapshot as the table knows it. */
export function knownOf(snapshot: ServiceSnapshot, more: Partial<KnownSnapshot> = {}): KnownSnapshot {
  return {
    key: snapshot.key,
    hash: snapshot.hash,
    precedence: 0,
    schema: SNAPSHOT_SCHEMA,
    sources: snapshot.sources,
    endpointCount: snapshot.endpoints.length,
    endpointAccounts: accountsOf(snapshot.endpoints),
    ...more,
  };
}

export function known(
  ...snapshots: readonly (ServiceSnapshot | KnownSnapshot)[]
): ReadonlyMap<ServiceKey, KnownSnapshot> {
  return new Map(
    snapshots.map((snapshot) => [snapshot.key, 'registry' in snapshot ? knownOf(snapshot) : snapshot] as const),
  );
}

/** A full reading; a text among the unreadable is a source. */
export function full(
  snapshots: readonly ServiceSnapshot[],
  unreadable: readonly (string | Unreadable)[] = [],
  notes: readonly Note[] = [],
): FullReading {
  const listed = unreadable.map((source) => (typeof source === 'string' ? { source, reason: 'forbidden' } : source));
  return { type: 'full', snapshots, unreadable: listed, notes, cost: COST };
}

export function delta(upserts: readonly ServiceSnapshot[], removals: readonly ServiceKey[] = []): DeltaReading {
  return { type: 'delta', upserts, removals, notes: [], cost: COST };
}
