import * as z from 'zod';
import { isProviderId, type ProviderId } from '../model/provider-id';
import type { ProviderDefinition } from '../registries/provider-definition';
import { assembleConfiguration } from './assemble-configuration';
import type { Configuration } from './configuration';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error';
import { formatPath, parseConfigurationDocument, type DocumentPath, type Environment } from './configuration-document';
import { documentSchema, keysOfSchema, registrySchema } from './configuration-schema';
import { describeIssue } from './describe-issue';
import { withCompanions, withoutDoubles, type RegistryInput } from './registry-input';

export type ParsedConfiguration = { readonly configuration: Configuration; readonly warnings: readonly string[] };

/** Values that take the place of what the document says (command-line flags), by provider. */
export type SettingOverrides = Readonly<Partial<Record<ProviderId, Readonly<Record<string, unknown>>>>>;

export type ConfigurationOptions = {
  /** Name of the document, for messages. */
  readonly file: string;
  /** The providers there are: what `provider:` may name. */
  readonly definitions: readonly ProviderDefinition[];
  /** What `${NAME}` stands for; absent on AWS, where the document has to stand for itself. */
  readonly environment?: Environment;
  /**
   * Providers to use instead of all that the document lists (`--registries`, as Istio's pilot-discovery has it): each
   * stands for the document's registries of that provider, or for one with default settings when it has none.
   */
  readonly select?: readonly string[];
  readonly overrides?: SettingOverrides;
  /** Takes the place of the document's `domainSuffix` (`--domain`), and is checked like it. */
  readonly domainSuffix?: string;
  /** Takes the place of every registry's `interval` (`--resync`), in milliseconds; not held to the document's limits. */
  readonly intervalMs?: number;
};

/** A registry as it was written, before it is checked. */
type Candidate = { readonly path: DocumentPath; readonly value: unknown; readonly isAdded?: true };

/**
 * Reads a configuration document (DESIGN "Running it"). A registry listed twice is a warning and the first is kept; the
 * External registry is added, last, when there is none; a registry whose settings ask for a companion becomes two.
 *
 * @throws ConfigurationError with every mistake at once, each with its path, value and what is allowed.
 */
export function parseConfiguration(text: string, options: ConfigurationOptions): ParsedConfiguration {
  const document = parseConfigurationDocument(text, options.environment);
  if (document.value === undefined) throw new ConfigurationError(options.file, document.problems);
  const problems: ConfigurationProblem[] = [...document.problems];
  const report = (path: DocumentPath, message: string, value?: unknown): void => {
    const line = path[0] === SELECT_FLAG ? undefined : document.lineOf(path);
    problems.push({
      path: formatPath(path),
      message,
      ...(value === undefined ? {} : { value: JSON.stringify(value).slice(0, 100) }),
      ...(line === undefined ? {} : { line }),
    });
  };

  const root = withDomain(document.value, options.domainSuffix);
  const parsed = documentSchema.safeParse(root);
  for (const issue of parsed.error?.issues ?? []) {
    for (const { path, message, value } of describeIssue(issue, root, keysOfSchema(documentSchema, root))) {
      report(path, message, value);
    }
  }
  const candidates = withExternal(selected(candidatesOf(document.value), options.select), options.definitions);
  const registries = candidates.flatMap((candidate) => {
    const registry = checkRegistry(candidate, options, report);
    return registry === undefined ? [] : [registry];
  });
  const { kept, warnings } = withoutDoubles(registries);
  const all = withCompanions(kept, report);
  if (problems.length > 0 || !parsed.success) throw new ConfigurationError(options.file, problems);
  return { configuration: assembleConfiguration(parsed.data, all, options.intervalMs), warnings };
}

const SELECT_FLAG = '--registries';

function withDomain(root: unknown, domainSuffix: string | undefined): unknown {
  return domainSuffix !== undefined && typeof root === 'object' && !Array.isArray(root)
    ? { ...root, domainSuffix }
    : root;
}

const named = z.looseObject({ provider: z.string() });

function providerOf(value: unknown): string | undefined {
  return named.safeParse(value).data?.provider;
}

function candidatesOf(document: unknown): readonly Candidate[] {
  const listed = z.looseObject({ registries: z.array(z.unknown()) }).safeParse(document);
  return (listed.data?.registries ?? []).map((value, index) => ({
    path: ['registries', index],
    value,
  }));
}

function selected(listed: readonly Candidate[], select: readonly string[] | undefined): readonly Candidate[] {
  if (select === undefined) return listed;
  return select.flatMap((provider): readonly Candidate[] => {
    const own = listed.filter((candidate) => providerOf(candidate.value) === provider);
    if (own.length > 0) return own;
    return [{ path: [SELECT_FLAG], value: { provider } }];
  });
}

function withExternal(
  candidates: readonly Candidate[],
  definitions: readonly ProviderDefinition[],
): readonly Candidate[] {
  const known = definitions.some((definition) => definition.provider === 'External');
  if (!known || candidates.some((candidate) => providerOf(candidate.value) === 'External')) return candidates;
  return [...candidates, { path: ['registries'], value: { provider: 'External' }, isAdded: true }];
}

function checkRegistry(
  candidate: Candidate,
  options: ConfigurationOptions,
  report: (path: DocumentPath, message: string, value?: unknown) => void,
): RegistryInput | undefined {
  const provider = providerOf(candidate.value);
  const definition = options.definitions.find((known) => known.provider === provider);
  if (definition === undefined) {
    const supported = options.definitions.map((known) => known.provider).join(', ');
    const path = candidate.path[0] === SELECT_FLAG ? candidate.path : [...candidate.path, 'provider'];
    report(
      path,
      provider === undefined ? `missing; supported: ${supported}` : `not supported; supported: ${supported}`,
      provider,
    );
    return undefined;
  }
  const overrides = isProviderId(definition.provider) ? (options.overrides?.[definition.provider] ?? {}) : {};
  const value = { ...named.parse(candidate.value), ...overrides };
  const schema = registrySchema(definition);
  const checked = schema.safeParse(value);
  for (const issue of checked.error?.issues ?? []) {
    for (const described of describeIssue(issue, value, keysOfSchema(schema, value))) {
      report([...candidate.path, ...described.path], described.message, described.value);
    }
  }
  if (!checked.success) return undefined;
  const { path, isAdded = false } = candidate;
  return { definition, provider: definition.provider, value: checked.data, written: value, path, isAdded };
}
