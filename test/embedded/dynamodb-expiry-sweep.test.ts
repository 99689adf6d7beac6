import { DynamoDbCatalogStore } from '../../lib/catalog/dynamodb-catalog-store';
import { DynamoDbChangeStore } from '../../lib/changes/dynamodb-change-store';
import { DynamoDbPublishedStore } from '../../lib/changes/dynamodb-published-store';
import { startDynaliteDatabase, type EmbeddedDatabase } from '../../lib/embedded/dynalite-database';
import { sweepExpired } from '../../lib/embedded/dynamodb-expiry-sweep';
import { DynamoDbRegistryStore } from '../../lib/polling/dynamodb-registry-store';
import { TABLE_DEFINITIONS, type TableName } from '../../lib/runtime/table-definitions';
import { DynamoDbSnapshotStore } from '../../lib/snapshots/dynamodb-snapshot-store';
import { DynamoDbTable, type TableAccess } from '../../lib/storage/dynamodb-table';
import { ManualClock } from '../support/manual-clock';
import {
  sampleChange,
  sampleEntry,
  sampleSnapshot,
  sampleSnapshotTombstone,
  sampleTombstone,
} from '../support/store-samples';
import { collect } from '../support/store-under-test';

const DAY_MS = 24 * 60 * 60 * 1000;

let database: EmbeddedDatabase;
const clock = new ManualClock();

beforeAll(async () => {
  database = await startDynaliteDatabase({ clock });
});

afterAll(() => database.close());

function access(table: TableName): TableAccess {
  return { client: database.client, tableName: database.tableNames[table], clock };
}

async function itemCounts(): Promise<Readonly<Record<string, number>>> {
  const counts = TABLE_DEFINITIONS.map(async (definition) => {
    const items = await collect(new DynamoDbTable(definition, access(definition.name)).scan({ consistent: true }));
    return [definition.name, items.length] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

test('sweepExpired deletes what is past its time in every table, and nothing else', async () => {
  const [now, key] = [clock.iso(), 'shop/gone.example.com'] as const;
  const snapshots = new DynamoDbSnapshotStore(access('Snapshots'));
  await snapshots.put(sampleSnapshot({}));
  await snapshots.remove(sampleSnapshotTombstone(now, { key }));
  for (const store of [new DynamoDbCatalogStore(access('Catalog')), new DynamoDbPublishedStore(access('Published'))]) {
    await store.put(sampleEntry({}), undefined);
    await store.put(sampleTombstone(now, { key }), undefined);
  }
  await new DynamoDbChangeStore(access('Changes')).put(sampleChange(now));
  await new DynamoDbRegistryStore(access('Registries')).acquire({
    ...{ registry: 'Mock/demo', owner: 'a', leaseUntil: now, runStartedAt: now, precedence: 1 },
    ...{ mode: 'poll', configVersion: 'v1' },
  });
  const sweep = (): Promise<number> => sweepExpired(database.client, database.tableNames, clock);

  clock.advance(7 * DAY_MS - 1);
  await expect(sweep()).resolves.toBe(0);
  clock.advance(1);
  await expect(sweep()).resolves.toBe(1);
  await expect(itemCounts()).resolves.toEqual({ Registries: 1, Snapshots: 1, Catalog: 2, Published: 2, Changes: 1 });
  clock.advance(7 * DAY_MS);
  await expect(sweep()).resolves.toBe(3);
  await expect(itemCounts()).resolves.toEqual({ Registries: 1, Snapshots: 1, Catalog: 1, Published: 1, Changes: 0 });
});
