import { DynamoDbCatalogStore } from '../../lib/catalog/dynamodb-catalog-store';
import { CATALOG_TABLE } from '../../lib/runtime/table-definitions';
import { describeCatalogStore } from '../contract/catalog-store';
import { dynaliteStore } from '../support/dynalite-store';

describe('DynamoDbCatalogStore', () => {
  describeCatalogStore(dynaliteStore(CATALOG_TABLE, (access) => new DynamoDbCatalogStore(access)));
});
