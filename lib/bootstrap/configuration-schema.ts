import * as z from 'zod';
import { CLUSTER_NAME } from '../model/registry-id';
import { POLL_MODES } from '../model/registry-row';
import { DEFAULT_GUARD } from '../polling/poll-settings';
import type { ProviderDefinition } from '../registries/provider-definition';
import { formatDuration } from '../model/duration';
import { durationSchema } from '../model/duration-schema';
import { valueAt } from './describe-issue';

/** Cluster name of a registry that gives none. */
export const DEFAULT_CLUSTER = 'default';

const domainName = z
  .string({ error: 'not a domain name' })
  .regex(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/, {
    error: 'not a domain name; allowed: labels of letters, digits and "-", separated by "."',
  });

const trustDomain = z
  .string({ error: 'not a trust domain' })
  .regex(/^[A-Za-z0-9@._-]+$/, { error: 'not a trust domain; allowed: letters, digits, "@", ".", "_" and "-"' });

/** Keys of `guard:`, for the document and for each registry; every one is optional. */
const guardShape = {
  maxRemovedPercent: z
    .number({ error: 'not a percentage; allowed: 0 to 100' })
    .min(0, { error: 'not a percentage; allowed: 0 to 100' })
    .max(100, { error: 'not a percentage; allowed: 0 to 100' })
    .optional()
    .describe(
      `Share of a registry's services or endpoints that one reading may remove. Default ${DEFAULT_GUARD.maxRemovedPercent}.`,
    ),
  maxRemoved: z
    .int({ error: 'not a count; allowed: whole numbers from 0 on' })
    .min(0, { error: 'not a count; allowed: whole numbers from 0 on' })
    .optional()
    .describe(`How many it may always remove. Default ${DEFAULT_GUARD.maxRemoved}.`),
  confirmations: z
    .int({ error: 'not a count; allowed: 1 to 100' })
    .min(1, { error: 'not a count; allowed: 1 to 100' })
    .max(100, { error: 'not a count; allowed: 1 to 100' })
    .optional()
    .describe(`Consecutive complete readings that release held removals. Default ${DEFAULT_GUARD.confirmations}.`),
  minHold: durationSchema({ min: '0s', max: '24h' })
    .optional()
    .describe(`Time that those readings span at least. Default ${formatDuration(DEFAULT_GUARD.minHoldMs)}.`),
  maxHold: durationSchema({ min: '1s', max: '168h' })
    .optional()
    .describe(`After it any complete reading is taken. Default ${formatDuration(DEFAULT_GUARD.maxHoldMs)}.`),
};

/** Keys that every registry has, whatever its provider. */
const registryShape = {
  cluster: z
    .string({ error: 'not a cluster name' })
    .regex(CLUSTER_NAME, {
      error: 'not a cluster name; allowed: 1 to 63 letters, digits, ".", "_" or "-", starting with a letter or digit',
    })
    .optional()
    .describe(
      `Name of the cluster or datacenter; with the provider it is the registry's id. Default ${DEFAULT_CLUSTER}.`,
    ),
  mode: z.enum(POLL_MODES).optional().describe('Read again and again, or watch. The default depends on the provider.'),
  interval: durationSchema({ min: '5s', max: '1h', wholeMinutes: true })
    .optional()
    .describe('Time between two readings in poll mode, and while removals are held. Default 5s.'),
  maxRun: durationSchema({ min: '2m', max: '14m' })
    .optional()
    .describe(
      'How long one run of a poller function lasts before it hands over. Default 14m. Not used by the embedded server.',
    ),
  expireAfter: durationSchema({ min: '1m', max: '720h' })
    .optional()
    .describe('After this long without a good reading the endpoints leave, gradually. Default: never.'),
  paused: z
    .boolean({ error: 'not a boolean; allowed: true, false' })
    .optional()
    .describe('Not read; its data stays. Default false.'),
  domainSuffix: domainName.optional().describe("Suffix of generated host names. Default: the document's."),
  trustDomain: trustDomain.optional().describe("SPIFFE trust domain. Default: the document's."),
  guard: z.strictObject(guardShape).optional().describe("When mass removals are held back. Default: the document's."),
};

/** Schema of the document without its registries' insides, which {@link registrySchema} checks one by one. */
export const documentSchema = z.strictObject({
  domainSuffix: domainName.optional().describe('Suffix of generated host names. Default cluster.local.'),
  trustDomain: trustDomain.optional().describe('SPIFFE trust domain of generated identities. Default cluster.local.'),
  registries: z
    .array(z.unknown(), { error: 'not a list; allowed: a list of registries' })
    .optional()
    .describe('The registries to merge.'),
  push: z
    .strictObject({
      quiet: durationSchema({ min: '0s', max: '1m' })
        .optional()
        .describe('A push waits until no change came for this long. Default 100ms.'),
      max: durationSchema({ min: '0s', max: '5m' }).optional().describe('But no longer than this. Default 10s.'),
    })
    .optional()
    .describe('How changes are gathered into one push.'),
  guard: z.strictObject(guardShape).optional().describe('When mass removals are held back.'),
});

/** Schema of one registry of the provider: the common keys and the provider's own. */
export function registrySchema(definition: ProviderDefinition) {
  const mode = definition.watch === 'unsupported' ? z.enum(['poll']).optional() : registryShape.mode;
  return z.strictObject({ provider: z.literal(definition.provider), ...registryShape, mode, ...definition.settings });
}

/** What {@link registrySchema} gives, whatever the provider. */
export type RegistryOutput = z.output<z.ZodObject<typeof registryShape>> & Readonly<Record<string, unknown>>;

/** The keys that a schema allows at a path of the value, for messages; empty where it has no keys of its own. */
export function keysOfSchema(schema: z.ZodObject, root: unknown): (path: readonly PropertyKey[]) => readonly string[] {
  return (path) => {
    const found = path.reduce<Inside>(
      ({ schema: outer, value }, part) => ({ schema: memberOf(outer, value, part), value: valueAt(value, [part]) }),
      { schema, value: root },
    );
    const object = chosen(found.schema, found.value);
    return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
  };
}

type Schema = z.core.$ZodType | undefined;
type Inside = { readonly schema: Schema; readonly value: unknown };

function memberOf(schema: Schema, value: unknown, part: PropertyKey): Schema {
  const outer = chosen(schema, value);
  if (outer instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = outer.shape;
    return shape[String(part)];
  }
  return outer instanceof z.ZodArray ? outer.element : undefined;
}

/** The schema without its wrappings; of several that a member tells apart, the one that the value means. */
function chosen(schema: Schema, value: unknown): Schema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return chosen(schema.unwrap(), value);
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema;
  const { discriminator } = schema.def;
  return schema.options.find((option) => {
    const tag = memberOf(option, value, discriminator);
    return tag instanceof z.ZodType && tag.safeParse(valueAt(value, [discriminator])).success;
  });
}

/** Names of the keys that are not a provider's own. */
export const COMMON_REGISTRY_KEYS: ReadonlySet<string> = new Set(['provider', ...Object.keys(registryShape)]);

export type DocumentInput = z.output<typeof documentSchema>;
export type GuardInput = NonNullable<DocumentInput['guard']>;

/** The JSON Schema (draft 2020-12) of the whole document, for editors and for the error messages' lists of keys. */
export function configurationJsonSchema(definitions: readonly ProviderDefinition[]): Readonly<Record<string, unknown>> {
  const registries = z.array(z.union(definitions.map((definition) => registrySchema(definition)))).optional();
  return z.toJSONSchema(documentSchema.extend({ registries }), { io: 'input', target: 'draft-2020-12' });
}
