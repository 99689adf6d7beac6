import type { RegistryContext } from '../provider-definition';
import type { Registry, RegistryReading } from '../registry';
import { ClusterState } from './cluster-state';
import { KubernetesReader, type KubernetesReaderOptions } from './kubernetes-reader';
import type { KubernetesSettings } from './settings';

/** The services of one Kubernetes cluster. */
export class KubernetesRegistry implements Registry {
  readonly provider = 'Kubernetes';
  readonly cluster: string;
  readonly #reader: KubernetesReader;

  /** @throws InvalidValueError when the settings name more than one way into the cluster. */
  constructor(context: RegistryContext, settings: KubernetesSettings, options: KubernetesReaderOptions) {
    this.cluster = context.cluster;
    const { cluster, domainSuffix, trustDomain } = context;
    const { network, systemNamespace, publishUnhealthy, workloads, serviceEntries } = settings;
    const conversion = {
      cluster,
      domainSuffix,
      trustDomain,
      network,
      systemNamespace,
      publishUnhealthy,
      workloads,
      serviceEntries,
    };
    this.#reader = new KubernetesReader(context, settings, options, {
      services: 'kubernetes',
      makeState: () => new ClusterState(conversion),
    });
  }

  read(signal: AbortSignal): AsyncGenerator<RegistryReading> {
    return this.#reader.read(signal);
  }
}
