import type { ProviderId } from '../model/provider-id';
import { makeRegistryId, type RegistryId } from '../model/registry-id';
import type { ProviderDefinition } from '../registries/provider-definition';
import { formatPath, type DocumentPath } from './configuration-document';
import { DEFAULT_CLUSTER, type RegistryOutput } from './configuration-schema';

/** A registry that its provider's schema has accepted. */
export type RegistryInput = {
  readonly definition: ProviderDefinition;
  /** What it is: of the definition's provider, or its companion. */
  readonly provider: ProviderId;
  readonly value: RegistryOutput;
  /** What the schema was given. */
  readonly written: Readonly<Record<string, unknown>>;
  /** Where the document lists it. */
  readonly path: DocumentPath;
  /** Not in the document: added because there is always one. */
  readonly isAdded: boolean;
};

export function clusterOf({ value }: RegistryInput): string {
  return value.cluster ?? DEFAULT_CLUSTER;
}

export function idOf(registry: RegistryInput): RegistryId {
  return makeRegistryId(registry.provider, clusterOf(registry));
}

/** Keeps the first of the registries with one id, with a warning for each of the others. */
export function withoutDoubles(registries: readonly RegistryInput[]): {
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

/**
 * The registries, each followed by the companion that its settings ask for. A companion whose id another registry has is a
 * mistake and not a double: the two read different things, and neither can stand for the other.
 */
export function withCompanions(
  registries: readonly RegistryInput[],
  report: (path: DocumentPath, message: string, value: unknown) => void,
): readonly RegistryInput[] {
  const listed = new Map(registries.map((registry) => [idOf(registry), registry]));
  return registries.flatMap((registry) => {
    const { companion } = registry.definition;
    if (companion === undefined || registry.value[companion.wantedBy] !== true) return [registry];
    const second: RegistryInput = { ...registry, provider: companion.provider };
    const other = listed.get(idOf(second));
    if (other !== undefined) {
      report([...registry.path, companion.wantedBy], collision(registry, other), true);
    }
    return [registry, second];
  });
}

function collision(registry: RegistryInput, other: RegistryInput): string {
  const both = `makes ${idOf(registry)} two registries, itself and ${idOf(other)}`;
  return other.isAdded
    ? `${both}, which is the one that is always there; allowed: another cluster name than ${clusterOf(registry)}`
    : `${both}, which ${formatPath(other.path)} is; allowed: another cluster name for one of them`;
}
