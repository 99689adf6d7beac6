import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { aggregateServices } from '../lib/aggregation/aggregate-services';
import { DynamoDbCatalogStore } from '../lib/catalog/dynamodb-catalog-store';
import { DynamoDbRegistryStore } from '../lib/polling/dynamodb-registry-store';
import { environmentSchema, parseEnvironment } from '../lib/runtime/environment';
import { keyStageHandler } from '../lib/runtime/key-stage-handler';
import { log, metrics } from '../lib/runtime/lambda-handler';
import { SqsDeadLetters } from '../lib/runtime/sqs-dead-letters';
import { systemClock as clock } from '../lib/runtime/system-clock';
import { DynamoDbSnapshotStore } from '../lib/snapshots/dynamodb-snapshot-store';

const environment = parseEnvironment(
  environmentSchema.pick({
    REGISTRIES_TABLE: true,
    SNAPSHOTS_TABLE: true,
    CATALOG_TABLE: true,
    DEAD_LETTER_QUEUE_URL: true,
  }),
  process.env,
);
const client = new DynamoDBClient({});
const ports = {
  registries: new DynamoDbRegistryStore({ client, tableName: environment.REGISTRIES_TABLE, clock }),
  snapshots: new DynamoDbSnapshotStore({ client, tableName: environment.SNAPSHOTS_TABLE, clock }),
  catalog: new DynamoDbCatalogStore({ client, tableName: environment.CATALOG_TABLE, clock }),
  clock,
  log,
  metrics,
};

export const handler = keyStageHandler({
  look: (keys) => aggregateServices(keys, ports),
  deadLetters: new SqsDeadLetters({
    client: new SQSClient({}),
    queueUrl: environment.DEAD_LETTER_QUEUE_URL,
    stage: 'aggregate-services',
  }),
});
