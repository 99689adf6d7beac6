import type { ProviderDefinition } from '../provider-definition';
import { kubernetesSettings } from './settings';

/**
 * Kubernetes clusters as a provider, and the ServiceEntries of a cluster as its companion. `load` brings the client library,
 * and the AWS clients only for an EKS cluster.
 */
export const kubernetesProvider: ProviderDefinition<typeof kubernetesSettings> = {
  provider: 'Kubernetes',
  settings: kubernetesSettings,
  watch: 'default',
  async load() {
    const { KubernetesRegistry } = await import('./kubernetes-registry');
    const { systemClock } = await import('../../runtime/system-clock');
    return (context, settings) => new KubernetesRegistry(context, settings, { clock: systemClock });
  },
  companion: {
    provider: 'External',
    wantedBy: 'serviceEntries',
    async load() {
      const { KubernetesEntriesRegistry } = await import('./kubernetes-entries-registry');
      const { systemClock } = await import('../../runtime/system-clock');
      return (context, settings) => new KubernetesEntriesRegistry(context, settings, { clock: systemClock });
    },
  },
};
