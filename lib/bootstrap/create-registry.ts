import { AppError, describeError } from '../model/app-error';
import { loadFactory, type ProviderDefinition, type RegistryContext } from '../registries/provider-definition';
import type { Registry } from '../registries/registry';
import type { RegistryConfiguration } from './configuration';

/**
 * Makes the registry that a configuration describes. Nothing is read yet.
 * @param baseDir folder that relative paths of the settings are relative to.
 * @throws AppError `UnsupportedProviderError` when no definition has the provider; `RegistryConfigurationError` when the
 * provider refuses its settings.
 */
export async function createRegistry(
  configuration: RegistryConfiguration,
  definitions: readonly ProviderDefinition[],
  baseDir: string,
): Promise<Registry> {
  const { provider, listedAs, cluster, mode, domainSuffix, trustDomain, settings } = configuration;
  const definition = definitions.find((candidate) => candidate.provider === listedAs);
  if (definition === undefined) {
    const supported = definitions.map((candidate) => candidate.provider).join(', ');
    throw new AppError(`Registry ${configuration.id}: ${listedAs} is not supported; supported: ${supported}`, {
      code: 'UnsupportedProviderError',
    });
  }
  const context: RegistryContext = { cluster, mode, domainSuffix, trustDomain, baseDir };
  try {
    const create = await loadFactory(definition, provider);
    return create(context, settings);
  } catch (error) {
    throw new AppError(`Registry ${configuration.id} cannot be set up: ${describeError(error).message}`, {
      code: 'RegistryConfigurationError',
      cause: error,
    });
  }
}
