import { contentHash } from '../model/canonical-json';
import { makeRegistryId, type RegistryId } from '../model/registry-id';
import { DEFAULT_GUARD, type GuardPolicy } from '../polling/poll-settings';
import type { ProviderDefinition } from '../registries/provider-definition';
import type { Configuration, RegistryConfiguration } from './configuration';
import {
  COMMON_REGISTRY_KEYS,
  DEFAULT_CLUSTER,
  type DocumentInput,
  type GuardInput,
  type RegistryOutput,
} from './configuration-schema';

export type ParsedConfiguration = { readonly configuration: Configuration; readonly warnings: readonly string[] };

/** A registry that its provider's schema has accepted. */
export type RegistryInput = {
  readonly definition: ProviderDefinition;
  readonly value: RegistryOutput;
  /** What the schema was given. */
  readonly written: Readonly<Record<string, unknown>>;
};

const DEFAULT_DOMAIN = 'cluster.local';
const DEFAULT_INTERVAL_MS = 5000;
const DEFAULT_MAX_RUN_MS = 14 * 60_000;
const DEFAULT_PUSH = { quietMs: 100, maxMs: 10_000 };

/** Applies defaults, drops registries listed twice (with a warning), and gives each its place in the order of merging. */
export function assembleConfiguration(
  document: DocumentInput,
  registries: readonly RegistryInput[],
  intervalMs: number | undefined,
): ParsedConfiguration {
  const shared = {
    domainSuffix: document.domainSuffix ?? DEFAULT_DOMAIN,
    trustDomain: document.trustDomain ?? DEFAULT_DOMAIN,
    guard: makeGuard(document.guard, DEFAULT_GUARD),
  };
  const { kept, warnings } = withoutDoubles(registries);
  const order = [...kept].sort((a, b) => mergeRank(a) - mergeRank(b));
  return {
    configuration: {
      ...shared,
      registries: kept.map((registry) => configureRegistry(registry, order.indexOf(registry), shared, intervalMs)),
      push: {
        quietMs: document.push?.quiet ?? DEFAULT_PUSH.quietMs,
        maxMs: document.push?.max ?? DEFAULT_PUSH.maxMs,
      },
    },
    warnings,
  };
}

type Shared = Pick<Configuration, 'domainSuffix' | 'trustDomain' | 'guard'>;

function idOf(registry: RegistryInput): RegistryId {
  return makeRegistryId(registry.definition.provider, registry.value.cluster ?? DEFAULT_CLUSTER);
}

/** Kubernetes registries win over all others; sorting is stable, so each group stays in configuration order. */
function mergeRank(registry: RegistryInput): number {
  return registry.definition.provider === 'Kubernetes' ? 0 : 1;
}

function withoutDoubles(registries: readonly RegistryInput[]): {
  readonly kept: readonly RegistryInput[];
  readonly warnings: readonly string[];
} {
  const first = new Map<RegistryId, RegistryInput>();
  const warnings: string[] = [];
  for (const registry of registries) {
    const id = idOf(registry);
    if (first.has(id)) warnings.push(`Registry ${id} is listed twice; the first one is kept`);
    else first.set(id, registry);
  }
  return { kept: [...first.values()], warnings };
}

function configureRegistry(
  registry: RegistryInput,
  precedence: number,
  shared: Shared,
  intervalMs: number | undefined,
): RegistryConfiguration {
  const { definition, value } = registry;
  const named = {
    id: idOf(registry),
    provider: definition.provider,
    cluster: value.cluster ?? DEFAULT_CLUSTER,
    mode: value.mode ?? (definition.watch === 'default' ? 'watch' : 'poll'),
    intervalMs: intervalMs ?? value.interval ?? DEFAULT_INTERVAL_MS,
    maxRunMs: value.maxRun ?? DEFAULT_MAX_RUN_MS,
    ...(value.expireAfter === undefined ? {} : { expireAfterMs: value.expireAfter }),
    paused: value.paused ?? false,
    domainSuffix: value.domainSuffix ?? shared.domainSuffix,
    trustDomain: value.trustDomain ?? shared.trustDomain,
    guard: makeGuard(value.guard, shared.guard),
    precedence,
    settings: ownKeys(value),
  } satisfies Omit<RegistryConfiguration, 'configVersion' | 'writtenSettings'>;
  return { ...named, writtenSettings: ownKeys(registry.written), configVersion: contentHash(named) };
}

/** The keys of the provider's own. */
function ownKeys(registry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(registry).filter(([name]) => !COMMON_REGISTRY_KEYS.has(name)));
}

function makeGuard(input: GuardInput | undefined, fallback: GuardPolicy): GuardPolicy {
  return {
    maxRemovedPercent: input?.maxRemovedPercent ?? fallback.maxRemovedPercent,
    maxRemoved: input?.maxRemoved ?? fallback.maxRemoved,
    confirmations: input?.confirmations ?? fallback.confirmations,
    minHoldMs: input?.minHold ?? fallback.minHoldMs,
    maxHoldMs: input?.maxHold ?? fallback.maxHoldMs,
  };
}
