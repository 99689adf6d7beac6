import type { ProviderDefinition } from '../provider-definition';
import { kubernetesSettings } from './settings';

/** Kubernetes clusters as a provider. `load` brings the client library, and the AWS clients only for an EKS cluster. */
export const kubernetesProvider: ProviderDefinition<typeof kubernetesSettings> = {
  provider: 'Kubernetes',
  settings: kubernetesSettings,
  watch: 'default',
  async load() {
    const { KubernetesRegistry } = await import('./kubernetes-registry');
    const { systemClock } = await import('../../runtime/system-clock');
    return (context, settings) => new KubernetesRegistry(context, settings, { clock: systemClock });
  },
};
