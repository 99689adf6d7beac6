import * as z from 'zod';
import { aggregateServices, type AggregationPorts } from '../aggregation/aggregate-services';
import { publishChanges, type PublicationPorts } from '../changes/publish-changes';
import type { ServiceKey } from '../model/service-key';
import { registryIdSchema, serviceKeySchema } from '../model/value-schemas';
import { reconcile, type ReconcileOutcome } from '../reconciliation/reconcile';
import type { Stores } from './dynamodb-stores';
import type { Clock } from './clock';
import { lambdaHandler, type LambdaHandler } from './lambda-handler';

const reconcileEventSchema = z.object({
  /** Of the configuration. What any other registry brought is removed. */
  registries: z.array(registryIdSchema),
  /** Where the invocation before this one stopped. */
  after: serviceKeySchema.exactOptional(),
});

export type ReconcileEvent = z.output<typeof reconcileEventSchema>;

export type ReconcileFunction = AggregationPorts &
  PublicationPorts &
  Stores & {
    readonly clock: Clock;
    /** Invokes the function again, without waiting for it. */
    readonly invokeAgain: (event: ReconcileEvent) => Promise<void>;
  };

/** A Lambda handler that looks at every service, for as long as it has time, and leaves the rest to an invocation more. */
export function reconcileHandler(parts: ReconcileFunction): LambdaHandler<ReconcileOutcome> {
  const aggregate = async (keys: readonly ServiceKey[]): Promise<readonly ServiceKey[]> => {
    const outcomes = await aggregateServices(keys, parts);
    return outcomes.filter(({ result }) => result === 'written').map(({ key }) => key);
  };
  const publish = async (keys: readonly ServiceKey[]): Promise<void> => {
    await publishChanges(keys, parts);
  };
  return lambdaHandler({
    input: reconcileEventSchema,
    run: async ({ registries, after }, { id: reconcileId, signal }) => {
      const request = { configured: registries, signal, ...(after === undefined ? {} : { after }) };
      let failures = 1;
      try {
        const outcome = await reconcile({ ...parts, aggregate, publish, reconcileId }, request);
        if (!outcome.complete && outcome.last !== undefined) {
          await parts.invokeAgain({ registries, after: outcome.last });
        }
        failures = 0;
        return outcome;
      } finally {
        parts.metrics.add('ReconcileRuns', 1);
        parts.metrics.add('ReconcileFailures', failures);
      }
    },
  });
}
