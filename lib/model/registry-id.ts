import { InvalidValueError } from './app-error';
import { isProviderId, PROVIDER_IDS, type ProviderId } from './provider-id';

/** `provider/cluster`, e.g. `Kubernetes/eks-prod`; unique among the registries of one installation. */
export type RegistryId = `${ProviderId}/${string}`;

/** What a cluster name may look like; it becomes part of ids, function names and table keys. */
export const CLUSTER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** @throws InvalidValueError when the cluster name does not match {@link CLUSTER_NAME}. */
export function makeRegistryId(provider: ProviderId, cluster: string): RegistryId {
  if (!CLUSTER_NAME.test(cluster)) {
    throw new InvalidValueError(
      `Cluster name ${JSON.stringify(cluster)} is not allowed: 1 to 63 letters, digits, ".", "_" or "-", starting with a letter or digit`,
    );
  }
  return `${provider}/${cluster}`;
}

/** @throws InvalidValueError when the text is not `provider/cluster`. */
export function parseRegistryId(text: string): {
  readonly id: RegistryId;
  readonly provider: ProviderId;
  readonly cluster: string;
} {
  const slash = text.indexOf('/');
  const provider = slash < 0 ? text : text.slice(0, slash);
  const cluster = slash < 0 ? '' : text.slice(slash + 1);
  if (!isProviderId(provider) || slash < 0) {
    throw new InvalidValueError(
      `Registry ${JSON.stringify(text)} is not of the form provider/cluster, with a provider of ${PROVIDER_IDS.join(', ')}`,
    );
  }
  return { id: makeRegistryId(provider, cluster), provider, cluster };
}
