import type { Clock } from '../../runtime/clock';
import type { RegistryContext } from '../provider-definition';
import type { RegistryReading } from '../registry';
import { RequestBudget } from '../request-budget';
import type { ClusterAccess } from './cluster-access';
import { clusterAccess } from './kubernetes-access';
import { KubernetesApiServer } from './kubernetes-api-server';
import type { MirroredState } from './mirrored-state';
import { DEFAULT_PACE, type Pace } from './pace-changes';
import { readCluster, type ClusterPlan } from './read-cluster';
import type { KubernetesSettings } from './settings';
import { DEFAULT_WATCH_TIMING, type WatchTiming } from './watch-timing';

/** What tests choose otherwise. */
export type KubernetesReaderOptions = {
  readonly clock: Clock;
  /** @default by the settings: EKS, the Pod's account, a kubeconfig */
  readonly access?: ClusterAccess;
  readonly timing?: WatchTiming;
  readonly pace?: Pace;
};

/** Which services are made of the cluster's objects. */
export type KubernetesView = {
  readonly services: 'kubernetes' | 'entries';
  readonly makeState: () => MirroredState;
};

/** Reads one cluster by its settings, for whichever registry. */
export class KubernetesReader {
  readonly #plan: ClusterPlan;
  readonly #access: ClusterAccess;
  readonly #settings: KubernetesSettings;
  readonly #clock: Clock;

  /** @throws InvalidValueError when the settings name more than one way in. */
  constructor(
    context: RegistryContext,
    settings: KubernetesSettings,
    { clock, access, timing = DEFAULT_WATCH_TIMING, pace = DEFAULT_PACE }: KubernetesReaderOptions,
    { services, makeState }: KubernetesView,
  ) {
    const { namespaces, labelSelector, workloads, serviceEntries, pageSize } = settings;
    this.#settings = settings;
    this.#clock = clock;
    this.#access = access ?? clusterAccess(context, settings, clock);
    this.#plan = {
      mode: context.mode,
      selection: {
        namespaces,
        workloads,
        serviceEntries,
        services,
        ...(labelSelector === undefined ? {} : { labelSelector }),
      },
      makeState,
      pageSize,
      timing,
      pace,
    };
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
