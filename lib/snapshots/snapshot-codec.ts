import * as z from 'zod';
import type { SnapshotTombstone, StoredSnapshot } from '../model/service-snapshot';
import {
  conflictSchema,
  endpointSchema,
  registryIdSchema,
  serviceKeySchema,
  serviceShape,
} from '../model/value-schemas';
import { expiryAfter } from '../storage/expiry';
import { packEndpoints, requireItemFits } from '../storage/item-packing';
import { readItem, type ItemFormat, type StoredItem } from '../storage/item-reading';
import type { Item } from '../storage/item-size';
import { SNAPSHOT_SCHEMA, SNAPSHOT_TOMBSTONE_DAYS, type KnownSnapshot, type StoredSnapshots } from './snapshot-store';

const snapshotShape = z.object({
  registry: registryIdSchema,
  service: serviceKeySchema,
  ...serviceShape,
  creationTime: z.string().exactOptional(),
  endpoints: z.array(endpointSchema),
  endpointAccounts: z.array(z.string()),
  sources: z.array(z.string()),
  conflicts: z.array(conflictSchema),
  hash: z.string(),
  precedence: z.number(),
  generation: z.number(),
  pollId: z.string(),
  observedAt: z.string(),
});

const tombstoneShape = z.object({
  registry: registryIdSchema,
  service: serviceKeySchema,
  generation: z.number(),
  pollId: z.string(),
  removedAt: z.string(),
});

const knownShape = z.object({
  service: serviceKeySchema,
  hash: z.string(),
  precedence: z.number(),
  schema: z.number(),
  sources: z.array(z.string()),
  endpointCount: z.number(),
  endpointAccounts: z.array(z.string()),
});

const SNAPSHOT_FORMAT = { table: 'Snapshots', schemaNumber: SNAPSHOT_SCHEMA, shape: snapshotShape } as const;
const TOMBSTONE_FORMAT = { table: 'Snapshots', schemaNumber: SNAPSHOT_SCHEMA, shape: tombstoneShape } as const;

/** A newer schema is reported as it is, not refused: its snapshot is then rewritten, which is how a roll-back heals. */
const KNOWN_FORMAT = {
  table: 'Snapshots',
  schemaNumber: Infinity,
  shape: knownShape,
} as const satisfies ItemFormat<unknown>;

/** What a poller reads of its own partition. */
export const KNOWN_ATTRIBUTES: readonly string[] = Object.keys(knownShape.shape);

/** The attribute that only tombstones have. */
export const REMOVED_AT = 'removedAt';

/** The service's members stand side by side with the snapshot's own. @throws ItemTooLargeError */
export function encodeSnapshot(snapshot: StoredSnapshot): Item {
  const { key, service, endpoints, ...facts } = snapshot;
  const attributes = {
    service: key,
    schema: SNAPSHOT_SCHEMA,
    ...service,
    ...facts,
    endpointCount: endpoints.length,
  };
  return requireItemFits('Snapshots', `${snapshot.registry} ${key}`, packEndpoints(attributes, endpoints));
}

export function encodeSnapshotTombstone({ key, ...tombstone }: SnapshotTombstone): Item {
  return {
    service: key,
    schema: SNAPSHOT_SCHEMA,
    ...tombstone,
    expiresAt: expiryAfter(tombstone.removedAt, SNAPSHOT_TOMBSTONE_DAYS),
  };
}

/** @throws NewerSchemaError; AppError `ItemUnreadableError`. */
export function decodeSnapshot(item: StoredItem): StoredSnapshot | SnapshotTombstone {
  if (REMOVED_AT in item) {
    const { service: key, ...tombstone } = readItem(TOMBSTONE_FORMAT, item);
    return { key, ...tombstone };
  }
  const {
    registry,
    service: key,
    endpoints,
    endpointAccounts,
    sources,
    conflicts,
    hash,
    precedence,
    generation,
    pollId,
    observedAt,
    ...service
  } = readItem(SNAPSHOT_FORMAT, item);
  return {
    ...{ key, registry, service, endpoints, sources, conflicts, hash },
    ...{ endpointAccounts, precedence, generation, pollId, observedAt },
  };
}

/** @throws AppError `ItemUnreadableError`. */
export function decodeKnownSnapshot(item: StoredItem): KnownSnapshot {
  const { service: key, ...known } = readItem(KNOWN_FORMAT, item);
  return { key, ...known };
}

/** Snapshots and tombstones, apart. */
export function partitionStored(stored: readonly (StoredSnapshot | SnapshotTombstone)[]): StoredSnapshots {
  return {
    snapshots: stored.flatMap((record) => (isTombstone(record) ? [] : [record])),
    tombstones: stored.filter(isTombstone),
  };
}

function isTombstone(record: StoredSnapshot | SnapshotTombstone): record is SnapshotTombstone {
  return REMOVED_AT in record;
}
