import { compareText } from '../../model/compare';
import type { Note } from '../../model/note';
import type { Unreadable } from '../../model/registry-row';
import type { RegistryId } from '../../model/registry-id';
import type { ServiceSnapshot } from '../../model/service-snapshot';
import type { ServiceEntry, WorkloadEntry } from '../external/entries';
import type { AdsAnswer } from './ads-stream';
import { CLUSTER_ENDPOINTS } from './cluster-endpoints';
import {
  awaitedClusters,
  endpointsOfCluster,
  NO_CLUSTERS,
  takeClusters,
  unreadableClusters,
  watchClusters,
  type ClusterWatch,
} from './cluster-watch';
import { clustersOf, convertSynthetic, type SyntheticEntry } from './convert-synthetic';
import type { EntryConversions } from './entry-conversions';
import { readObjectList, type ObjectList } from './object-list';
import { SERVICE_ENTRY, WORKLOAD_ENTRY } from './object-kind';
import { syntheticService } from './synthetic-entry';

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

/** The view with an answer. With `synthetic`, the clusters that it watches follow the services. */
export function takeAnswer(view: ConfigurationView, answer: AdsAnswer, synthetic: boolean): ConfigurationView {
  const { version } = answer;
  const { remembered } = view;
  switch (answer.typeUrl) {
    case SERVICE_ENTRY.typeUrl: {
      const before = view.serviceEntries ?? remembered.serviceEntries;
      const serviceEntries = readObjectList(SERVICE_ENTRY, answer, before);
      const clusters = synthetic ? syntheticEntries(serviceEntries.entries).flatMap(clustersOf) : [];
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

export type ViewContent = {
  readonly snapshots: readonly ServiceSnapshot[];
  readonly unreadable: readonly Unreadable[];
  readonly notes: readonly Note[];
};

/** The services of a view in which nothing is awaited. */
export function contentOfView(
  view: ConfigurationView,
  options: { readonly registry: RegistryId; readonly synthetic: boolean; readonly conversions: EntryConversions },
): ViewContent {
  const { serviceEntries, workloadEntries, clusters } = view;
  const all = serviceEntries?.entries ?? [];
  const written = all.filter((entry) => syntheticService(entry) === undefined);
  const { snapshots, notes } = options.conversions.convert(written, workloadEntries?.entries ?? []);
  const synthetic = (options.synthetic ? syntheticEntries(all) : []).map((entry) =>
    convertSynthetic(entry, options.registry, (cluster) => endpointsOfCluster(clusters, cluster)),
  );
  const lists = [serviceEntries, workloadEntries];
  const united = uniteSnapshots(snapshots, synthetic);
  return {
    snapshots: united.snapshots,
    unreadable: [...lists.flatMap((list) => list?.unreadable ?? []), ...unreadableClusters(clusters)].sort((a, b) =>
      compareText(a.source, b.source),
    ),
    notes: [...lists.flatMap((list) => list?.notes ?? []), ...notes, ...united.notes],
  };
}

function syntheticEntries(entries: readonly ServiceEntry[]): readonly SyntheticEntry[] {
  return entries.flatMap((entry) => {
    const service = syntheticService(entry);
    return service === undefined ? [] : [{ entry, service }];
  });
}

/** Where both name a host, the Kubernetes service decides, as among registries; its clusters hold the entries' endpoints too. */
function uniteSnapshots(
  written: readonly ServiceSnapshot[],
  synthetic: readonly ServiceSnapshot[],
): Pick<ViewContent, 'snapshots' | 'notes'> {
  const taken = new Set(synthetic.map(({ key }) => key));
  const shadowed = written.filter(({ key }) => taken.has(key));
  return {
    snapshots: [...written.filter(({ key }) => !taken.has(key)), ...synthetic].sort((a, b) =>
      compareText(a.key, b.key),
    ),
    notes: shadowed.map(({ key, sources }) => ({
      code: 'EntryOfKubernetesService',
      message: `${sources.join(', ')} says more of the Kubernetes service ${key}: the service decides, endpoints are those of both`,
    })),
  };
}
