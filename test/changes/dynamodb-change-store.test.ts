import { DynamoDbChangeStore } from '../../lib/changes/dynamodb-change-store';
import { CHANGES_TABLE } from '../../lib/runtime/table-definitions';
import { describeChangeStore } from '../contract/change-store';
import { dynaliteStore } from '../support/dynalite-store';

describe('DynamoDbChangeStore', () => {
  describeChangeStore(dynaliteStore(CHANGES_TABLE, (access) => new DynamoDbChangeStore(access)));
});
