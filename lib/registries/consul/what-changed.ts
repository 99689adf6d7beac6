import type { FailingCheck, Registration } from './answer-schemas';
import type { Lists, ViewedService, ViewedServices } from './catalog-view';
import type { ServiceGroups, ServiceId } from './group-services';

/** A service that has to be read again. */
export type Touch = { readonly id: ServiceId; readonly readAs: string };

export type Touches = ReadonlyMap<ServiceId, Touch>;

export const NO_TOUCHES: Touches = new Map();

/**
 * The services that the difference between two looks at the lists speaks of: names that came or went, tags, checks that
 * failed or recovered, nodes with another address or meta. Meta, port, address and weights of instances are in no list;
 * those are what the sweep is for. What was read after a change is not touched by it once more.
 */
export function touchedServices(before: Lists, after: Lists, services: ViewedServices): Touches {
  const { groups } = after.services;
  const touched = [
    ...servicesOfHints(before, after, services).map(({ id }) => id),
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
    [...services.values()].flatMap(({ id, registrations: of }) =>
      of
        .filter((one) => sameNode(one.node, node))
        .map((one) => [one.id, { id, modifyIndex: one.modifyIndex }] as const),
    ),
  );
  const touched = new Set<ServiceId>();
  for (const { id, serviceName, modifyIndex } of registrations) {
    const before = known.get(id);
    known.delete(id);
    if (before?.modifyIndex === modifyIndex && before.id === serviceName.toLowerCase()) continue;
    touched.add(serviceName.toLowerCase());
    if (before !== undefined) touched.add(before.id);
  }
  for (const gone of known.values()) touched.add(gone.id);
  return touchesOf(touched, services, groups);
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

function servicesOfHints(before: Lists, after: Lists, services: ViewedServices): readonly ViewedService[] {
  const all = [...services.values()];
  const ofChecks = changedChecks(before, after).flatMap(({ node, serviceName, index }) =>
    all
      .filter((service) => (serviceName === '' ? runsOn(service, node) : service.id === serviceName.toLowerCase()))
      .filter((service) => !wasReadAt(service, index)),
  );
  const ofNodes = changedNodes(before, after).flatMap(({ node, index }) =>
    all.filter((service) => runsOn(service, node) && !wasReadAt(service, index)),
  );
  return [...ofChecks, ...ofNodes];
}

type ChangedCheck = { readonly node: string; readonly serviceName: string; readonly index: number };

/** Failing checks that came, went or have another status, each with an index by which that had happened. */
function changedChecks(before: Lists, after: Lists): readonly ChangedCheck[] {
  const known = new Map(before.checks.failing.map((check) => [checkKey(check), check]));
  const came = after.checks.failing.filter((check) => known.get(checkKey(check))?.status !== check.status);
  const still = new Set(after.checks.failing.map(checkKey));
  const went = before.checks.failing.filter((check) => !still.has(checkKey(check)));
  return [
    ...came.map(({ node, serviceName, modifyIndex }) => ({ node, serviceName, index: modifyIndex })),
    ...went.map(({ node, serviceName }) => ({ node, serviceName, index: after.checks.index })),
  ];
}

function changedNodes(before: Lists, after: Lists): readonly { readonly node: string; readonly index: number }[] {
  const [known, now] = [before.nodes.modifyIndexes, after.nodes.modifyIndexes];
  const changed = [...now].filter(([node, index]) => known.get(node) !== index);
  const gone = [...known.keys()].filter((node) => !now.has(node));
  return [
    ...changed.map(([node, index]) => ({ node, index })),
    ...gone.map((node) => ({ node, index: after.nodes.index })),
  ];
}

function checkKey(check: FailingCheck): string {
  return JSON.stringify([check.node, check.id, check.serviceName]);
}

function wasReadAt(service: ViewedService, index: number): boolean {
  return service.index !== undefined && service.index >= index;
}

function runsOn(service: ViewedService, node: string): boolean {
  return service.registrations.some((registration) => sameNode(registration.node, node));
}

/** Consul compares node names without case (`agent/consul/state/catalog_schema.go`). */
function sameNode(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function tagsDiffer(before: ServiceGroups, after: ServiceGroups, id: ServiceId): boolean {
  const [tagsBefore, tagsAfter] = [before.get(id)?.tags ?? [], after.get(id)?.tags ?? []];
  return JSON.stringify(tagsBefore) !== JSON.stringify(tagsAfter);
}
