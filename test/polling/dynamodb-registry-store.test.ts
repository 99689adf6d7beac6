import { DynamoDbRegistryStore } from '../../lib/polling/dynamodb-registry-store';
import { REGISTRIES_TABLE } from '../../lib/runtime/table-definitions';
import { describeRegistryStore } from '../contract/registry-store';
import { dynaliteStore } from '../support/dynalite-store';

describe('DynamoDbRegistryStore', () => {
  describeRegistryStore(dynaliteStore(REGISTRIES_TABLE, (access) => new DynamoDbRegistryStore(access)));
});
