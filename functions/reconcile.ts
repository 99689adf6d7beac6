import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PowertoolsLog } from '../lib/runtime/powertools-log';
import { PowertoolsMetrics } from '../lib/runtime/powertools-metrics';
export const handler = (event: unknown) => {
  new PowertoolsLog().info('reconcile', { event, c: new DynamoDBClient({}).config.apiVersion });
  const m = new PowertoolsMetrics();
  m.add('PollRuns', 1);
  m.flush();
  return Promise.resolve({ batchItemFailures: [] });
};
