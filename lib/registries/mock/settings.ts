import * as z from 'zod';
import { durationSchema } from '../../model/duration-schema';

/** The faults that can be tried (Pilotless's own; the two services are those of Istio's walkthrough). */
export const FAULT_TYPES = ['churn', 'flap', 'latency', 'error', 'empty', 'truncate', 'partial', 'reorder'] as const;

export type FaultType = (typeof FAULT_TYPES)[number];

const reading = z.int({ error: 'not a reading; allowed: whole numbers from 1 on' }).min(1, {
  error: 'not a reading; allowed: whole numbers from 1 on',
});

const share = z
  .number({ error: 'not a share; allowed: 0 to 1' })
  .min(0, { error: 'not a share; allowed: 0 to 1' })
  .max(1, { error: 'not a share; allowed: 0 to 1' });

/** When a fault acts, and by which random numbers. */
const timing = {
  seed: z.int({ error: 'not a seed; allowed: whole numbers' }).optional().describe('Of the random numbers. Default 1.'),
  from: reading.optional().describe('First reading with the fault. Default 1.'),
  until: reading.optional().describe('Last reading with the fault. Default: no end.'),
};

const faultSchema = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('churn'),
      share: share.describe('Of the endpoints replaced each reading.'),
      ...timing,
    }),
    z.strictObject({
      type: z.literal('flap'),
      share: share.describe('Of the endpoints gone every other reading.'),
      ...timing,
    }),
    z.strictObject({
      type: z.literal('latency'),
      delay: durationSchema({ min: '0s', max: '1h' }).describe('How long a reading takes at most.'),
      ...timing,
    }),
    z.strictObject({ type: z.literal('error'), rate: share.describe('Of the readings that fail.'), ...timing }),
    z.strictObject({ type: z.literal('empty'), ...timing }),
    z.strictObject({
      type: z.literal('truncate'),
      share: share.describe('Of the services missing without a word.'),
      ...timing,
    }),
    z.strictObject({
      type: z.literal('partial'),
      share: share.describe('Of the services that are unreadable.'),
      ...timing,
    }),
    z.strictObject({ type: z.literal('reorder'), ...timing }),
  ],
  { error: `not a fault; allowed: keys and values with type ${FAULT_TYPES.join(', ')}` },
);

/** What the Mock provider adds to the settings of a registry. */
export const mockSettings = {
  services: z
    .int({ error: 'not a count; allowed: 1 to 100000' })
    .min(1, { error: 'not a count; allowed: 1 to 100000' })
    .max(100_000, { error: 'not a count; allowed: 1 to 100000' })
    .optional()
    .describe('A generated fleet of so many services in place of the two test services.'),
  endpoints: z
    .int({ error: 'not a count; allowed: 0 to 1000000' })
    .min(0, { error: 'not a count; allowed: 0 to 1000000' })
    .max(1_000_000, { error: 'not a count; allowed: 0 to 1000000' })
    .optional()
    .describe('Endpoints of the fleet in all. Default: two a service.'),
  faults: z
    .array(faultSchema, { error: 'not a list; allowed: a list of faults' })
    .optional()
    .describe('What goes wrong, and when.'),
};

export type MockSettings = z.infer<z.ZodObject<typeof mockSettings>>;
export type Fault = z.infer<typeof faultSchema>;
