import type { FailingCheck, Registration } from './answer-schemas';
import type { Instance, InstanceNode } from './instance';

export type Answer<Body> = {
  readonly body: Body;
  /** Raft index of what was asked for (`X-Consul-Index`); never 0. */
  readonly index: number;
  /** Whether Consul left something out that the token may not see. */
  readonly filtered: boolean;
};

/** Answers as soon as the index is above `after`, else after `waitMs` with the state as it is. */
export type Waiting = { readonly after: number; readonly waitMs: number };

/** `stale`: any server may answer, within the bound on its age. `leader`: the leader does. */
export type Consistency = 'stale' | 'leader';

export type ListQuery = { readonly signal: AbortSignal; readonly waiting?: Waiting };

export type ReadQuery = { readonly signal: AbortSignal; readonly consistency: Consistency };

/** What asking has cost since the client was made. */
export type Spent = { readonly requests: number; readonly bytes: number; readonly connections: number };

/**
 * The part of Consul's HTTP API that a registry reads, with the settings' selection (kinds, tags, filter) applied at the
 * server. An answer is checked before it is returned: a leader is known, the server is not behind, nothing was cut off.
 *
 * Every method throws AppError; AnswerError where only that answer is bad and others may be good. Aborting rejects with the
 * signal's reason.
 */
export interface CatalogApi {
  /** Names and tags of the services that have a selected instance. */
  services(query: ListQuery): Promise<Answer<ReadonlyMap<string, readonly string[]>>>;
  /** All checks that are not passing. A passing one is as good as none, and most are. */
  failingChecks(query: ListQuery): Promise<Answer<readonly FailingCheck[]>>;
  /** All nodes, those without services as well. */
  nodes(query: ListQuery): Promise<Answer<readonly InstanceNode[]>>;
  /** The selected instances of a service, under any spelling of its name. */
  instances(name: string, query: ReadQuery): Promise<Answer<readonly Instance[]>>;
  /** The index of `instances`, without their bodies. */
  serviceIndex(name: string, query: ReadQuery): Promise<number>;
  /** What is registered on a node (kinds and tags selected, `filter` not: it speaks of health answers). */
  registrations(node: string, query: ReadQuery): Promise<Answer<readonly Registration[]>>;
  /** The index of `registrations`, without their bodies. */
  nodeIndex(node: string, query: ReadQuery): Promise<number>;
  /** Lets go of all connections, so that the next requests use the credentials of then. */
  reconnect(): void;
  readonly spent: Spent;
}
