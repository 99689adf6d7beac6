import { SNAPSHOTS_TABLE } from '../../lib/runtime/table-definitions';
import { DynamoDbSnapshotStore } from '../../lib/snapshots/dynamodb-snapshot-store';
import { describeSnapshotStore } from '../contract/snapshot-store';
import { dynaliteStore } from '../support/dynalite-store';

describe('DynamoDbSnapshotStore', () => {
  describeSnapshotStore(dynaliteStore(SNAPSHOTS_TABLE, (access) => new DynamoDbSnapshotStore(access)));
});
