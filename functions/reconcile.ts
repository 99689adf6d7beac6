import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoDbStores } from '../lib/runtime/dynamodb-stores';
import { environmentSchema, parseEnvironment } from '../lib/runtime/environment';
import { eventBridgePublisherOf } from '../lib/runtime/eventbridge-publisher-of';
import { invokeAgain } from '../lib/runtime/invoke-again';
import { log, metrics } from '../lib/runtime/lambda-handler';
import { reconcileHandler } from '../lib/runtime/reconcile-handler';
import { systemClock as clock } from '../lib/runtime/system-clock';

const environment = parseEnvironment(
  environmentSchema.pick({
    REGISTRIES_TABLE: true,
    SNAPSHOTS_TABLE: true,
    CATALOG_TABLE: true,
    PUBLISHED_TABLE: true,
    CHANGES_TABLE: true,
    EVENT_BUS: true,
    AWS_LAMBDA_FUNCTION_NAME: true,
  }),
  process.env,
);
const tables = {
  Registries: environment.REGISTRIES_TABLE,
  Snapshots: environment.SNAPSHOTS_TABLE,
  Catalog: environment.CATALOG_TABLE,
  Published: environment.PUBLISHED_TABLE,
  Changes: environment.CHANGES_TABLE,
};

export const handler = reconcileHandler({
  ...dynamoDbStores(new DynamoDBClient({}), tables, clock),
  events: eventBridgePublisherOf(environment.EVENT_BUS),
  invokeAgain: invokeAgain(environment.AWS_LAMBDA_FUNCTION_NAME),
  clock,
  log,
  metrics,
});
