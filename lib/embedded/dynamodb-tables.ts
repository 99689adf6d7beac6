import {
  CreateTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
  type AttributeDefinition,
  type CreateTableCommandInput,
  type DynamoDBClient,
  type KeySchemaElement,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { AppError } from '../model/app-error';
import type { Clock } from '../runtime/clock';
import {
  TABLE_DEFINITIONS,
  type IndexDefinition,
  type KeyAttribute,
  type TableDefinition,
  type TableNames,
} from '../runtime/table-definitions';

/** Between two looks at a table that is being made, and how many looks are taken. */
const LOOK_AGAIN_MS = 10;
const MAX_LOOKS = 100;

/**
 * Makes the tables that are missing and waits until all can be used.
 * @throws AppError `TableMismatchError` when a table is there with other keys or indexes than this version wants;
 * `TableNotActiveError` when one does not get ready.
 */
export async function ensureTables(client: DynamoDBClient, names: TableNames, clock: Clock): Promise<void> {
  for (const definition of TABLE_DEFINITIONS) {
    const tableName = names[definition.name];
    const found = await describe(client, tableName);
    if (found === undefined) await client.send(new CreateTableCommand(createTableInput(definition, tableName)));
    const table = await whenActive(client, tableName, clock);
    requireShape(definition, tableName, table);
  }
}

/** The request that makes a table of its definition, on demand. Streams and time to live are left to real DynamoDB. */
export function createTableInput(definition: TableDefinition, tableName: string): CreateTableCommandInput {
  const attributes = new Map(
    [definition, ...definition.indexes]
      .flatMap(({ partitionKey, sortKey }) => (sortKey === undefined ? [partitionKey] : [partitionKey, sortKey]))
      .map((key) => [key.name, attributeDefinition(key)]),
  );
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...attributes.values()],
    KeySchema: keySchema(definition),
    ...(definition.indexes.length === 0 ? {} : { GlobalSecondaryIndexes: definition.indexes.map(indexOf) }),
  };
}

function indexOf(index: IndexDefinition): NonNullable<CreateTableCommandInput['GlobalSecondaryIndexes']>[number] {
  return { IndexName: index.name, KeySchema: keySchema(index), Projection: { ProjectionType: index.projection } };
}

function attributeDefinition(key: KeyAttribute): AttributeDefinition {
  return { AttributeName: key.name, AttributeType: key.type };
}

function keySchema({ partitionKey, sortKey }: Pick<TableDefinition, 'partitionKey' | 'sortKey'>): KeySchemaElement[] {
  return [
    { AttributeName: partitionKey.name, KeyType: 'HASH' },
    ...(sortKey === undefined ? [] : [{ AttributeName: sortKey.name, KeyType: 'RANGE' } as const]),
  ];
}

async function describe(client: DynamoDBClient, tableName: string): Promise<TableDescription | undefined> {
  try {
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    return table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function whenActive(client: DynamoDBClient, tableName: string, clock: Clock): Promise<TableDescription> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const table = await describe(client, tableName);
    if (table?.TableStatus === 'ACTIVE') return table;
    await clock.delay(LOOK_AGAIN_MS);
  }
  throw new AppError(
    `Table ${tableName} did not become active within ${LOOK_AGAIN_MS * MAX_LOOKS} ms of waiting; if it was left half made, remove the data folder`,
    { code: 'TableNotActiveError', details: { tableName } },
  );
}

function requireShape(definition: TableDefinition, tableName: string, table: TableDescription): void {
  const wanted = [
    describeKeys('table', keySchema(definition)),
    ...definition.indexes.map((index) => describeKeys(index.name, keySchema(index))),
  ].sort();
  const found = [
    describeKeys('table', table.KeySchema ?? []),
    ...(table.GlobalSecondaryIndexes ?? []).map((index) => describeKeys(index.IndexName ?? '', index.KeySchema ?? [])),
  ].sort();
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  throw new AppError(
    `Table ${tableName} has the keys ${found.join(', ')}; this version wants ${wanted.join(', ')}. Another version made it: use another data folder, or remove this one`,
    { code: 'TableMismatchError', details: { tableName, found, wanted } },
  );
}

function describeKeys(name: string, keys: readonly KeySchemaElement[]): string {
  return `${name}(${keys.map((key) => key.AttributeName ?? '').join(', ')})`;
}
