import type { FailingCheck, Registration } from './answer-schemas';
import type { KnownRegistration, Lists, ViewedService, ViewedServices } from './catalog-view';
import type { ServiceGroups, ServiceId } from './group-services';

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
  const failing = failingChecks(after);
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
    [...services.values()].flatMap(({ id: service, registrations: of }) =>
      of
        .filter((one) => sameNode(one.node, node))
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

/** Status by check, by node and by registration. */
type Failing = ReadonlyMap<string, ReadonlyMap<string, string>>;

function failingChecks({ checks }: Lists): Failing {
  const failing = new Map<string, Map<string, string>>();
  for (const check of checks.failing) {
    const place = placeOf(check.node, check.serviceId);
    failing.set(place, (failing.get(place) ?? new Map<string, string>()).set(check.id, check.status));
  }
  return failing;
}

/** Only of the registrations in view: the list has checks of instances that are not selected as well. */
function hasOtherChecks(service: ViewedService, { checks }: Lists, failing: Failing): boolean {
  if (wasReadAt(service, checks.index)) return false;
  return service.registrations.some((registration) => {
    const ofNode = failing.get(placeOf(registration.node, '')) ?? NO_CHECKS;
    const own = failing.get(placeOf(registration.node, registration.id)) ?? NO_CHECKS;
    const { failing: read } = registration;
    return (
      read.length !== ofNode.size + own.size ||
      read.some(({ id, status }) => (own.get(id) ?? ofNode.get(id)) !== status)
    );
  });
}

const NO_CHECKS: ReadonlyMap<string, string> = new Map();

function hasOtherNodes(service: ViewedService, { nodes }: Lists): boolean {
  if (wasReadAt(service, nodes.index)) return false;
  return service.registrations.some(({ node, nodeIndex }) => nodes.modifyIndexes.get(node) !== nodeIndex);
}

/** The index of a service moves with its registrations, their checks and their nodes. */
function wasReadAt(service: ViewedService, index: number): boolean {
  return service.index !== undefined && service.index >= index;
}

function placeOf(node: string, serviceId: FailingCheck['serviceId']): string {
  return JSON.stringify([node.toLowerCase(), serviceId]);
}

/** Consul compares node names without case (`agent/consul/state/catalog_schema.go`). */
function sameNode(a: KnownRegistration['node'], b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function tagsDiffer(before: ServiceGroups, after: ServiceGroups, id: ServiceId): boolean {
  const [tagsBefore, tagsAfter] = [before.get(id)?.tags ?? [], after.get(id)?.tags ?? []];
  return JSON.stringify(tagsBefore) !== JSON.stringify(tagsAfter);
}
