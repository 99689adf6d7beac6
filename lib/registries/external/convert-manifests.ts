import { compareText, sortedUnique } from '../../model/compare';
import type { Note } from '../../model/note';
import type { RegistryId } from '../../model/registry-id';
import { convertServiceEntries, type Conversion } from './convert-service-entries';
import type { EntryMetadata } from './entries';
import { groupBy } from './group-by';
import type { Manifest } from './parse-manifest';
import { workloadOfEntry } from './selectable-workload';
import { indexWorkloads } from './workload-index';

/** The services of all readable manifests together: selectors reach over files, hosts may have entries in several. */
export function convertManifests(
  manifests: readonly Manifest[],
  registry: RegistryId,
  trustDomain: string,
): Conversion {
  const serviceEntries = manifests.flatMap((manifest) => manifest.serviceEntries);
  const workloadEntries = manifests.flatMap((manifest) => manifest.workloadEntries);
  const workloads = indexWorkloads(
    workloadEntries.map((entry) => workloadOfEntry(entry, trustDomain)).filter((workload) => workload !== undefined),
  );
  const { snapshots, notes } = convertServiceEntries(serviceEntries, { registry, trustDomain, workloads });
  return {
    snapshots,
    notes: [
      ...doublesNotes('ServiceEntry', serviceEntries),
      ...doublesNotes('WorkloadEntry', workloadEntries),
      ...notes,
    ],
  };
}

/** A cluster cannot hold two objects of one name; manifests can, and then all of them count. */
function doublesNotes(kind: string, entries: readonly EntryMetadata[]): readonly Note[] {
  return [...groupBy(entries, ({ namespace, name }) => `${namespace}/${name}`)]
    .filter(([, group]) => group.length > 1)
    .sort(([a], [b]) => compareText(a, b))
    .map(([object, group]) => ({
      code: 'DuplicateObject',
      message: `${kind} ${object} stands ${group.length} times, in ${sortedUnique(group.map(({ source }) => source)).join(', ')}: all of them count`,
    }));
}
