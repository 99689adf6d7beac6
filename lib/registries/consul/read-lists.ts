import type { CatalogApi, ListQuery } from './catalog-api';
import type { ListName, Lists } from './catalog-view';
import { groupServices } from './group-services';
import { inParallel } from './in-parallel';
import { nodeKey } from './instance';

/** One list as it is now, or with `waiting` as soon as it has changed. */
export async function readList(api: CatalogApi, name: ListName, query: ListQuery): Promise<Partial<Lists>> {
  switch (name) {
    case 'services': {
      const { body, index, filtered } = await api.services(query);
      return { services: { ...groupServices(body), index, filtered } };
    }
    case 'checks': {
      const { body, index, filtered } = await api.failingChecks(query);
      return { checks: { failing: body, index, filtered } };
    }
    case 'nodes': {
      const { body, index, filtered } = await api.nodes(query);
      return { nodes: { byKey: new Map(body.map((node) => [nodeKey(node.name), node])), index, filtered } };
    }
  }
}

/** The three lists as they are now. */
export async function readLists(api: CatalogApi, signal: AbortSignal): Promise<Lists> {
  return { ...NO_LISTS, ...(await readSome(api, LIST_NAMES, signal)) };
}

/**
 * The answers to waiting requests, made sure of: one that has ended with the very index that it was to get past has waited
 * in vain, or a snapshot was restored, upon which Consul answers with what was before
 * (`agent/blockingquery/blockingquery.go`, AbandonCh). Only a request that does not wait tells which.
 */
export async function assured(
  api: CatalogApi,
  before: Lists,
  answered: Partial<Lists>,
  signal: AbortSignal,
): Promise<Partial<Lists>> {
  const withoutNews = LIST_NAMES.filter((name) => answered[name]?.index === before[name].index);
  return { ...answered, ...(await readSome(api, withoutNews, signal)) };
}

async function readSome(api: CatalogApi, names: readonly ListName[], signal: AbortSignal): Promise<Partial<Lists>> {
  const parts = await inParallel(names, signal, (name, each) => readList(api, name, { signal: each }));
  return parts.reduce((lists, part) => ({ ...lists, ...part }), {});
}

export const LIST_NAMES: readonly ListName[] = ['services', 'checks', 'nodes'];

const NO_LISTS: Lists = {
  services: { groups: new Map(), notes: [], index: 0, filtered: false },
  checks: { failing: [], index: 0, filtered: false },
  nodes: { byKey: new Map(), index: 0, filtered: false },
};

/** Consul was restored or rebuilt: nothing that was read before can be compared any more, and waiting starts at 0. */
export function wentBackwards(before: Lists, after: Partial<Lists>): boolean {
  return LIST_NAMES.some((name) => {
    const index = after[name]?.index;
    return index !== undefined && index < before[name].index;
  });
}
