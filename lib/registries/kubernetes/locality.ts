import type { Labels } from '../../model/labels';

/**
 * Locality that a workload's own labels give it, or `undefined`: `topology.istio.io/locality`, then `istio-locality`
 * (Istio `pkg/model/proxy.go`, GetLocalityLabel). Label values cannot hold `/`, so that `.` stands for it unless one is there.
 * A label that is there but empty hides the older one.
 */
export function localityOfLabels(labels: Labels): string | undefined {
  const text = labels['topology.istio.io/locality'] ?? labels['istio-locality'] ?? '';
  if (text === '') return undefined;
  return text.includes('/') ? text : text.replaceAll('.', '/');
}

/**
 * Locality of a node: `region/zone/subzone`, always three parts, empty when the node has none of the labels
 * (Istio `kube/controller/controller.go`, getPodLocality). The beta labels count where the present ones are missing or empty.
 */
export function localityOfNode(labels: Labels): string {
  const region = firstSet(labels, 'topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region');
  const zone = firstSet(labels, 'topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone');
  const subzone = firstSet(labels, 'topology.istio.io/subzone');
  return region === '' && zone === '' && subzone === '' ? '' : `${region}/${zone}/${subzone}`;
}

function firstSet(labels: Labels, ...names: readonly string[]): string {
  return names.map((name) => labels[name] ?? '').find((value) => value !== '') ?? '';
}
