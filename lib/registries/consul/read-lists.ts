import type { CatalogApi, ListQuery } from './catalog-api';
import type { ListName, Lists } from './catalog-view';
import { groupServices } from './group-services';
import { inParallel } from './in-parallel';

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
      return { nodes: { modifyIndexes: body, index, filtered } };
    }
  }
}

/** The three lists as they are now. */
export async function readLists(api: CatalogApi, signal: AbortSignal): Promise<Lists> {
  const parts = await inParallel(LIST_NAMES, signal, (name, each) => readList(api, name, { signal: each }));
  return parts.reduce<Lists>((lists, part) => ({ ...lists, ...part }), NO_LISTS);
}

export const LIST_NAMES: readonly ListName[] = ['services', 'checks', 'nodes'];

const NO_LISTS: Lists = {
  services: { groups: new Map(), notes: [], index: 0, filtered: false },
  checks: { failing: [], index: 0, filtered: false },
  nodes: { modifyIndexes: new Map(), index: 0, filtered: false },
};

/** Consul was restored or rebuilt: nothing that was read before can be compared any more, and waiting starts at 0. */
export function wentBackwards(before: Lists, after: Partial<Lists>): boolean {
  return LIST_NAMES.some((name) => {
    const index = after[name]?.index;
    return index !== undefined && index < before[name].index;
  });
}
