import { CreateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  EMBEDDED_TABLE_NAMES,
  startDynaliteDatabase,
  type EmbeddedDatabase,
} from '../../lib/embedded/dynalite-database';
import { createTableInput, ensureTables } from '../../lib/embedded/dynamodb-tables';
import { CATALOG_TABLE, CHANGES_TABLE, REGISTRIES_TABLE, type TableNames } from '../../lib/runtime/table-definitions';
import { ManualClock } from '../support/manual-clock';
import { ScriptedDynamoDb } from '../support/scripted-dynamodb';

const OTHER_NAMES: TableNames = {
  Registries: 'other-registries',
  Snapshots: 'other-snapshots',
  Catalog: 'other-catalog',
  Published: 'other-published',
  Changes: 'other-changes',
};

describe('createTableInput', () => {
  test('asks for a table on demand with each key attribute once', () => {
    expect(createTableInput(CATALOG_TABLE, 'c')).toEqual({
      TableName: 'c',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'service', AttributeType: 'S' },
        { AttributeName: 'namespace', AttributeType: 'S' },
        { AttributeName: 'hostname', AttributeType: 'S' },
      ],
      KeySchema: [{ AttributeName: 'service', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byNamespace',
          KeySchema: [
            { AttributeName: 'namespace', KeyType: 'HASH' },
            { AttributeName: 'hostname', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
        {
          IndexName: 'byHostname',
          KeySchema: [
            { AttributeName: 'hostname', KeyType: 'HASH' },
            { AttributeName: 'namespace', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
  });

  test('asks for no indexes where there are none, and for numbers as such', () => {
    expect(createTableInput(REGISTRIES_TABLE, 'r')).not.toHaveProperty('GlobalSecondaryIndexes');
    expect(createTableInput(CHANGES_TABLE, 'c')).toMatchObject({
      AttributeDefinitions: [{ AttributeType: 'S' }, { AttributeName: 'version', AttributeType: 'N' }, {}, {}],
      KeySchema: [
        { AttributeName: 'service', KeyType: 'HASH' },
        { AttributeName: 'version', KeyType: 'RANGE' },
      ],
    });
  });
});

describe('ensureTables', () => {
  let database: EmbeddedDatabase;

  beforeAll(async () => {
    database = await startDynaliteDatabase({ clock: new ManualClock() });
  });

  afterAll(() => database.close());

  test('makes what is missing and leaves what is there', async () => {
    const { client } = database;
    const created = async (tableName: string): Promise<Date | undefined> =>
      (await client.send(new DescribeTableCommand({ TableName: tableName }))).Table?.CreationDateTime;
    const before = await created(EMBEDDED_TABLE_NAMES.Catalog);
    const names = { ...OTHER_NAMES, Catalog: EMBEDDED_TABLE_NAMES.Catalog };
    await ensureTables(client, names, new ManualClock());
    await expect(created(EMBEDDED_TABLE_NAMES.Catalog)).resolves.toEqual(before);
    await expect(created('other-changes')).resolves.toBeDefined();
  });

  test('refuses a table that has other keys or indexes than this version wants', async () => {
    const { client } = database;
    const older = createTableInput({ ...CATALOG_TABLE, indexes: CATALOG_TABLE.indexes.slice(0, 1) }, 'older-catalog');
    await client.send(new CreateTableCommand(older));
    await expect(
      ensureTables(client, { ...OTHER_NAMES, Catalog: 'older-catalog' }, new ManualClock()),
    ).rejects.toMatchObject({
      code: 'TableMismatchError',
      message:
        'Table older-catalog has the keys byNamespace(namespace, hostname), table(service); this version wants byHostname(hostname, namespace), byNamespace(namespace, hostname), table(service). Another version made it: use another data folder, or remove this one',
    });
  });

  test('says so when a table does not get ready', async () => {
    const server = await ScriptedDynamoDb.start([{ status: 200, body: { Table: { TableStatus: 'CREATING' } } }]);
    const clock = new ManualClock();
    await expect(ensureTables(server.client, OTHER_NAMES, clock)).rejects.toMatchObject({
      code: 'TableNotActiveError',
      message:
        'Table other-registries did not become active within 1000 ms of waiting; if it was left half made, remove the data folder',
    });
    expect(clock.delays).toEqual(Array(100).fill(10));
    await server.close();
  });
});
