import type { Labels } from '../../model/labels';

/** An address with a port of its own, as services may have several of (`lan`, `wan`, …). */
export type TaggedAddress = { readonly address: string; readonly port: number | undefined };

export type Check = {
  readonly id: string;
  readonly status: string;
  /** Empty: a check of the node, which counts for every service on it. */
  readonly serviceId: string;
};

/** The node (machine, pod, external host) that an instance is registered on. */
export type InstanceNode = {
  readonly name: string;
  readonly address: string;
  readonly datacenter: string;
  readonly meta: Labels;
  readonly taggedAddresses: Readonly<Record<string, string>>;
  /** Raft index of the last change of address or meta. */
  readonly modifyIndex: number;
};

/** One registered instance as Consul's health API tells it (`CheckServiceNode`): service, its node, and both their checks. */
export type Instance = {
  readonly id: string;
  /** In the spelling of its registration. */
  readonly serviceName: string;
  readonly node: InstanceNode;
  /** Empty: the node's address counts. */
  readonly address: string;
  readonly taggedAddresses: Readonly<Record<string, TaggedAddress>>;
  /** As registered, which may be no port at all: Consul accepts 70000 and -5. */
  readonly port: number | undefined;
  /** Path of a unix socket; empty for none. */
  readonly socketPath: string;
  readonly tags: readonly string[];
  readonly meta: Labels;
  readonly weights: { readonly passing: number; readonly warning: number };
  readonly checks: readonly Check[];
  /** Raft index of the registration's last change; health does not move it. */
  readonly modifyIndex: number;
};

/** What nodes are told apart by: Consul compares their names without case (`agent/consul/state/catalog_schema.go`). */
export function nodeKey(name: string): string {
  return name.toLowerCase();
}

/** A passing check is as good as none. */
export function isPassing(check: Check): boolean {
  return check.status === 'passing';
}

/** How messages name an instance. */
export function nameOf(instance: Instance): string {
  return `${instance.id} on node ${instance.node.name}`;
}
