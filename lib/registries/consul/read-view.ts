import type { Clock } from '../../runtime/clock';
import type { CatalogApi, ReadQuery } from './catalog-api';
import { withServices, type CatalogView, type Lists } from './catalog-view';
import type { ConversionRules } from './conversion-rules';
import { followNodes } from './follow-nodes';
import { readLists } from './read-lists';
import { readServices } from './read-services';
import { readNodeIndexes, sweepServices, sweepsNodes } from './sweep-services';
import { servicesThatLeft, touchedServices, touchesOf, type Touches } from './what-changed';

export type ViewReader = {
  readonly api: CatalogApi;
  readonly clock: Clock;
  readonly rules: ConversionRules;
  /** The settings hold a filter, which only answers about instances know. */
  readonly hasFilter: boolean;
  /**
   * Only one namespace is read, whose list of checks need not have those of the nodes, while answers about instances join
   * them from everywhere (Consul `agent/consul/state/catalog.go`, parseCheckServiceNodes).
   */
  readonly hasNamespace: boolean;
};

/** What a step cost Consul in time: a sweep may only be followed by another after a pause as long as itself. */
export type Advance = { readonly view: CatalogView; readonly sweptMs: number };

/**
 * Reads everything over new connections, so with the credentials of now. The lists come first: what changes while the
 * services are read is then still ahead of the lists' indexes.
 *
 * @throws AppError when Consul as a whole cannot be read.
 */
export async function readView(
  reader: ViewReader,
  options: { readonly watched: boolean; readonly signal: AbortSignal },
): Promise<CatalogView> {
  const { api, hasFilter } = reader;
  const { signal } = options;
  api.reconnect();
  const lists = await readLists(api, signal);
  const nodes = options.watched && sweepsNodes({ lists }, !hasFilter) ? lists.nodes.byKey.values() : [];
  const nodeIndexes = await readNodeIndexes(nodes, { api, signal });
  const empty: CatalogView = { lists, services: new Map(), nodeIndexes };
  return readTouched(reader, empty, touchedServices(lists, lists, empty.services), { consistency: 'stale', signal });
}

/**
 * The view moved on to newer lists: first with what they show and name, so that it is not kept waiting; then, when
 * registrations have changed, with what only a sweep can find. The leader is asked: any other server may be behind the one
 * that told of a change, and would answer with what was before it.
 *
 * @throws AppError when Consul as a whole cannot be read.
 */
export async function* advanceView(
  reader: ViewReader,
  view: CatalogView,
  news: { readonly lists: Lists; readonly retries: Touches; readonly signal: AbortSignal },
): AsyncGenerator<Advance> {
  const { lists, retries, signal } = news;
  const query: ReadQuery = { consistency: 'leader', signal };
  const listed = withServices({ ...view, lists }, servicesThatLeft(view.services, lists.services));
  const shown = followsNodes(reader, lists)
    ? withServices(listed, followNodes(listed.services, lists, reader.rules))
    : listed;
  const unread = [...retries].filter(([id]) => shown.services.has(id));
  const touches = new Map([...unread, ...touchedServices(view.lists, lists, shown.services)]);
  const named = await readTouched(reader, shown, touches, query);
  yield { view: named, sweptMs: 0 };
  if (lists.services.index === view.lists.services.index) return;
  const startedAt = reader.clock.now();
  const sweep = await sweepServices(named, { api: reader.api, nodesAllowed: !reader.hasFilter, signal });
  const swept = await readTouched(reader, { ...named, nodeIndexes: sweep.nodeIndexes }, sweep.touches, query);
  yield { view: swept, sweptMs: reader.clock.now() - startedAt };
}

/**
 * Whether what the lists show of nodes is taken from there. Otherwise the services of a changed node are read again: where
 * a filter may look at nodes and checks, where the list of checks lacks those of nodes, and where sweeps compare the index
 * of each service, which has to be that of a reading. That is one request a service, and so never more than such a sweep.
 */
function followsNodes({ hasFilter, hasNamespace }: ViewReader, lists: Lists): boolean {
  return !hasNamespace && sweepsNodes({ lists }, !hasFilter);
}

/** The services that could not be read, to be tried again. */
export function unreadableServices(view: CatalogView): Touches {
  const ids = [...view.services.values()].filter(({ unreadable }) => unreadable !== undefined).map(({ id }) => id);
  return touchesOf(ids, view.services, view.lists.services.groups);
}

async function readTouched(
  { api, rules }: ViewReader,
  view: CatalogView,
  touches: Touches,
  query: ReadQuery,
): Promise<CatalogView> {
  return touches.size === 0 ? view : withServices(view, await readServices(touches, view, { api, rules, ...query }));
}
