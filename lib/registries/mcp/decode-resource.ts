import * as z from 'zod';
import type { RawEntry } from '../external/decode-entry';
import type { EncodedMessage } from './ads-stream';
import { anySchema, decodeXdsMessage, type MessageName } from './xds-messages';

const RESOURCE = 'istio.mcp.v1alpha1.Resource';

const textMap = z.record(z.string(), z.string());

const resourceSchema = z.object({
  metadata: z.object(
    {
      name: z.string(),
      createTime: z.object({ seconds: z.number(), nanos: z.number() }).optional(),
      labels: textMap,
      annotations: textMap,
    },
    { error: 'it has no metadata' },
  ),
  body: z
    .unknown()
    .refine((body) => body !== undefined, { error: 'it has no body' })
    .pipe(anySchema),
});

/**
 * An object out of its wrapping, with a spec of the given message, in the form that a manifest has. A status never comes
 * this way: istiod does not send it (istio pkg/config, PilotConfigToResource).
 *
 * @throws when the bytes are none, or of another type.
 */
export function decodeResource(spec: MessageName, { typeUrl, value }: EncodedMessage): RawEntry {
  requireType(RESOURCE, typeUrl);
  const { metadata, body } = resourceSchema.parse(decodeXdsMessage(RESOURCE, value));
  requireType(spec, body.typeUrl);
  const [namespace, name] = splitName(metadata.name);
  const creationTimestamp = timestampOf(metadata.createTime);
  return {
    metadata: {
      name,
      namespace,
      labels: metadata.labels,
      annotations: metadata.annotations,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: decodeXdsMessage(spec, body.value),
  };
}

/** `type.googleapis.com/<full name>`, or another prefix (google/protobuf/any.proto). */
function requireType(wanted: MessageName, typeUrl: string): void {
  const actual = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
  if (actual !== wanted) throw new TypeError(`it is of type ${JSON.stringify(typeUrl)}, and not ${wanted}`);
}

/** `<namespace>/<name>`. */
function splitName(name: string): readonly [string, string] {
  const slash = name.indexOf('/');
  return [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)];
}

/** Go's zero time, which istiod sends for "not known": 1 January of the year 1. */
const GO_ZERO_TIME_S = -62_135_596_800;

function timestampOf(time: { readonly seconds: number; readonly nanos: number } | undefined): string | undefined {
  if (time === undefined || time.seconds <= GO_ZERO_TIME_S) return undefined;
  return new Date(time.seconds * 1000 + Math.floor(time.nanos / 1_000_000)).toISOString();
}
