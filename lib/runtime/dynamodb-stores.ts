import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CatalogStore } from '../catalog/catalog-store';
import { DynamoDbCatalogStore } from '../catalog/dynamodb-catalog-store';
import type { ChangeStore } from '../changes/change-store';
import { DynamoDbChangeStore } from '../changes/dynamodb-change-store';
import { DynamoDbPublishedStore } from '../changes/dynamodb-published-store';
import type { PublishedStore } from '../changes/published-store';
import { DynamoDbRegistryStore } from '../polling/dynamodb-registry-store';
import type { RegistryStore } from '../polling/registry-store';
import { DynamoDbSnapshotStore } from '../snapshots/dynamodb-snapshot-store';
import type { SnapshotStore } from '../snapshots/snapshot-store';
import type { Clock } from './clock';
import type { TableNames } from './table-definitions';

/** The five stores of an installation. */
export type Stores = {
  readonly registries: RegistryStore;
  readonly snapshots: SnapshotStore;
  readonly catalog: CatalogStore;
  readonly published: PublishedStore;
  readonly changes: ChangeStore;
};

/** The stores over the tables of these names. */
export function dynamoDbStores(client: DynamoDBClient, names: TableNames, clock: Clock): Stores {
  return {
    registries: new DynamoDbRegistryStore({ client, tableName: names.Registries, clock }),
    snapshots: new DynamoDbSnapshotStore({ client, tableName: names.Snapshots, clock }),
    catalog: new DynamoDbCatalogStore({ client, tableName: names.Catalog, clock }),
    published: new DynamoDbPublishedStore({ client, tableName: names.Published, clock }),
    changes: new DynamoDbChangeStore({ client, tableName: names.Changes, clock }),
  };
}
