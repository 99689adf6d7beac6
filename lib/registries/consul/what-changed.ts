import type { Registration } from './answer-schemas';
import type { Lists, ViewedService, ViewedServices } from './catalog-view';
import { failingChecks, failingOn, type FailingChecks } from './failing-checks';
import type { ServiceGroups, ServiceId } from './group-services';
import { isPassing, nodeKey } from './instance';

/** A service that has to be read again. */
export type Touch = { readonly id: ServiceId; readonly readAs: string };

export type Touches = ReadonlyMap<ServiceId, Touch>;

export const NO_TOUCHES: Touches = new Map();

/**
 * The services that newer lists speak of: names that came or went, other tags, checks that fail or do not fail as they did
 * when the service was read, nodes with another address or meta since. Meta, port, address and weights of instances are in
 * no list; those are what the sweep is for.
 *
 * Checks and nodes are held against what was read and not against the lists before: a reading may have met a state that
 * came and went between two lists. What was read after the list is not touched by it; a newer list is on its way then.
 */
export function touchedServices(before: Lists, after: Lists, services: ViewedServices): Touches {
  const { groups } = after.services;
  const failing = failingChecks(after.checks.failing);
  const touched = [
    ...[...services.values()]
      .filter((service) => hasOtherChecks(service, after, failing) || hasOtherNodes(service, after))
      .map(({ id }) => id),
    ...[...groups.keys()].filter((id) => !services.has(id) || tagsDiffer(before.services.groups, groups, id)),
    ...[...services.keys()].filter((id) => !groups.has(id)),
  ];
  return touchesOf(touched, services, groups);
}

/**
 * The services whose names the list has no more, as views without them take it. They are not asked for: they had no
 * instance when the list was at its index, and those that were read since are left, for the list comes again then.
 */
export function servicesThatLeft(
  services: ViewedServices,
  { groups, index, filtered }: Lists['services'],
): ReadonlyMap<ServiceId, undefined> {
  const left = [...services.values()].filter((service) => !groups.has(service.id) && !wasReadAt(service, index));
  return new Map(filtered ? [] : left.map(({ id }) => [id, undefined]));
}

/**
 * The services that a node's registrations differ in from those in view: another index, new, or gone. Names that are not
 * in the list of services belong to none of ours.
 */
export function touchedByNode(
  node: string,
  registrations: readonly Registration[],
  services: ViewedServices,
  groups: ServiceGroups,
): Touches {
  const known = new Map(
    [...services.values()].flatMap(({ id: service, instances }) =>
      instances
        .filter((one) => nodeKey(one.node.name) === nodeKey(node))
        .map(({ id, modifyIndex }) => [registrationKey(service, id), { service, modifyIndex }] as const),
    ),
  );
  const touched = new Set<ServiceId>();
  for (const { id, serviceName, modifyIndex } of registrations) {
    const service = serviceName.toLowerCase();
    const key = registrationKey(service, id);
    if (known.get(key)?.modifyIndex !== modifyIndex) touched.add(service);
    known.delete(key);
  }
  for (const { service } of known.values()) touched.add(service);
  return touchesOf(touched, services, groups);
}

/** With the service: an instance that is registered anew under another name has left the one that it was of. */
function registrationKey(service: ServiceId, id: string): string {
  return JSON.stringify([service, id]);
}

/** These services as touches, those that are neither in view nor in the list left out. */
export function touchesOf(ids: Iterable<ServiceId>, services: ViewedServices, groups: ServiceGroups): Touches {
  const touches = new Map<ServiceId, Touch>();
  for (const id of ids) {
    const named = groups.get(id) ?? services.get(id);
    if (named !== undefined) touches.set(id, { id, readAs: named.readAs });
  }
  return touches;
}

/** Only of the instances in view: the list has checks of instances that are not selected as well. */
function hasOtherChecks(service: ViewedService, { checks }: Lists, failing: FailingChecks): boolean {
  if (wasReadAt(service, checks.index)) return false;
  return service.instances.some(({ id, node, checks: known }) => {
    const [ofNode, own] = [failingOn(failing, node.name), failingOn(failing, node.name, id)];
    const read = known.filter((check) => !isPassing(check));
    return (
      read.length !== ofNode.size + own.size ||
      read.some((check) => (own.get(check.id) ?? ofNode.get(check.id))?.status !== check.status)
    );
  });
}

function hasOtherNodes(service: ViewedService, { nodes }: Lists): boolean {
  if (wasReadAt(service, nodes.index)) return false;
  return service.instances.some(({ node }) => {
    return nodes.byKey.get(nodeKey(node.name))?.modifyIndex !== node.modifyIndex;
  });
}

/**
 * Whether a service was read when a list was at this index, or later: its own index moves with its registrations, their
 * checks and their nodes.
 */
export function wasReadAt(service: ViewedService, index: number): boolean {
  return service.index !== undefined && service.index >= index;
}

function tagsDiffer(before: ServiceGroups, after: ServiceGroups, id: ServiceId): boolean {
  const [tagsBefore, tagsAfter] = [before.get(id)?.tags ?? [], after.get(id)?.tags ?? []];
  return JSON.stringify(tagsBefore) !== JSON.stringify(tagsAfter);
}
