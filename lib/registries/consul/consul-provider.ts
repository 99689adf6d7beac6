import { makeRegistryId } from '../../model/registry-id';
import type { Clock } from '../../runtime/clock';
import type { ProviderDefinition, RegistryContext } from '../provider-definition';
import type { CatalogApi } from './catalog-api';
import { ConsulRegistry } from './consul-registry';
import type { ConversionRules } from './conversion-rules';
import type { ConsulClientSettings } from './http-consul-client';
import { consulSettings, type ConsulSettings } from './settings';

/**
 * Consul as a provider. Watching is the default: it asks less of Consul than polling, and a change arrives at once.
 * `load` brings the HTTP client and the reader of secrets.
 */
export const consulProvider: ProviderDefinition<typeof consulSettings> = {
  provider: 'Consul',
  settings: consulSettings,
  watch: 'default',
  load: async () => {
    const { HttpConsulClient } = await import('./http-consul-client');
    const { credentialSource } = await import('../secrets-credentials');
    const { systemClock } = await import('../../runtime/system-clock');
    return (context, settings) => {
      const credentials = credentialSource(settings, context.baseDir);
      const api = new HttpConsulClient(clientSettings(settings), credentials, systemClock);
      return consulRegistry(context, settings, api, systemClock);
    };
  },
};

/** The registry over a given client. */
export function consulRegistry(
  context: Pick<RegistryContext, 'cluster' | 'mode'>,
  settings: ConsulSettings,
  api: CatalogApi,
  clock: Clock,
): ConsulRegistry {
  return new ConsulRegistry({
    cluster: context.cluster,
    mode: context.mode,
    api,
    clock,
    rules: conversionRules(context.cluster, settings),
    hasFilter: settings.filter !== undefined,
    hasNamespace: settings.namespace !== undefined,
    fullReadEveryMs: settings.fullReadEvery,
    waitMs: settings.wait,
  });
}

export function clientSettings(settings: ConsulSettings): ConsulClientSettings {
  const { address, serverName, datacenter, namespace, partition, tags, filter, proxies, consulService } = settings;
  return {
    address,
    ...(serverName === undefined ? {} : { serverName }),
    ...(datacenter === undefined ? {} : { datacenter }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(partition === undefined ? {} : { partition }),
    selection: { tags, proxies, consulService, ...(filter === undefined ? {} : { filter }) },
    acceptFiltered: settings.aclFiltered === 'accept',
    maxStaleMs: settings.maxStale,
    requestTimeoutMs: settings.requestTimeout,
    limits: { maxConcurrency: settings.maxConcurrency, requestsPerSecond: settings.requestsPerSecond },
  };
}

function conversionRules(cluster: string, settings: ConsulSettings): ConversionRules {
  const { namespace = 'default', hostname, domain, servicePort, addressTag, publishUnhealthy } = settings;
  return {
    registry: makeRegistryId('Consul', cluster),
    namespace,
    hostname,
    domain,
    ...(servicePort === undefined ? {} : { servicePort }),
    ...(addressTag === undefined ? {} : { addressTag }),
    publishUnhealthy,
  };
}
