import { compareText } from '../../model/compare';
import type { Note } from '../../model/note';
import type { Unreadable } from '../../model/registry-row';
import type { ServiceSnapshot } from '../../model/service-snapshot';
import type { FullReading, ReadingCost, RegistryReading } from '../registry';
import type { FailingCheck } from './answer-schemas';
import type { ServiceGroups, ServiceId } from './group-services';
import type { Instance, InstanceNode } from './instance';
import { CATALOG_SOURCE, CHECKS_SOURCE, NODES_SOURCE } from './sources';

/** What every list answer says beside its content. */
type Listed = { readonly index: number; readonly filtered: boolean };

/** The three lists that a watch waits for. Only the first decides which services there are. */
export type Lists = {
  readonly services: Listed & { readonly groups: ServiceGroups; readonly notes: readonly Note[] };
  readonly checks: Listed & { readonly failing: readonly FailingCheck[] };
  /** By `nodeKey`. */
  readonly nodes: Listed & { readonly byKey: ReadonlyMap<string, InstanceNode> };
};

export type ListName = keyof Lists;

/** A service as it was last read, and as lists have shown its nodes since. */
export type ViewedService = {
  readonly id: ServiceId;
  readonly readAs: string;
  /** Of the answer that it was read from; `undefined` while it is unreadable. */
  readonly index: number | undefined;
  readonly instances: readonly Instance[];
  /** Absent while it is unreadable, and when the settings select no instance of it. */
  readonly snapshot: ServiceSnapshot | undefined;
  readonly notes: readonly Note[];
  readonly unreadable?: Unreadable;
};

export type ViewedServices = ReadonlyMap<ServiceId, ViewedService>;

/** All that a registry remembers between two looks at Consul. */
export type CatalogView = {
  readonly lists: Lists;
  readonly services: ViewedServices;
  /** The index that each node was last seen at, for the next sweep. */
  readonly nodeIndexes: ReadonlyMap<string, number>;
};

/** The view with some services read again; `undefined` is one that has left Consul. */
export function withServices(view: CatalogView, read: ReadonlyMap<ServiceId, ViewedService | undefined>): CatalogView {
  const services = new Map(view.services);
  for (const [id, service] of read) {
    if (service === undefined) services.delete(id);
    else services.set(id, service);
  }
  return { ...view, services };
}

/** Everything in view as a full reading. */
export function fullReading(view: CatalogView, cost: ReadingCost): FullReading {
  const services = [...view.services.values()].sort((a, b) => compareText(a.id, b.id));
  return {
    type: 'full',
    snapshots: services.flatMap(({ snapshot }) => snapshot ?? []).sort((a, b) => compareText(a.key, b.key)),
    unreadable: unreadableOf(view),
    notes: [...view.lists.services.notes, ...services.flatMap(({ notes }) => notes)],
    cost,
  };
}

/**
 * What a reader of `before` has to learn to know `after`; `undefined` when that is nothing. While a source is unreadable,
 * and when the last one has become readable again, that is everything, since a delta cannot say what it does not know.
 */
export function readingBetween(
  before: CatalogView,
  after: CatalogView,
  cost: ReadingCost,
): RegistryReading | undefined {
  const [unreadableBefore, unreadableAfter] = [unreadableOf(before), unreadableOf(after)];
  const changed = [...new Set([...before.services.keys(), ...after.services.keys()])]
    .filter((id) => before.services.get(id) !== after.services.get(id))
    .sort(compareText)
    .map((id) => ({ before: before.services.get(id), after: after.services.get(id) }));
  const upserts = changed.flatMap((pair) => upsertOf(pair.before, pair.after) ?? []);
  const removals = changed.flatMap((pair) => removalOf(pair.before, pair.after) ?? []);
  const nothing = upserts.length === 0 && removals.length === 0;
  if (unreadableBefore.length > 0 || unreadableAfter.length > 0) {
    return nothing && sameSources(unreadableBefore, unreadableAfter) ? undefined : fullReading(after, cost);
  }
  if (nothing) return undefined;
  return {
    type: 'delta',
    upserts,
    removals,
    notes: changed.flatMap((pair) => pair.after?.notes ?? []),
    cost,
  };
}

/** What could not be read, by source. */
export function unreadableOf(view: CatalogView): readonly Unreadable[] {
  const { services, checks, nodes } = view.lists;
  return [
    ...(services.filtered ? [filteredList(CATALOG_SOURCE, 'services are missing from the list')] : []),
    ...(checks.filtered ? [filteredList(CHECKS_SOURCE, 'changes of health may be seen late')] : []),
    ...(nodes.filtered ? [filteredList(NODES_SOURCE, 'changes of nodes may be seen late')] : []),
    ...[...view.services.values()].flatMap(({ unreadable }) => unreadable ?? []),
  ].sort((a, b) => compareText(a.source, b.source));
}

function filteredList(source: string, effect: string): Unreadable {
  return {
    source,
    reason: `Consul's ACLs hide part of ${source}, so that ${effect}: the token needs service:read and node:read on all; or set aclFiltered: accept`,
    seenInPart: true,
  };
}

function upsertOf(before: ViewedService | undefined, after: ViewedService | undefined): ServiceSnapshot | undefined {
  return before?.snapshot?.hash === after?.snapshot?.hash ? undefined : after?.snapshot;
}

function removalOf(before: ViewedService | undefined, after: ViewedService | undefined) {
  return after?.snapshot === undefined ? before?.snapshot?.key : undefined;
}

function sameSources(a: readonly Unreadable[], b: readonly Unreadable[]): boolean {
  return a.length === b.length && a.every(({ source }, index) => source === b[index]?.source);
}
