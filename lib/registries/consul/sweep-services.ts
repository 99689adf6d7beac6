import { AnswerError } from './answer-error';
import type { CatalogApi, ReadQuery } from './catalog-api';
import type { CatalogView } from './catalog-view';
import { inParallel } from './in-parallel';
import type { InstanceNode } from './instance';
import { NO_TOUCHES, touchedByNode, touchesOf, type Touches } from './what-changed';

export type SweepOptions = {
  readonly api: CatalogApi;
  /** False when the settings hold a filter that a node's registrations cannot be held against. */
  readonly nodesAllowed: boolean;
  readonly signal: AbortSignal;
};

export type Sweep = {
  readonly touches: Touches;
  readonly nodeIndexes: ReadonlyMap<string, number>;
};

/**
 * Finds the services with a changed registration, which the lists do not tell: asks every node or every service, whichever
 * are fewer, for its index alone, and looks closer only where that has moved. Health does not move a node's index, so that
 * the outputs of checks cost nothing.
 */
export async function sweepServices(view: CatalogView, options: SweepOptions): Promise<Sweep> {
  return sweepsNodes(view, options.nodesAllowed) ? sweepNodes(view, options) : sweepEachService(view, options);
}

/** Nodes when they are fewer than the services. */
export function sweepsNodes(view: Pick<CatalogView, 'lists'>, nodesAllowed: boolean): boolean {
  return nodesAllowed && view.lists.nodes.byKey.size < view.lists.services.groups.size;
}

/** The index of each node, for a first sweep to compare with. */
export async function readNodeIndexes(
  nodes: Iterable<InstanceNode>,
  { api, signal }: Pick<SweepOptions, 'api' | 'signal'>,
): Promise<ReadonlyMap<string, number>> {
  const indexes = await inParallel(nodes, signal, async ({ name }, each) => {
    return [name, await api.nodeIndex(name, { signal: each, consistency: 'stale' })] as const;
  });
  return new Map(indexes);
}

async function sweepEachService(view: CatalogView, options: SweepOptions): Promise<Sweep> {
  const moved = await inParallel(view.services.values(), options.signal, async (service, signal) => {
    return (await serviceIndex(service.readAs, { ...options, signal })) === service.index ? [] : [service.id];
  });
  return {
    touches: touchesOf(moved.flat(), view.services, view.lists.services.groups),
    nodeIndexes: view.nodeIndexes,
  };
}

/** `undefined` when the answer is bad: reading the service will tell what is the matter with it. */
async function serviceIndex(
  name: string,
  { api, signal }: Pick<SweepOptions, 'api' | 'signal'>,
): Promise<number | undefined> {
  try {
    return await api.serviceIndex(name, { signal, consistency: 'leader' });
  } catch (error) {
    if (error instanceof AnswerError) return undefined;
    throw error;
  }
}

async function sweepNodes(view: CatalogView, options: SweepOptions): Promise<Sweep> {
  const nodes = await inParallel(view.lists.nodes.byKey.values(), options.signal, async ({ name }, signal) => {
    return probeNode(view, name, { ...options, signal });
  });
  return {
    touches: new Map(nodes.flatMap((node) => [...node.touches])),
    nodeIndexes: new Map(nodes.map(({ node, index }) => [node, index])),
  };
}

/** A node that was never asked for its index is looked at closely at once. */
async function probeNode(view: CatalogView, node: string, { api, signal }: SweepOptions) {
  const query: ReadQuery = { signal, consistency: 'leader' };
  const known = view.nodeIndexes.get(node);
  const unmoved = known !== undefined && (await api.nodeIndex(node, query)) === known;
  if (unmoved) return { node, index: known, touches: NO_TOUCHES };
  const { body, index } = await api.registrations(node, query);
  return { node, index, touches: touchedByNode(node, body, view.services, view.lists.services.groups) };
}
