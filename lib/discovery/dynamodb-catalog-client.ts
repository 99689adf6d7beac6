import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDbCatalogStore } from '../catalog/dynamodb-catalog-store';
import { DynamoDbChangeStore } from '../changes/dynamodb-change-store';
import { DynamoDbRegistryStore } from '../polling/dynamodb-registry-store';
import { systemClock as clock } from '../runtime/system-clock';
import { CatalogClient } from './catalog-client';

/** Names of the tables that a reader needs: the outputs of a stack. */
export type CatalogTables = { readonly catalog: string; readonly registries: string; readonly changes: string };

/** The catalog of a deployed stack, for whoever `grantReadCatalog` was called for. */
export function openCatalog(tables: CatalogTables, client: DynamoDBClient = new DynamoDBClient({})): CatalogClient {
  return new CatalogClient({
    catalog: new DynamoDbCatalogStore({ client, tableName: tables.catalog, clock }),
    registries: new DynamoDbRegistryStore({ client, tableName: tables.registries, clock }),
    changes: new DynamoDbChangeStore({ client, tableName: tables.changes, clock }),
    clock,
  });
}
