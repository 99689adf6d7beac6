import { Stack } from 'aws-cdk-lib';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { RegistryConfiguration } from '../../lib/bootstrap/configuration';
import { makeRegistryId, type RegistryId } from '../../lib/model/registry-id';
import type { DeployedProvider } from '../providers/deployed-provider';
import type { RegistryOptions } from './installation';
import { RegistryPoller, type RegistryPollerProps } from './registry-poller';
import { ServiceEntryBucket } from './service-entry-bucket';

/** What all pollers share, and where each finds its own. */
export interface ReadRegistriesProps extends Omit<RegistryPollerProps, 'registry' | 'bundle' | 'access' | 'options'> {
  readonly registries: readonly RegistryConfiguration[];
  readonly providers: readonly DeployedProvider[];
  readonly options: Readonly<Record<RegistryId, RegistryOptions>>;
}

export type ReadRegistries = {
  readonly pollers: ReadonlyMap<RegistryId, Function>;
  /** Made when an External registry has no source of its own. */
  readonly serviceEntryBucket: Bucket | undefined;
};

/**
 * Makes a poller for each registry.
 * @throws Error when there is no function for its provider.
 */
export function readRegistries(scope: Construct, props: ReadRegistriesProps): ReadRegistries {
  const { registries, providers, options, ...shared } = props;
  const serviceEntryBucket = registries.some((registry) => needsBucket(registry))
    ? new ServiceEntryBucket(scope, 'ServiceEntries', shared.installation).bucket
    : undefined;
  const pollers = registries.map((registry) => {
    const { bundle, access } = providerOf(registry, providers);
    const poller = new RegistryPoller(scope, `Registry ${registry.id.replace('/', ' ')}`, {
      ...shared,
      registry,
      bundle,
      access: access(registry, { stack: Stack.of(scope), serviceEntryBucket }),
      options: options[registry.id] ?? options[makeRegistryId(registry.listedAs, registry.cluster)] ?? {},
    });
    return [registry.id, poller.function] as const;
  });
  return { pollers: new Map(pollers), serviceEntryBucket };
}

function needsBucket({ listedAs, settings }: RegistryConfiguration): boolean {
  return listedAs === 'External' && settings.source === undefined;
}

function providerOf(registry: RegistryConfiguration, providers: readonly DeployedProvider[]): DeployedProvider {
  const provider = providers.find(({ definition }) => definition.provider === registry.listedAs);
  if (provider !== undefined) return provider;
  const supported = providers.map(({ definition }) => definition.provider).join(', ');
  throw new Error(`${registry.id}: this version has no function for ${registry.listedAs}; supported: ${supported}`);
}
