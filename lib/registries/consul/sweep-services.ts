import { AnswerError } from './answer-error';
import type { CatalogApi, Consistency } from './catalog-api';
import type { CatalogView } from './catalog-view';
import { inParallel } from './in-parallel';
import { touchedByNode, touchesOf, type Touch, type Touches } from './what-changed';

export type SweepOptions = {
  readonly api: CatalogApi;
  /** False when the settings hold a filter that a node's registrations cannot be held against. */
  readonly nodesAllowed: boolean;
  /** The highest index of what was just read: a service that has left is the last to know the index of that. */
  readonly newest: number;
  readonly signal: AbortSignal;
};

export type Sweep = {
  readonly touches: Touches;
  readonly nodeIndexes: ReadonlyMap<string, number>;
};

type Probes = Sweep & {
  /** The highest index met. */
  readonly newest: number;
};

/**
 * Finds the services with a changed registration, which the lists do not tell: asks every node or every service, whichever
 * are fewer, for its index alone, and looks closer only where that has moved. Health does not move a node's index, so that
 * the outputs of checks cost nothing.
 *
 * The list of services moved because something has that very index. When nobody does, the answers came from a server that
 * is behind, and the leader is asked once (or it was an instance that is not selected).
 */
export async function sweepServices(view: CatalogView, options: SweepOptions): Promise<Sweep> {
  const probe = sweepsNodes(view, options.nodesAllowed) ? probeNodes : probeServices;
  const probes = await probe(view, 'stale', options);
  const newest = Math.max(probes.newest, options.newest);
  return newest >= view.lists.services.index ? probes : probe(view, 'leader', options);
}

/** Nodes when they are fewer than the services. */
export function sweepsNodes(view: Pick<CatalogView, 'lists'>, nodesAllowed: boolean): boolean {
  return nodesAllowed && view.lists.nodes.modifyIndexes.size < view.lists.services.groups.size;
}

/** The index of each node, for a first sweep to compare with. */
export async function readNodeIndexes(
  nodes: Iterable<string>,
  { api, signal }: Pick<SweepOptions, 'api' | 'signal'>,
): Promise<ReadonlyMap<string, number>> {
  const indexes = await inParallel(nodes, signal, async (node, each) => {
    return [node, await api.nodeIndex(node, { signal: each, consistency: 'stale' })] as const;
  });
  return new Map(indexes);
}

async function probeServices(view: CatalogView, consistency: Consistency, options: SweepOptions): Promise<Probes> {
  const indexes = await inParallel(view.services.values(), options.signal, async (service, signal) => {
    return { service, index: await serviceIndex(service.readAs, { ...options, signal }, consistency) };
  });
  const moved = indexes.filter(({ service, index }) => service.index !== index);
  return {
    touches: touchesOf(
      moved.map(({ service }) => service.id),
      view.services,
      view.lists.services.groups,
    ),
    nodeIndexes: view.nodeIndexes,
    newest: newestOf(indexes.map(({ index }) => index ?? 0)),
  };
}

/** `undefined` when the answer is bad: reading the service will tell what is the matter with it. */
async function serviceIndex(
  name: string,
  { api, signal }: Pick<SweepOptions, 'api' | 'signal'>,
  consistency: Consistency,
): Promise<number | undefined> {
  try {
    return await api.serviceIndex(name, { signal, consistency });
  } catch (error) {
    if (error instanceof AnswerError) return undefined;
    throw error;
  }
}

async function probeNodes(view: CatalogView, consistency: Consistency, options: SweepOptions): Promise<Probes> {
  const nodes = await inParallel(view.lists.nodes.modifyIndexes.keys(), options.signal, async (node, signal) => {
    return probeNode(view, node, { ...options, signal }, consistency);
  });
  const touches = new Map<string, Touch>(nodes.flatMap((node) => [...node.touches]));
  return {
    touches,
    nodeIndexes: new Map(nodes.map(({ node, index }) => [node, index])),
    newest: newestOf(nodes.map(({ index }) => index)),
  };
}

function newestOf(indexes: readonly number[]): number {
  return indexes.reduce((newest, index) => Math.max(newest, index), 0);
}

/** A node that was never asked for its index is looked at closely at once. */
async function probeNode(view: CatalogView, node: string, options: SweepOptions, consistency: Consistency) {
  const { api, signal } = options;
  const known = view.nodeIndexes.get(node);
  const unmoved = known !== undefined && (await api.nodeIndex(node, { signal, consistency })) === known;
  if (unmoved) return { node, index: known, touches: new Map<string, Touch>() };
  const { body, index } = await api.registrations(node, { signal, consistency });
  return { node, index, touches: touchedByNode(node, body, view.services, view.lists.services.groups) };
}
