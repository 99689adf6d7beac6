import type * as z from 'zod';
import type { EntryMetadata, ServiceEntry, WorkloadEntry } from './entries';
import { metadataSchema, serviceEntrySpecSchema, statusSchema, workloadEntrySpecSchema } from './entry-schema';
import { problemsOf, type Problem } from './problem';

/** Namespace of an object that names none, as with `kubectl apply`. */
export const DEFAULT_NAMESPACE = 'default';

export type Decoded<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

/** The parts of a Kubernetes object that matter here; anything may be in them. */
export type RawEntry = { readonly metadata?: unknown; readonly spec?: unknown; readonly status?: unknown };

/**
 * A ServiceEntry out of a JSON-like object, whatever brought it: a manifest, the Kubernetes API or a decoded MCP message.
 * All problems at once. Only the shape is checked; the rules of Istio's validation are in `validateServiceEntry`.
 */
export function decodeServiceEntry(object: RawEntry, source: string): Decoded<ServiceEntry> {
  return decode(object, serviceEntrySpecSchema, source, (metadata, spec, status) => ({
    ...metadata,
    spec,
    allocatedAddresses: status.addresses.map(({ host, value }) => ({ host, value })),
  }));
}

/** As {@link decodeServiceEntry}, for a WorkloadEntry. */
export function decodeWorkloadEntry(object: RawEntry, source: string): Decoded<WorkloadEntry> {
  return decode(object, workloadEntrySpecSchema, source, (metadata, spec, status) => ({
    ...metadata,
    spec,
    conditions: status.conditions.map(({ type, status: value }) => ({ type, status: value })),
  }));
}

function decode<Spec, Entry>(
  object: RawEntry,
  specSchema: z.ZodType<Spec>,
  source: string,
  make: (metadata: EntryMetadata, spec: Spec, status: z.output<typeof statusSchema>) => Entry,
): Decoded<Entry> {
  const metadata = metadataSchema.safeParse(object.metadata, { reportInput: true });
  const spec = specSchema.safeParse(object.spec, { reportInput: true });
  const status = statusSchema.safeParse(object.status ?? {}, { reportInput: true });
  if (metadata.success && spec.success && status.success) {
    return { value: make(entryMetadata(metadata.data, source), spec.data, status.data) };
  }
  return {
    problems: [
      ...(metadata.success ? [] : problemsOf(metadata.error, ['metadata'])),
      ...(spec.success ? [] : problemsOf(spec.error, ['spec'])),
      ...(status.success ? [] : problemsOf(status.error, ['status'])),
    ],
  };
}

function entryMetadata(metadata: z.output<typeof metadataSchema>, source: string): EntryMetadata {
  const { name, namespace = DEFAULT_NAMESPACE, labels, annotations, creationTimestamp } = metadata;
  return {
    name,
    namespace,
    labels,
    annotations,
    ...(creationTimestamp === undefined ? {} : { creationTime: new Date(creationTimestamp).toISOString() }),
    source,
  };
}
