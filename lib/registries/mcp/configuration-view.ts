import type { Unreadable } from '../../model/registry-row';
import type { ServiceEntry, WorkloadEntry } from '../external/entries';
import type { AdsAnswer } from './ads-stream';
import { CLUSTER_ENDPOINTS } from './cluster-endpoints';
import {
  awaitedClusters,
  NO_CLUSTERS,
  takeClusters,
  unreadableClusters,
  watchClusters,
  type ClusterWatch,
} from './cluster-watch';
import { clustersOf } from './convert-synthetic';
import { syntheticEntries, writtenEntries } from './entries-by-origin';
import { readObjectList, type ObjectList } from './object-list';
import { SERVICE_ENTRY, WORKLOAD_ENTRY } from './object-kind';
import { clustersOfSelectors } from './selected-pods';

/** What the answers so far say of the server's configuration. */
export type ConfigurationView = ObjectLists & {
  /** Version of the latest answer. */
  readonly version: string;
  readonly clusters: ClusterWatch;
  /** What is known from before the stream; only saves decoding it again. */
  readonly remembered: ObjectLists;
};

type ObjectLists = {
  readonly serviceEntries: ObjectList<ServiceEntry> | undefined;
  readonly workloadEntries: ObjectList<WorkloadEntry> | undefined;
};

const NO_LISTS: ObjectLists = { serviceEntries: undefined, workloadEntries: undefined };

export const NOTHING_SEEN: ConfigurationView = {
  version: '',
  ...NO_LISTS,
  clusters: NO_CLUSTERS,
  remembered: NO_LISTS,
};

/** The view at the beginning of a stream, which remembers what an earlier one has seen. */
export function beginAnew({ serviceEntries, workloadEntries, remembered }: ConfigurationView): ConfigurationView {
  return {
    ...NOTHING_SEEN,
    remembered: {
      serviceEntries: serviceEntries ?? remembered.serviceEntries,
      workloadEntries: workloadEntries ?? remembered.workloadEntries,
    },
  };
}

/** The view with an answer. With `synthetic`, the clusters that it watches follow the services and selectors. */
export function takeAnswer(view: ConfigurationView, answer: AdsAnswer, synthetic: boolean): ConfigurationView {
  const { version } = answer;
  const { remembered } = view;
  switch (answer.typeUrl) {
    case SERVICE_ENTRY.typeUrl: {
      const before = view.serviceEntries ?? remembered.serviceEntries;
      const serviceEntries = readObjectList(SERVICE_ENTRY, answer, before);
      const clusters = synthetic ? clustersOfEntries(serviceEntries.entries) : [];
      return { ...view, version, serviceEntries, clusters: watchClusters(view.clusters, clusters) };
    }
    case WORKLOAD_ENTRY.typeUrl: {
      const before = view.workloadEntries ?? remembered.workloadEntries;
      return { ...view, version, workloadEntries: readObjectList(WORKLOAD_ENTRY, answer, before) };
    }
    case CLUSTER_ENDPOINTS:
      return { ...view, version, clusters: takeClusters(view.clusters, answer) };
    default:
      return view;
  }
}

/** What has to come before the view is a reading. */
export function awaited(view: ConfigurationView): readonly string[] {
  return [
    ...(view.serviceEntries === undefined ? [SERVICE_ENTRY.typeUrl] : []),
    ...(view.workloadEntries === undefined ? [WORKLOAD_ENTRY.typeUrl] : []),
    ...awaitedClusters(view.clusters),
  ];
}

/** Whether both lists are of the version that came last, as they are after each push of istiod. */
export function isOfOneVersion({ version, serviceEntries, workloadEntries }: ConfigurationView): boolean {
  return serviceEntries?.version === version && workloadEntries?.version === version;
}

/** What an answer holds that cannot be used; empty when all is well. */
export function unreadableIn(view: ConfigurationView, typeUrl: string): readonly Unreadable[] {
  switch (typeUrl) {
    case SERVICE_ENTRY.typeUrl:
      return view.serviceEntries?.unreadable ?? [];
    case WORKLOAD_ENTRY.typeUrl:
      return view.workloadEntries?.unreadable ?? [];
    default:
      return unreadableClusters(view.clusters);
  }
}

function clustersOfEntries(entries: readonly ServiceEntry[]): readonly string[] {
  return [
    ...syntheticEntries(entries).flatMap(clustersOf),
    ...clustersOfSelectors(writtenEntries(entries)).map(({ cluster }) => cluster),
  ];
}
