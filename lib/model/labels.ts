import { sortedRecord } from './compare';

/** Labels of a service or workload: name → value. */
export type Labels = Readonly<Record<string, string>>;

export function makeLabels(labels: Readonly<Record<string, string>> | undefined): Labels {
  return sortedRecord(labels ?? {});
}

/** Whether all labels of the selector are there with the same value. An empty selector matches everything. */
export function labelsMatch(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value);
}
