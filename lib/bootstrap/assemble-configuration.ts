import { contentHash } from '../model/canonical-json';
import { DEFAULT_GUARD, type GuardPolicy } from '../polling/poll-settings';
import type { Configuration, RegistryConfiguration } from './configuration';
import { COMMON_REGISTRY_KEYS, type DocumentInput, type GuardInput } from './configuration-schema';
import { clusterOf, idOf, type RegistryInput } from './registry-input';

const DEFAULT_DOMAIN = 'cluster.local';
const DEFAULT_INTERVAL_MS = 5000;
const DEFAULT_MAX_RUN_MS = 14 * 60_000;
const DEFAULT_PUSH = { quietMs: 100, maxMs: 10_000 };

/** Applies defaults, and gives each registry its place in the order of merging. */
export function assembleConfiguration(
  document: DocumentInput,
  registries: readonly RegistryInput[],
  intervalMs: number | undefined,
): Configuration {
  const shared = {
    domainSuffix: document.domainSuffix ?? DEFAULT_DOMAIN,
    trustDomain: document.trustDomain ?? DEFAULT_DOMAIN,
    guard: makeGuard(document.guard, DEFAULT_GUARD),
  };
  const order = [...registries].sort((a, b) => mergeRank(a) - mergeRank(b));
  return {
    ...shared,
    registries: registries.map((registry) => configureRegistry(registry, order.indexOf(registry), shared, intervalMs)),
    push: {
      quietMs: document.push?.quiet ?? DEFAULT_PUSH.quietMs,
      maxMs: document.push?.max ?? DEFAULT_PUSH.maxMs,
    },
  };
}

type Shared = Pick<Configuration, 'domainSuffix' | 'trustDomain' | 'guard'>;

/** Kubernetes registries win over all others; sorting is stable, so each group stays in configuration order. */
function mergeRank(registry: RegistryInput): number {
  return registry.provider === 'Kubernetes' ? 0 : 1;
}

function configureRegistry(
  registry: RegistryInput,
  precedence: number,
  shared: Shared,
  intervalMs: number | undefined,
): RegistryConfiguration {
  const { definition, provider, value } = registry;
  const named = {
    id: idOf(registry),
    provider,
    listedAs: definition.provider,
    cluster: clusterOf(registry),
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
