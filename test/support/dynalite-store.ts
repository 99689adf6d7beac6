import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { startDynaliteDatabase, type EmbeddedDatabase } from '../../lib/embedded/dynalite-database';
import { createTableInput } from '../../lib/embedded/dynamodb-tables';
import type { TableDefinition } from '../../lib/runtime/table-definitions';
import { DynamoDbTable, type TableAccess } from '../../lib/storage/dynamodb-table';
import type { Item } from '../../lib/storage/item-size';
import { ManualClock } from './manual-clock';
import type { OpenStore } from './store-under-test';

/** A store of the DynamoDB adapter, each on a table of its own in one dynalite of the test file. */
export function dynaliteStore<Store>(
  definition: TableDefinition,
  make: (access: TableAccess) => Store,
): OpenStore<Store> {
  let database: EmbeddedDatabase | undefined;
  let tables = 0;
  beforeAll(async () => {
    database = await startDynaliteDatabase({ clock: new ManualClock() });
  });
  afterAll(() => database?.close());
  return async () => {
    if (database === undefined) throw new Error('the database is not running');
    const { client } = database;
    const clock = new ManualClock();
    tables += 1;
    const tableName = `${definition.name}-${tables}`;
    await client.send(new CreateTableCommand(createTableInput(definition, tableName)));
    const access = { client, tableName, clock };
    const plant = async (item: Item): Promise<void> => {
      await new DynamoDbTable(definition, access).put(item);
    };
    return { store: make(access), clock, plant };
  };
}
