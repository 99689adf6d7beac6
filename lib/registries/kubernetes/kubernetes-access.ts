import path from 'node:path';
import { InvalidValueError } from '../../model/app-error';
import type { Clock } from '../../runtime/clock';
import type { RegistryContext } from '../provider-definition';
import type { ApiConnection, ClusterAccess } from './cluster-access';
import type { EksAccess, EksCluster } from './eks-access';
import { KubeconfigAccess } from './kubernetes-kubeconfig-access';
import type { KubernetesSettings } from './settings';

type Ways = Pick<KubernetesSettings, 'kubeconfig' | 'context' | 'inCluster' | 'eks'>;

/** The way into a cluster that the settings name. @throws InvalidValueError when they name more than one. */
export function clusterAccess(
  { cluster, baseDir }: Pick<RegistryContext, 'cluster' | 'baseDir'>,
  { kubeconfig, context, inCluster = false, eks }: Ways,
  clock: Clock,
): ClusterAccess {
  const named = Object.entries({ kubeconfig: kubeconfig !== undefined, inCluster, eks: eks !== undefined })
    .filter(([, chosen]) => chosen)
    .map(([name]) => name);
  if (named.length > 1) {
    throw new InvalidValueError(
      `Registry Kubernetes/${cluster} has ${named.join(' and ')}: only one way in is allowed`,
    );
  }
  if (context !== undefined && (inCluster || eks !== undefined)) {
    throw new InvalidValueError(
      `Registry Kubernetes/${cluster} has a context, which belongs to a kubeconfig, beside ${named.join()}`,
    );
  }
  if (eks !== undefined) return new LazyEksAccess(eks, clock);
  if (inCluster) return new KubeconfigAccess({ type: 'in-cluster' });
  const chosen = context === undefined ? {} : { context };
  if (kubeconfig === undefined) return new KubeconfigAccess({ type: 'default', ...chosen });
  return new KubeconfigAccess({ type: 'file', path: path.resolve(baseDir, kubeconfig), ...chosen });
}

/** Spares everybody without an EKS cluster the time and memory of the AWS clients. */
class LazyEksAccess implements ClusterAccess {
  readonly #load: () => Promise<EksAccess>;
  #access: Promise<EksAccess> | undefined;
  #loaded: EksAccess | undefined;

  constructor(cluster: EksCluster, clock: Clock) {
    this.#load = async () => {
      const { EksAccess, awsEksApi } = await import('./eks-access');
      return new EksAccess(cluster, awsEksApi, clock);
    };
  }

  async connect(): Promise<ApiConnection> {
    this.#loaded = await (this.#access ??= this.#load());
    return this.#loaded.connect();
  }

  refused(): void {
    this.#loaded?.refused();
  }

  close(): void {
    this.#loaded?.close();
  }
}
