import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDbCatalogStore } from '../lib/catalog/dynamodb-catalog-store';
import { DynamoDbChangeStore } from '../lib/changes/dynamodb-change-store';
import { DynamoDbPublishedStore } from '../lib/changes/dynamodb-published-store';
import { publishChanges } from '../lib/changes/publish-changes';
import { environmentSchema, parseEnvironment } from '../lib/runtime/environment';
import { eventBridgePublisherOf } from '../lib/runtime/eventbridge-publisher-of';
import { keyStageHandler } from '../lib/runtime/key-stage-handler';
import { log, metrics } from '../lib/runtime/lambda-handler';
import { SqsDeadLetters } from '../lib/runtime/sqs-dead-letters';
import { systemClock as clock } from '../lib/runtime/system-clock';

const environment = parseEnvironment(
  environmentSchema.pick({
    CATALOG_TABLE: true,
    PUBLISHED_TABLE: true,
    CHANGES_TABLE: true,
    EVENT_BUS: true,
    DEAD_LETTER_QUEUE_URL: true,
  }),
  process.env,
);
const client = new DynamoDBClient({});
const ports = {
  catalog: new DynamoDbCatalogStore({ client, tableName: environment.CATALOG_TABLE, clock }),
  published: new DynamoDbPublishedStore({ client, tableName: environment.PUBLISHED_TABLE, clock }),
  changes: new DynamoDbChangeStore({ client, tableName: environment.CHANGES_TABLE, clock }),
  events: eventBridgePublisherOf(environment.EVENT_BUS),
  clock,
  log,
  metrics,
};

export const handler = keyStageHandler({
  look: (keys) => publishChanges(keys, ports),
  deadLetters: new SqsDeadLetters({
    client: new SQSClient({}),
    queueUrl: environment.DEAD_LETTER_QUEUE_URL,
    stage: 'publish-changes',
  }),
});
