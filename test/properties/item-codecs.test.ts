import * as fc from 'fast-check';
import { catalogCodec } from '../../lib/catalog/catalog-codec';
import { decodeChange, encodeChange } from '../../lib/changes/change-codec';
import { decodeRegistryRow } from '../../lib/polling/registry-codec';
import { TABLE_DEFINITIONS, type TableName } from '../../lib/runtime/table-definitions';
import {
  decodeKnownSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  encodeSnapshotTombstone,
  KNOWN_ATTRIBUTES,
} from '../../lib/snapshots/snapshot-codec';
import { COMPRESSED_FROM_BYTES } from '../../lib/storage/item-packing';
import type { StoredItem } from '../../lib/storage/item-reading';
import { itemBytes, type Item } from '../../lib/storage/item-size';
import { MemoryTable } from '../../lib/storage/memory-table';
import {
  arbitraryCatalogRecord,
  arbitraryChangeRecord,
  arbitraryRegistryRow,
  arbitrarySnapshotTombstone,
  arbitraryStoredSnapshot,
} from '../support/arbitraries';
import { noise, sampleEndpoints, sampleSnapshot } from '../support/store-samples';

/** The item as a table gives it back: without absent members. */
function stored(table: TableName, item: Item): StoredItem {
  const definition = TABLE_DEFINITIONS.find(({ name }) => name === table);
  if (definition === undefined) throw new Error(`no table ${table}`);
  return new MemoryTable(definition).put(item);
}

describe('item codecs', () => {
  test('a snapshot is read as it was written', () => {
    fc.assert(
      fc.property(arbitraryStoredSnapshot, (snapshot) => {
        expect(decodeSnapshot(stored('Snapshots', encodeSnapshot(snapshot)))).toEqual(snapshot);
      }),
    );
  });

  test('what is known of a snapshot is what it holds', () => {
    fc.assert(
      fc.property(arbitraryStoredSnapshot, (snapshot) => {
        const { key, hash, precedence, sources, endpointAccounts, endpoints } = snapshot;
        const item = stored('Snapshots', encodeSnapshot(snapshot));
        const projected = Object.fromEntries(KNOWN_ATTRIBUTES.map((name) => [name, item[name]]));
        const endpointCount = endpoints.length;
        expect(decodeKnownSnapshot(projected)).toEqual({
          ...{ key, hash, precedence, sources, endpointAccounts, endpointCount, schema: 1 },
        });
      }),
    );
  });

  test('the tombstone of a snapshot is read as it was written', () => {
    fc.assert(
      fc.property(arbitrarySnapshotTombstone, (tombstone) => {
        expect(decodeSnapshot(stored('Snapshots', encodeSnapshotTombstone(tombstone)))).toEqual(tombstone);
      }),
    );
  });

  test.each(['Catalog', 'Published'] as const)('a record of the %s table is read as it was written', (table) => {
    const { encode, decode } = catalogCodec(table);
    fc.assert(
      fc.property(arbitraryCatalogRecord, (record) => {
        expect(decode(stored(table, encode(record)))).toEqual(record);
      }),
    );
  });

  test('a change is read as it was written', () => {
    fc.assert(
      fc.property(arbitraryChangeRecord, (change) => {
        expect(decodeChange(stored('Changes', encodeChange(change)))).toEqual(change);
      }),
    );
  });

  test('a registry row is read as it was written', () => {
    fc.assert(
      fc.property(arbitraryRegistryRow, (row) => {
        expect(decodeRegistryRow(stored('Registries', { ...row, schema: 1 }))).toEqual(row);
      }),
    );
  });

  test('endpoints are compressed just when the readable item is not below 64 KB, and always read alike', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 60_000 }), (count, padding) => {
        const snapshot = sampleSnapshot({
          endpoints: sampleEndpoints(count),
          labels: { padding: noise('padding', padding) },
        });
        const item = encodeSnapshot(snapshot);
        const { endpointsGz, ...attributes } = item;
        const readableBytes = itemBytes({ ...attributes, endpoints: snapshot.endpoints });
        expect(endpointsGz !== undefined).toBe(readableBytes >= COMPRESSED_FROM_BYTES);
        expect('endpoints' in item).toBe(endpointsGz === undefined);
        expect(decodeSnapshot(stored('Snapshots', item))).toEqual(snapshot);
        expect(encodeSnapshot(snapshot)).toEqual(item);
      }),
      { numRuns: 20 },
    );
  });
});
