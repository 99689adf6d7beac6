import { InvalidValueError } from '../../model/app-error';
import type { Clock } from '../../runtime/clock';
import type { CredentialSource } from '../credential-settings';
import type { ProviderDefinition, RegistryContext } from '../provider-definition';
import type { AdsClient } from './ads-stream';
import type { GrpcAdsClientOptions } from './grpc-ads-client';
import { McpRegistry } from './mcp-registry';
import { parseServerAddress } from './server-address';
import { mcpSettings, type McpSettings } from './settings';
import { xdsNode } from './xds-node';

/**
 * istiod's configuration over xDS as a provider. Watching is the default: a push costs less than a new stream, and a change
 * arrives at once. `load` brings gRPC and the reader of secrets.
 */
export const mcpProvider: ProviderDefinition<typeof mcpSettings> = {
  provider: 'MCP',
  settings: mcpSettings,
  watch: 'default',
  load: async () => {
    const { GrpcAdsClient } = await import('./grpc-ads-client');
    const { credentialSource } = await import('../secrets-credentials');
    const { systemClock } = await import('../../runtime/system-clock');
    return (context, settings) => {
      const credentials = credentialSource(settings, context.baseDir);
      const client = new GrpcAdsClient(clientOptions(context, settings, credentials, systemClock));
      return mcpRegistry(context, settings, client);
    };
  },
};

/** The registry over a given client. */
export function mcpRegistry(
  { cluster, mode, trustDomain }: Pick<RegistryContext, 'cluster' | 'mode' | 'trustDomain'>,
  { address, synthetic, answerTimeout }: McpSettings,
  client: AdsClient,
): McpRegistry {
  return new McpRegistry({ cluster, mode, trustDomain, client, address, synthetic, answerTimeoutMs: answerTimeout });
}

/** @throws InvalidValueError when credentials would go over the wire in the clear. */
export function clientOptions(
  { cluster, domainSuffix }: Pick<RegistryContext, 'cluster' | 'domainSuffix'>,
  settings: McpSettings,
  credentials: CredentialSource,
  clock: Clock,
): GrpcAdsClientOptions {
  const { address, serverName, namespace, clusterId } = settings;
  const server = parseServerAddress(address, serverName);
  if (server === undefined) throw new InvalidValueError(`${address} is not the address of an xDS server`);
  const { token, tokenFile, tokenSecret, caFile, caSecret, clientCert } = settings;
  const given = { token, tokenFile, tokenSecret, caFile, caSecret, clientCert, serverName };
  const needsTls = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (!server.secure && needsTls.length > 0) {
    throw new InvalidValueError(`${address} is without TLS, which ${needsTls.join(', ')} needs; allowed: xdss://`);
  }
  return { server, node: xdsNode({ cluster, namespace, domainSuffix, clusterId }), credentials, clock };
}
