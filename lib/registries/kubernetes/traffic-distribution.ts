import type { KubeNamespace, KubeService } from './kube-objects';

export const TRAFFIC_DISTRIBUTION_ANNOTATION = 'networking.istio.io/traffic-distribution';

/** `PreferClose` is the older name of `PreferSameZone` (Kubernetes 1.34 API reference, `trafficDistribution`). */
const OF_SPEC: ReadonlyMap<string, string> = new Map([
  ['PreferClose', 'PreferSameZone'],
  ['PreferSameZone', 'PreferSameZone'],
  ['PreferSameNode', 'PreferSameNode'],
]);

const OF_ANNOTATION: ReadonlyMap<string, string> = new Map(
  [...OF_SPEC].map(([name, meaning]) => [name.toLowerCase(), meaning]),
);

/**
 * Which endpoints are preferred, or `undefined` for any: the spec where its value is known, else the service's annotation,
 * else the namespace's; annotations in any case (Istio `pilot/pkg/model/service.go`, GetTrafficDistribution). An
 * annotation with an unknown value means any and ends the search.
 */
export function trafficDistribution(
  service: Pick<KubeService, 'trafficDistribution' | 'annotations'>,
  namespace: Pick<KubeNamespace, 'trafficDistribution'> | undefined,
): string | undefined {
  const ofSpec = OF_SPEC.get(service.trafficDistribution ?? '');
  if (ofSpec !== undefined) return ofSpec;
  const ofService = service.annotations[TRAFFIC_DISTRIBUTION_ANNOTATION] ?? '';
  const annotation = ofService === '' ? (namespace?.trafficDistribution ?? '') : ofService;
  return OF_ANNOTATION.get(annotation.toLowerCase());
}
