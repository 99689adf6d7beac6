import * as z from 'zod';
import { POLL_MODES, REGISTRY_STATES, type RegistryRow } from '../model/registry-row';
import { registryIdSchema } from '../model/value-schemas';
import { readItem, type StoredItem } from '../storage/item-reading';

/** Schema number of registry rows as this code writes them. */
export const REGISTRY_SCHEMA = 1;

const heldShape = z.object({
  services: z.number(),
  endpoints: z.number(),
  sample: z.array(z.string()),
  hash: z.string(),
  since: z.string(),
  confirmations: z.number(),
  confirmedSince: z.string(),
});

const rowShape = z.object({
  registry: registryIdSchema,
  state: z.enum(REGISTRY_STATES),
  precedence: z.number(),
  mode: z.enum(POLL_MODES),
  configVersion: z.string(),
  generation: z.number(),
  leaseOwner: z.string().exactOptional(),
  leaseRenewals: z.number(),
  leaseUntil: z.string().exactOptional(),
  runStartedAt: z.string().exactOptional(),
  handover: z.string().exactOptional(),
  requestedAt: z.string().exactOptional(),
  approvedHold: z.string().exactOptional(),
  pollId: z.string().exactOptional(),
  lastAttemptAt: z.string().exactOptional(),
  lastSuccessAt: z.string().exactOptional(),
  lastChangeAt: z.string().exactOptional(),
  lastError: z.object({ code: z.string(), message: z.string() }).exactOptional(),
  consecutiveFailures: z.number(),
  services: z.number(),
  endpoints: z.number(),
  requests: z.number(),
  durationMs: z.number(),
  unreadable: z.array(z.object({ source: z.string(), reason: z.string() })),
  unreadableCount: z.number(),
  held: heldShape.exactOptional(),
});

const ROW_FORMAT = { table: 'Registries', schemaNumber: REGISTRY_SCHEMA, shape: rowShape } as const;

/** What a row holds that nobody has read yet; the rest comes with the lease. */
export const NEVER_READ = {
  state: 'never-synced',
  consecutiveFailures: 0,
  services: 0,
  endpoints: 0,
  requests: 0,
  durationMs: 0,
  unreadable: [],
  unreadableCount: 0,
} as const satisfies Partial<RegistryRow>;

/** A row's attributes are its members, and `schema`. @throws NewerSchemaError; AppError `ItemUnreadableError`. */
export function decodeRegistryRow(item: StoredItem): RegistryRow {
  return readItem(ROW_FORMAT, item);
}
