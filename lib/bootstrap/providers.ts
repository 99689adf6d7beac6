import { consulProvider } from '../registries/consul/consul-provider';
import { externalProvider } from '../registries/external/external-provider';
import { kubernetesProvider } from '../registries/kubernetes/kubernetes-provider';
import { mcpProvider } from '../registries/mcp/mcp-provider';
import { mockProvider } from '../registries/mock/mock-provider';
import type { ProviderDefinition } from '../registries/provider-definition';

/** The providers there are, one line each. */
export const PROVIDERS: readonly ProviderDefinition[] = [
  kubernetesProvider,
  consulProvider,
  mcpProvider,
  externalProvider,
  mockProvider,
];
