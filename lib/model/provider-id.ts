/**
 * The registries that can be merged: the provider IDs of Istio 1.7
 * (`pilot/pkg/serviceregistry/registry.go`). The list stays open for more.
 */
export const PROVIDER_IDS = ['Kubernetes', 'Consul', 'MCP', 'External', 'Mock'] as const;

export type ProviderId = (typeof PROVIDER_IDS)[number];

export function isProviderId(value: string): value is ProviderId {
  return (PROVIDER_IDS as readonly string[]).includes(value);
}
