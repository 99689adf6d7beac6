import * as z from 'zod';
import { CLUSTER_NAME } from '../model/registry-id';
import { POLL_MODES } from '../model/registry-row';
import { registryIdSchema } from '../model/value-schemas';

const milliseconds = z.number().min(0);

/**
 * What a poller function is invoked with: its registry's part of the configuration (environment variables hold 4 KB only).
 * The settings of the provider are as the document has them; the function parses them by the provider's own schema.
 */
export const pollEventSchema = z.object({
  registry: z.object({
    id: registryIdSchema,
    cluster: z.string().regex(CLUSTER_NAME),
    mode: z.enum(POLL_MODES),
    intervalMs: milliseconds,
    maxRunMs: milliseconds,
    expireAfterMs: milliseconds.exactOptional(),
    paused: z.boolean(),
    domainSuffix: z.string(),
    trustDomain: z.string(),
    guard: z.object({
      maxRemovedPercent: z.number(),
      maxRemoved: z.number(),
      confirmations: z.number(),
      minHoldMs: milliseconds,
      maxHoldMs: milliseconds,
    }),
    precedence: z.number(),
    configVersion: z.string(),
    writtenSettings: z.record(z.string(), z.unknown()),
  }),
  /** The registry has changed: a full reading is wanted now. */
  requested: z.boolean().default(false),
});

export type PollEvent = z.output<typeof pollEventSchema>;

/** What the stack writes into the schedule. */
export type PollEventInput = { readonly registry: PollEvent['registry']; readonly requested?: boolean };
