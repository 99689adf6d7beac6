import { DynamoDbPublishedStore } from '../../lib/changes/dynamodb-published-store';
import { PUBLISHED_TABLE } from '../../lib/runtime/table-definitions';
import { describeVersionedRecords } from '../contract/versioned-records';
import { dynaliteStore } from '../support/dynalite-store';

describe('DynamoDbPublishedStore', () => {
  describeVersionedRecords(
    'Published',
    dynaliteStore(PUBLISHED_TABLE, (access) => new DynamoDbPublishedStore(access)),
  );
});
