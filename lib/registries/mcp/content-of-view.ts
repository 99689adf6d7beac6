import { compareText } from '../../model/compare';
import type { Note } from '../../model/note';
import type { RegistryId } from '../../model/registry-id';
import type { Unreadable } from '../../model/registry-row';
import { makeServiceKey, type ServiceKey } from '../../model/service-key';
import type { ServiceSnapshot } from '../../model/service-snapshot';
import { groupBy } from '../external/group-by';
import { endpointsOfCluster, unreadableClusters } from './cluster-watch';
import type { ConfigurationView } from './configuration-view';
import { convertSynthetic } from './convert-synthetic';
import { syntheticEntries, writtenEntries } from './entries-by-origin';
import type { EntryConversions } from './entry-conversions';
import { clustersOfSelectors, withSelectedPods } from './selected-pods';

/** What a view says of each service that it says anything of. */
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
  const written = writtenEntries(all);
  const endpointsOf = (cluster: string) => endpointsOfCluster(clusters, cluster);
  const { snapshots, notes } = options.conversions.convert(written, workloadEntries?.entries ?? []);
  const synthetic = options.synthetic ? syntheticEntries(all) : [];
  const selecting = groupBy(clustersOfSelectors(written), ({ namespace, host }) => makeServiceKey(namespace, host));
  const podsOf = (key: ServiceKey) => (options.synthetic ? (selecting.get(key) ?? []) : []);
  const lists = [serviceEntries, workloadEntries];
  const united = uniteSnapshots(
    snapshots.map((snapshot) => withSelectedPods(snapshot, podsOf(snapshot.key), endpointsOf)),
    synthetic.map((entry) => convertSynthetic(entry, options.registry, endpointsOf)),
  );
  return {
    snapshots: united.snapshots,
    unreadable: [...lists.flatMap((list) => list?.unreadable ?? []), ...unreadableClusters(clusters)].sort((a, b) =>
      compareText(a.source, b.source),
    ),
    notes: [
      ...lists.flatMap((list) => list?.notes ?? []),
      ...notes,
      ...united.notes,
      ...(options.synthetic ? [] : podsUnknown(selecting.size)),
    ],
  };
}

function podsUnknown(services: number): readonly Note[] {
  if (services === 0) return [];
  const message = `${services} services select workloads by labels: WorkloadEntries are found, but Pods only with synthetic: true`;
  return [{ code: 'SelectedPodsUnknown', message }];
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
