import { canonicalJson } from '../../model/canonical-json';
import { compareText } from '../../model/compare';
import { labelsMatch, type Labels } from '../../model/labels';
import type { SelectableWorkload } from './selectable-workload';

/** Finds workloads by namespace and labels. A registry that keeps its own index may stand in for this one. */
export interface WorkloadIndex {
  /** Those of the namespace that have all the labels; of an empty selector the whole namespace. In canonical order. */
  select(namespace: string, selector: Labels): readonly SelectableWorkload[];
}

/** An index over the workloads: a selector looks only at those that share its rarest label. */
export function indexWorkloads(workloads: readonly SelectableWorkload[]): WorkloadIndex {
  const byNamespace = new Map<string, SelectableWorkload[]>();
  const byLabel = new Map<string, SelectableWorkload[]>();
  for (const workload of [...workloads].sort(compareWorkloads)) {
    append(byNamespace, workload.namespace, workload);
    for (const [name, value] of Object.entries(workload.labels)) {
      append(byLabel, labelKey(workload.namespace, name, value), workload);
    }
  }
  return {
    select(namespace, selector) {
      const candidates = Object.entries(selector)
        .map(([name, value]) => byLabel.get(labelKey(namespace, name, value)) ?? [])
        .reduce((rarest, list) => (list.length < rarest.length ? list : rarest), byNamespace.get(namespace) ?? []);
      return candidates.filter(({ labels }) => labelsMatch(selector, labels));
    },
  };
}

/** By name, then address, then content. */
export function compareWorkloads(a: SelectableWorkload, b: SelectableWorkload): number {
  return (
    compareText(a.workload.name, b.workload.name) ||
    compareText(a.addresses.join(), b.addresses.join()) ||
    compareText(canonicalJson(a), canonicalJson(b))
  );
}

function labelKey(namespace: string, name: string, value: string): string {
  return JSON.stringify([namespace, name, value]);
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
