import type { FailingCheck } from './answer-schemas';
import { nodeKey, type Check } from './instance';

type ById = ReadonlyMap<string, Check>;

/** The checks that are not passing, by node and by what they are of. */
export type FailingChecks = ReadonlyMap<string, ById>;

export function failingChecks(list: readonly FailingCheck[]): FailingChecks {
  const places = new Map<string, Map<string, Check>>();
  for (const { node, id, status, serviceId } of list) {
    const place = placeOf(node, serviceId);
    places.set(place, (places.get(place) ?? new Map<string, Check>()).set(id, { id, status, serviceId }));
  }
  return places;
}

/** Those of an instance on a node; without one, those of the node itself. */
export function failingOn(failing: FailingChecks, node: string, serviceId = ''): ById {
  return failing.get(placeOf(node, serviceId)) ?? NONE;
}

const NONE: ById = new Map();

function placeOf(node: string, serviceId: string): string {
  return JSON.stringify([nodeKey(node), serviceId]);
}
