import { compareText } from '../model/compare';
import type { RegistryId } from '../model/registry-id';
import type { StoredSnapshot } from '../model/service-snapshot';

/** The snapshots of one service, the one that wins first. At least one. */
export type OrderedSnapshots = readonly [StoredSnapshot, ...StoredSnapshot[]];

/**
 * The snapshots by precedence, then registry id: the order in which they are merged, whatever the order of arrival.
 * Kubernetes registries have the lowest precedence numbers, as in Istio's aggregate controller
 * (`pilot/pkg/serviceregistry/aggregate/controller.go`, addRegistry).
 *
 * @returns `undefined` when there are none.
 */
export function orderSnapshots(snapshots: readonly StoredSnapshot[]): OrderedSnapshots | undefined {
  const [first, ...others] = [...snapshots].sort(
    (a, b) => a.precedence - b.precedence || compareText(a.registry, b.registry),
  );
  return first === undefined ? undefined : [first, ...others];
}

/** Only clusters of Kubernetes have virtual IPs of their own, and networks that may overlap. */
export function isKubernetes(registry: RegistryId): boolean {
  return registry.startsWith('Kubernetes/');
}
