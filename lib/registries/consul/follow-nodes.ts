import type { Lists, ViewedService, ViewedServices } from './catalog-view';
import type { ConversionRules } from './conversion-rules';
import { failingChecks, failingOn, type FailingChecks } from './failing-checks';
import type { ServiceId } from './group-services';
import { isPassing, nodeKey, type Instance } from './instance';
import { viewService } from './view-service';
import { wasReadAt } from './what-changed';

/**
 * The services on nodes that the lists show otherwise than they are in view: with another address or meta, with other
 * checks of the node itself, or gone along with their instances. The lists hold all of that, so that it costs no request,
 * however many services a node has.
 *
 * What the lists say is taken only where it is newer than what was read: a node with a higher ModifyIndex; a node that is
 * missing from a list of its ModifyIndex or later; checks as of an index that the service was not read at. A list that ACLs
 * hide a part of is not believed, and services that are unreadable stay so; those are to be read.
 */
export function followNodes(
  services: ViewedServices,
  lists: Lists,
  rules: ConversionRules,
): ReadonlyMap<ServiceId, ViewedService> {
  const failing = failingChecks(lists.checks.failing);
  const followed = new Map<ServiceId, ViewedService>();
  for (const service of services.values()) {
    if (service.unreadable !== undefined) continue;
    const instances = service.instances.flatMap((instance) => {
      const moved = withNode(instance, lists);
      return moved === undefined ? [] : [withNodeChecks(moved, service, lists, failing)];
    });
    if (differ(instances, service.instances)) {
      followed.set(service.id, viewService(service, { index: service.index, instances }, rules));
    }
  }
  return followed;
}

/** `undefined` when its node is gone, and with that the instance. */
function withNode(instance: Instance, { nodes }: Lists): Instance | undefined {
  if (nodes.filtered) return instance;
  const known = instance.node.modifyIndex;
  const listed = nodes.byKey.get(nodeKey(instance.node.name));
  if (listed === undefined) return nodes.index >= known ? undefined : instance;
  return listed.modifyIndex > known ? { ...instance, node: listed } : instance;
}

/** Passing checks are not in the list; those that were read stay as they were. */
function withNodeChecks(instance: Instance, service: ViewedService, lists: Lists, failing: FailingChecks): Instance {
  if (lists.checks.filtered || wasReadAt(service, lists.checks.index)) return instance;
  const listed = failingOn(failing, instance.node.name);
  const known = instance.checks.filter((check) => check.serviceId === '' && !isPassing(check));
  const asKnown = known.length === listed.size && known.every(({ id, status }) => listed.get(id)?.status === status);
  if (asKnown) return instance;
  const others = instance.checks.filter((check) => {
    return check.serviceId !== '' || (isPassing(check) && !listed.has(check.id));
  });
  return { ...instance, checks: [...others, ...listed.values()] };
}

function differ(a: readonly Instance[], b: readonly Instance[]): boolean {
  return a.length !== b.length || a.some((instance, position) => instance !== b[position]);
}
