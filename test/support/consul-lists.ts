import type { FailingCheck } from '../../lib/registries/consul/answer-schemas';
import type { Lists } from '../../lib/registries/consul/catalog-view';
import { groupServices } from '../../lib/registries/consul/group-services';
import { nodeKey, type InstanceNode } from '../../lib/registries/consul/instance';
import { consulInstance } from './consul-instance';

type Content = {
  /** Name → tags. */
  readonly services?: Readonly<Record<string, readonly string[]>>;
  readonly checks?: readonly FailingCheck[];
  /** Name → ModifyIndex, or more of the node. @default m1, with index 1 */
  readonly nodes?: Readonly<Record<string, number | Partial<InstanceNode>>>;
};

/** Lists as they are at index 100, of which nothing is hidden. */
export function consulLists({ services = {}, checks = [], nodes = { m1: 1 } }: Content = {}): Lists {
  const listed = { index: 100, filtered: false };
  const all = Object.entries(nodes).map(([name, node]) => {
    return consulInstance({ node: { name, ...(typeof node === 'number' ? { modifyIndex: node } : node) } }).node;
  });
  return {
    services: { ...listed, ...groupServices(new Map(Object.entries(services))) },
    checks: { ...listed, failing: checks },
    nodes: { ...listed, byKey: new Map(all.map((node) => [nodeKey(node.name), node])) },
  };
}
