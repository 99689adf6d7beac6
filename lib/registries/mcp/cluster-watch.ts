import { AppError } from '../../model/app-error';
import { compareText } from '../../model/compare';
import type { Unreadable } from '../../model/registry-row';
import type { AdsAnswer, EncodedMessage } from './ads-stream';
import { clusterSource, decodeClusterEndpoints, type ClusterEndpoint } from './cluster-endpoints';
import { scanTextField } from './scan-text-field';

type WatchedCluster = { readonly endpoints: readonly ClusterEndpoint[] } | { readonly unreadable: Unreadable };

/** Endpoints by cluster. An answer brings some clusters: those that were asked for anew, or have changed. */
export type ClusterWatch = {
  /** What is asked for, sorted. */
  readonly clusters: readonly string[];
  /** What has come. */
  readonly answered: ReadonlyMap<string, WatchedCluster>;
};

export const NO_CLUSTERS: ClusterWatch = { clusters: [], answered: new Map() };

/** The watch over other clusters; what is known of those that stay is kept. */
export function watchClusters(watch: ClusterWatch, clusters: Iterable<string>): ClusterWatch {
  const wanted = [...new Set(clusters)].sort(compareText);
  const isWanted = new Set(wanted);
  return { clusters: wanted, answered: new Map([...watch.answered].filter(([cluster]) => isWanted.has(cluster))) };
}

/** The watch with what an answer brings; a cluster that is not watched any more is passed over. */
export function takeClusters(watch: ClusterWatch, { resources }: AdsAnswer): ClusterWatch {
  const isWanted = new Set(watch.clusters);
  const news = resources.map(readCluster).filter(([cluster]) => isWanted.has(cluster));
  return { ...watch, answered: new Map([...watch.answered, ...news]) };
}

/** Clusters of which nothing has come yet. */
export function awaitedClusters({ clusters, answered }: ClusterWatch): readonly string[] {
  return clusters.filter((cluster) => !answered.has(cluster));
}

export function endpointsOfCluster({ answered }: ClusterWatch, cluster: string): readonly ClusterEndpoint[] {
  const watched = answered.get(cluster);
  return watched !== undefined && 'endpoints' in watched ? watched.endpoints : [];
}

export function unreadableClusters({ answered }: ClusterWatch): readonly Unreadable[] {
  return [...answered.values()].flatMap((watched) => ('unreadable' in watched ? [watched.unreadable] : []));
}

/** Of the name of an `envoy.config.endpoint.v3.ClusterLoadAssignment`. */
const NAME_PATH = [1];

/** @throws AppError when not even the name of the cluster can be read: it may be any, and so nothing is known of all. */
function readCluster(resource: EncodedMessage): readonly [string, WatchedCluster] {
  try {
    const { cluster, endpoints } = decodeClusterEndpoints(resource);
    return [cluster, { endpoints }];
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const cluster = scanTextField(resource.value, NAME_PATH);
    if (cluster === undefined) {
      const message = `The endpoints of a cluster cannot be decoded, and it does not say of which: ${why}`;
      throw new AppError(message, { code: 'McpAnswerUnreadableError', cause });
    }
    return [cluster, { unreadable: { source: clusterSource(cluster), reason: `They cannot be decoded: ${why}` } }];
  }
}
