import type { Clock } from '../../runtime/clock';
import type { RegistryContext } from '../provider-definition';
import type { Registry, RegistryReading } from '../registry';
import type { ClusterAccess } from './cluster-access';
import { clusterAccess } from './kubernetes-access';
import { KubernetesApiServer } from './kubernetes-api-server';
import { DEFAULT_PACE, type Pace } from './pace-changes';
import { readCluster, type ClusterPlan } from './read-cluster';
import { RequestBudget } from '../request-budget';
import type { KubernetesSettings } from './settings';
import { DEFAULT_WATCH_TIMING, type WatchTiming } from './watch-timing';

/** What tests choose otherwise. */
export type KubernetesRegistryOptions = {
  readonly clock: Clock;
  /** @default by the settings: EKS, the Pod's account, a kubeconfig */
  readonly access?: ClusterAccess;
  readonly timing?: WatchTiming;
  readonly pace?: Pace;
};

/** The services of one Kubernetes cluster. */
export class KubernetesRegistry implements Registry {
  readonly provider = 'Kubernetes';
  readonly cluster: string;
  readonly #plan: ClusterPlan;
  readonly #access: ClusterAccess;
  readonly #settings: KubernetesSettings;
  readonly #clock: Clock;

  constructor(context: RegistryContext, settings: KubernetesSettings, options: KubernetesRegistryOptions) {
    this.cluster = context.cluster;
    this.#settings = settings;
    this.#clock = options.clock;
    this.#access = options.access ?? clusterAccess(context, settings, options.clock);
    this.#plan = planOf(context, settings, options);
  }

  /** Each call reads with connections of its own, and gives them back. */
  async *read(signal: AbortSignal): AsyncGenerator<RegistryReading> {
    const api = new KubernetesApiServer(this.#access, new RequestBudget(this.#settings, this.#clock));
    try {
      yield* readCluster(api, this.#plan, this.#clock, signal);
    } finally {
      api.close();
    }
  }
}

function planOf(
  { cluster, mode, domainSuffix, trustDomain }: RegistryContext,
  settings: KubernetesSettings,
  { timing = DEFAULT_WATCH_TIMING, pace = DEFAULT_PACE }: KubernetesRegistryOptions,
): ClusterPlan {
  const { namespaces, labelSelector, workloads, serviceEntries, network, systemNamespace, publishUnhealthy } = settings;
  return {
    mode,
    selection: { namespaces, workloads, serviceEntries, ...(labelSelector === undefined ? {} : { labelSelector }) },
    conversion: {
      cluster,
      domainSuffix,
      trustDomain,
      network,
      systemNamespace,
      publishUnhealthy,
      workloads,
      serviceEntries,
    },
    pageSize: settings.pageSize,
    timing,
    pace,
  };
}
