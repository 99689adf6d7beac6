import { compareText } from '../../model/compare';
import type { RegistryId } from '../../model/registry-id';
import type { ServiceKey } from '../../model/service-key';
import {
  convertService,
  entriesByService,
  type Contributor,
  type Conversion,
} from '../external/convert-service-entries';
import type { ServiceEntry, WorkloadEntry } from '../external/entries';
import { workloadOfEntry, type SelectableWorkload } from '../external/selectable-workload';
import { indexWorkloads, type WorkloadIndex } from '../external/workload-index';

type Known = { readonly builtFrom: readonly unknown[]; readonly conversion: Conversion };

/**
 * Converts ServiceEntries, and keeps what it made: a service is built anew when one of its entries, or a workload that they
 * select, is another value than before. The result is that of `convertServiceEntries`.
 */
export class EntryConversions {
  readonly #registry: RegistryId;
  readonly #trustDomain: string;
  readonly #workloads = new WeakMap<WorkloadEntry, { readonly workload: SelectableWorkload | undefined }>();
  #known: ReadonlyMap<ServiceKey, Known> = new Map();

  constructor(registry: RegistryId, trustDomain: string) {
    this.#registry = registry;
    this.#trustDomain = trustDomain;
  }

  convert(entries: readonly ServiceEntry[], workloadEntries: readonly WorkloadEntry[]): Conversion {
    const workloads = indexWorkloads(workloadEntries.flatMap((entry) => this.#workloadOf(entry) ?? []));
    const known = new Map(
      [...entriesByService(entries)]
        .sort(([a], [b]) => compareText(a, b))
        .map(([key, contributors]) => [key, this.#convertService(key, contributors, workloads)]),
    );
    this.#known = known;
    const conversions = [...known.values()].map(({ conversion }) => conversion);
    return {
      snapshots: conversions.flatMap(({ snapshots }) => snapshots),
      notes: conversions.flatMap(({ notes }) => notes),
    };
  }

  #convertService(key: ServiceKey, contributors: readonly Contributor[], workloads: WorkloadIndex): Known {
    const builtFrom = contributors.flatMap(({ entry }) => [entry, ...selectedBy(entry, workloads)]);
    const before = this.#known.get(key);
    if (before !== undefined && haveSameItems(before.builtFrom, builtFrom)) return before;
    const context = { registry: this.#registry, trustDomain: this.#trustDomain, workloads };
    return { builtFrom, conversion: convertService(contributors, context) };
  }

  #workloadOf(entry: WorkloadEntry): SelectableWorkload | undefined {
    const before = this.#workloads.get(entry);
    if (before !== undefined) return before.workload;
    const workload = workloadOfEntry(entry, this.#trustDomain);
    this.#workloads.set(entry, { workload });
    return workload;
  }
}

function selectedBy({ namespace, spec }: ServiceEntry, workloads: WorkloadIndex): readonly SelectableWorkload[] {
  return spec.workloadSelector === undefined ? [] : workloads.select(namespace, spec.workloadSelector.labels);
}

function haveSameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
