import * as z from 'zod';
import type { Conflict } from './conflict';
import { CONFLICT_TYPES } from './conflict';
import { HEALTH_STATES, type CatalogEndpoint, type Endpoint } from './endpoint';
import { TRANSPORTS, type Port } from './port';
import { PROTOCOLS } from './protocol';
import { parseRegistryId, type RegistryId } from './registry-id';
import { RESOLUTIONS, type Service, type ServiceAttributes } from './service';
import { parseServiceKey, type ServiceKey } from './service-key';

/** Schemas of the model's values, for data that comes back from tables, files and events. */

export const registryIdSchema: z.ZodType<RegistryId> = z.string().transform((text, context) => {
  try {
    return parseRegistryId(text).id;
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});

export const serviceKeySchema: z.ZodType<ServiceKey> = z.string().transform((text, context) => {
  try {
    return parseServiceKey(text).key;
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});

const labels = z.record(z.string(), z.string());
const addressesByCluster = z.record(z.string(), z.array(z.string()));

export const portSchema: z.ZodType<Port> = z.object({
  name: z.string(),
  number: z.number(),
  protocol: z.enum(PROTOCOLS),
  transport: z.enum(TRANSPORTS),
});

const endpointShape = {
  addresses: z.array(z.string()),
  port: z.number(),
  servicePort: z.string(),
  labels,
  locality: z.string(),
  network: z.string(),
  weight: z.number(),
  tlsMode: z.string(),
  serviceAccount: z.string(),
  health: z.enum(HEALTH_STATES),
  workload: z.object({ name: z.string(), namespace: z.string() }),
  hostname: z.string().exactOptional(),
  subdomain: z.string().exactOptional(),
  node: z.string().exactOptional(),
};

export const endpointSchema: z.ZodType<Endpoint> = z.object(endpointShape);

export const catalogEndpointSchema: z.ZodType<CatalogEndpoint> = z.object({
  ...endpointShape,
  registry: registryIdSchema,
});

const attributesSchema: z.ZodType<ServiceAttributes> = z.object({
  type: z.string().exactOptional(),
  externalName: z.string().exactOptional(),
  selector: labels.exactOptional(),
  sessionAffinity: z.string().exactOptional(),
  internalTrafficPolicy: z.string().exactOptional(),
  trafficDistribution: z.string().exactOptional(),
  publishNotReadyAddresses: z.boolean().exactOptional(),
  nodePorts: z.record(z.string(), z.number()).exactOptional(),
  passthroughTargetPorts: z.record(z.string(), z.number()).exactOptional(),
});

/** The members of a service, without the one that only its own registry knows. */
export const serviceShape = {
  hostname: z.string(),
  namespace: z.string(),
  name: z.string(),
  address: z.string(),
  addresses: z.array(z.string()),
  autoAddresses: z.array(z.string()),
  ports: z.array(portSchema),
  resolution: z.enum(RESOLUTIONS),
  meshExternal: z.boolean(),
  serviceAccounts: z.array(z.string()),
  exportTo: z.array(z.string()),
  labels,
  clusterVips: addressesByCluster,
  externalAddresses: addressesByCluster,
  attributes: attributesSchema,
};

export const serviceSchema: z.ZodType<Service> = z.object({
  ...serviceShape,
  creationTime: z.string().exactOptional(),
});

const conflictSide = z.object({
  registry: registryIdSchema,
  source: z.string().exactOptional(),
  value: z.union([z.string(), z.array(z.string()), labels]),
});

export const conflictSchema: z.ZodType<Conflict> = z.object({
  type: z.enum(CONFLICT_TYPES),
  field: z.string(),
  winner: conflictSide,
  losers: z.array(conflictSide),
});

export const causeSchema = z.object({ registry: registryIdSchema, pollId: z.string(), observedAt: z.string() });

/** The content members of a catalog entry, in the order in which the console shows them. */
export const mergedServiceShape = {
  ...serviceShape,
  endpoints: z.array(catalogEndpointSchema),
  registries: z.array(
    z.object({ registry: registryIdSchema, hash: z.string(), endpoints: z.number(), observedAt: z.string() }),
  ),
  conflicts: z.array(conflictSchema),
  hash: z.string(),
};
