import * as z from 'zod';
import { HEALTH_STATES } from '../model/endpoint';
import { mergedServiceShape, registryIdSchema, serviceKeySchema } from '../model/value-schemas';
import { SERVICE_CHANGE_TYPES, type ServiceChangeEvent } from './pilotless-event';

const endpointSummary = z.object({
  address: z.string(),
  port: z.number(),
  servicePort: z.string(),
  workload: z.string(),
  registry: registryIdSchema,
  health: z.enum(HEALTH_STATES),
});

const endpointsChange = z.object({
  before: z.number(),
  after: z.number(),
  added: z.array(endpointSummary),
  removed: z.array(endpointSummary),
  changed: z.array(endpointSummary),
  truncated: z.boolean(),
  counts: z.object({ added: z.number(), removed: z.number(), changed: z.number() }),
});

const metadata = z.object({
  schema: z.number(),
  id: z.string(),
  at: z.string(),
  correlationId: z.string(),
  cause: z.object({ registry: registryIdSchema, observedAt: z.string() }),
});

const changeType = z.enum(SERVICE_CHANGE_TYPES);

/** A change event that comes back from the history. */
export const serviceChangeSchema: z.ZodType<ServiceChangeEvent> = z.object({
  type: changeType,
  detail: z.object({
    metadata,
    service: z.object({
      key: serviceKeySchema,
      hostname: z.string(),
      namespace: z.string(),
      version: z.number(),
    }),
    change: z.object({
      type: changeType,
      fields: z.array(z.string()),
      push: z.enum(['full', 'incremental']),
      endpoints: endpointsChange,
    }),
    state: z.object(mergedServiceShape).omit({ endpoints: true, registries: true, hash: true }),
    stateTruncated: z.boolean(),
  }),
});
