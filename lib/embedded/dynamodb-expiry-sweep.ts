import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../runtime/clock';
import { TABLE_DEFINITIONS, type TableDefinition, type TableNames } from '../runtime/table-definitions';
import { itemHasExpired } from '../storage/dynamodb-expression';
import { DynamoDbTable, type ItemKey } from '../storage/dynamodb-table';
import type { StoredItem } from '../storage/item-reading';

/**
 * Deletes the items that are past their time to live, in every table that has one: what DynamoDB does by itself and dynalite
 * does not. An item that was written anew since it was found stays. @returns how many were deleted.
 */
export async function sweepExpired(client: DynamoDBClient, names: TableNames, clock: Clock): Promise<number> {
  let deleted = 0;
  for (const definition of TABLE_DEFINITIONS.filter(({ expires }) => expires)) {
    const table = new DynamoDbTable(definition, { client, tableName: names[definition.name], clock });
    const hasExpired = itemHasExpired(clock.now());
    for await (const item of table.scan({ consistent: true, filter: hasExpired, attributes: keyNames(definition) })) {
      if (await table.delete(keyOf(item), hasExpired)) deleted += 1;
    }
  }
  return deleted;
}

function keyNames({ partitionKey, sortKey }: TableDefinition): readonly string[] {
  return sortKey === undefined ? [partitionKey.name] : [partitionKey.name, sortKey.name];
}

/** A scan for key attributes alone answers with nothing else; keys are texts and numbers. */
function keyOf(item: StoredItem): ItemKey {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, typeof value === 'number' ? value : String(value)]),
  );
}
