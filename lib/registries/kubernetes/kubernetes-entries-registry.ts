import type { RegistryContext } from '../provider-definition';
import type { Registry, RegistryReading } from '../registry';
import { EntriesState } from './entries-state';
import { KubernetesReader, type KubernetesReaderOptions } from './kubernetes-reader';
import type { KubernetesSettings } from './settings';

/**
 * The ServiceEntries of one Kubernetes cluster, with the WorkloadEntries and Pods that their selectors choose: an External
 * registry whose manifests are custom resources. A cluster that does not have them is an empty registry with a note.
 */
export class KubernetesEntriesRegistry implements Registry {
  readonly provider = 'External';
  readonly cluster: string;
  readonly #reader: KubernetesReader;

  /** @throws InvalidValueError when the settings name more than one way into the cluster. */
  constructor(context: RegistryContext, settings: KubernetesSettings, options: KubernetesReaderOptions) {
    this.cluster = context.cluster;
    const { cluster, trustDomain } = context;
    const { network, systemNamespace, workloads } = settings;
    this.#reader = new KubernetesReader(context, settings, options, {
      services: 'entries',
      makeState: () => new EntriesState({ cluster, trustDomain, network, systemNamespace, workloads }),
    });
  }

  read(signal: AbortSignal): AsyncGenerator<RegistryReading> {
    return this.#reader.read(signal);
  }
}
