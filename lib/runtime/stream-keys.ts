import * as z from 'zod';
import { parseServiceKey, type ServiceKey } from '../model/service-key';
import type { KeyOutcome } from '../model/key-outcome';
import { isFailed, type FailedKey } from '../model/key-outcome';

/** A batch of a stream that carries keys only, each with a `service` (Snapshots and Catalog). */
export const streamEventSchema = z.object({
  Records: z.array(
    z.object({
      dynamodb: z.object({
        SequenceNumber: z.string(),
        Keys: z.object({ service: z.object({ S: z.string() }) }),
      }),
    }),
  ),
});

export type StreamEvent = z.output<typeof streamEventSchema>;

/** Lambda's answer for a batch of which parts have to come again. */
export type BatchResponse = { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };

/** The services to look at, each once, and the record that first named it. */
export function servicesOf({ Records: records }: StreamEvent): ReadonlyMap<ServiceKey, string> {
  const first = new Map<ServiceKey, string>();
  for (const { dynamodb } of records) {
    const { key } = parseServiceKey(dynamodb.Keys.service.S);
    if (!first.has(key)) first.set(key, dynamodb.SequenceNumber);
  }
  return first;
}

/**
 * Which records have to come again. Lambda goes on at the first of them; what is looked at twice by that is harmless.
 * ("Reporting batch item failures": the lowest sequence number is the checkpoint.)
 */
export function batchResponse(first: ReadonlyMap<ServiceKey, string>, again: readonly ServiceKey[]): BatchResponse {
  const numbers = again.flatMap((key) => first.get(key) ?? []);
  return { batchItemFailures: numbers.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Failures parted into those that may pass, and those that will not. */
export function partFailures(outcomes: readonly (KeyOutcome | FailedKey)[]): {
  readonly transient: readonly FailedKey[];
  readonly permanent: readonly FailedKey[];
} {
  const failed = outcomes.filter(isFailed);
  return {
    transient: failed.filter(({ transient }) => transient),
    permanent: failed.filter(({ transient }) => !transient),
  };
}
