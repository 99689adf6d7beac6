import type * as z from 'zod';
import type { Clock } from '../../runtime/clock';
import type { CredentialSource } from '../credential-settings';
import { RequestBudget, type BudgetLimits } from '../request-budget';
import { AnswerError } from './answer-error';
import {
  checkListSchema,
  instancesSchema,
  nodeListSchema,
  registrationsSchema,
  serviceListSchema,
  type FailingCheck,
  type Registration,
} from './answer-schemas';
import type { Answer, CatalogApi, ListQuery, ReadQuery, Spent, Waiting } from './catalog-api';
import { checkAnswer } from './check-answer';
import { HttpConnections } from './http-connections';
import { httpGet } from './http-get';
import type { Instance, InstanceNode } from './instance';
import {
  instanceFilter,
  NO_REGISTRATION,
  NO_SERVICE_INSTANCE,
  NOT_PASSING,
  registrationFilter,
  serviceListFilter,
  type Selection,
} from './selection';

export type ConsulClientSettings = {
  /** `http://host:port` or `https://host:port`, with a path in front of `/v1` if a proxy wants one. */
  readonly address: string;
  readonly serverName?: string;
  readonly datacenter?: string;
  readonly namespace?: string;
  readonly partition?: string;
  readonly selection: Selection;
  readonly acceptFiltered: boolean;
  readonly maxStaleMs: number;
  /** Time limit of one answer; a waiting request has its wait in addition. */
  readonly requestTimeoutMs: number;
  readonly limits: BudgetLimits;
};

type Question = {
  readonly path: string;
  readonly filter: string;
  readonly consistency: 'stale' | 'leader';
  readonly signal: AbortSignal;
  readonly waiting?: Waiting;
};

/** Consul's HTTP API over Node's own client: keep-alive, gzip, budgets, and every answer checked before it is believed. */
export class HttpConsulClient implements CatalogApi {
  readonly #settings: ConsulClientSettings;
  readonly #connections: HttpConnections;
  readonly #budget: RequestBudget;
  #requests = 0;
  #bytes = 0;

  constructor(settings: ConsulClientSettings, credentials: CredentialSource, clock: Clock) {
    this.#settings = settings;
    this.#budget = new RequestBudget(settings.limits, clock);
    this.#connections = new HttpConnections({
      secure: new URL(settings.address).protocol === 'https:',
      credentials,
      ...(settings.serverName === undefined ? {} : { serverName: settings.serverName }),
    });
  }

  get spent(): Spent {
    return { requests: this.#requests, bytes: this.#bytes, connections: this.#connections.opened };
  }

  reconnect(): void {
    this.#connections.renew();
  }

  services(query: ListQuery): Promise<Answer<ReadonlyMap<string, readonly string[]>>> {
    const filter = serviceListFilter(this.#settings.selection);
    return this.#ask(serviceListSchema, { ...query, path: 'catalog/services', filter, consistency: 'stale' });
  }

  failingChecks(query: ListQuery): Promise<Answer<readonly FailingCheck[]>> {
    return this.#ask(checkListSchema, {
      ...query,
      path: 'health/state/any',
      filter: NOT_PASSING,
      consistency: 'stale',
    });
  }

  nodes(query: ListQuery): Promise<Answer<readonly InstanceNode[]>> {
    return this.#ask(nodeListSchema, { ...query, path: 'catalog/nodes', filter: '', consistency: 'stale' });
  }

  instances(name: string, query: ReadQuery): Promise<Answer<readonly Instance[]>> {
    const filter = instanceFilter(this.#settings.selection);
    return this.#ask(instancesSchema, { ...query, path: `health/service/${encodeURIComponent(name)}`, filter });
  }

  async serviceIndex(name: string, query: ReadQuery): Promise<number> {
    const path = `health/service/${encodeURIComponent(name)}`;
    return (await this.#ask(instancesSchema, { ...query, path, filter: NO_SERVICE_INSTANCE })).index;
  }

  registrations(node: string, query: ReadQuery): Promise<Answer<readonly Registration[]>> {
    const filter = registrationFilter(this.#settings.selection);
    return this.#ask(registrationsSchema, {
      ...query,
      path: `catalog/node-services/${encodeURIComponent(node)}`,
      filter,
    });
  }

  async nodeIndex(node: string, query: ReadQuery): Promise<number> {
    const path = `catalog/node-services/${encodeURIComponent(node)}`;
    return (await this.#ask(registrationsSchema, { ...query, path, filter: NO_REGISTRATION })).index;
  }

  /** Waiting requests take no place among those under way: they would fill them all and do nothing. */
  async #ask<Body>(schema: z.ZodType<Body>, question: Question): Promise<Answer<Body>> {
    const { signal } = question;
    if (question.waiting === undefined) return this.#budget.run(signal, () => this.#get(schema, question));
    await this.#budget.rate(signal);
    return this.#get(schema, question);
  }

  async #get<Body>(schema: z.ZodType<Body>, question: Question): Promise<Answer<Body>> {
    const { requestTimeoutMs, maxStaleMs, acceptFiltered } = this.#settings;
    const url = this.#urlOf(question);
    this.#requests += 1;
    const received = await httpGet(this.#connections, {
      url,
      signal: question.signal,
      timeoutMs: requestTimeoutMs + longestWait(question.waiting),
    });
    this.#bytes += received.bytes;
    const asked = { url: `${url.pathname}${url.search}`, hasToken: received.hasToken, maxStaleMs, acceptFiltered };
    const { json, index, filtered } = checkAnswer(received, asked);
    const parsed = schema.safeParse(json);
    if (parsed.success) return { body: parsed.data, index, filtered };
    throw new AnswerError(`${asked.url} answered with JSON of another shape: ${describeIssue(parsed.error)}`, {
      code: 'ConsulAnswerInvalidError',
      details: { url: asked.url },
    });
  }

  #urlOf({ path, filter, consistency, waiting }: Question): URL {
    const { address, datacenter, namespace, partition } = this.#settings;
    const url = new URL(`v1/${path}`, address.endsWith('/') ? address : `${address}/`);
    const parameters = {
      dc: datacenter,
      ns: namespace,
      partition,
      filter: filter === '' ? undefined : filter,
      index: waiting === undefined ? undefined : String(waiting.after),
      wait: waiting === undefined ? undefined : `${waiting.waitMs}ms`,
    };
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    // `leader` keeps an agent with `discovery_max_stale` from answering stale after all (Consul `agent/http.go`).
    url.searchParams.set(consistency, '');
    return url;
  }
}

/** Consul adds up to a sixteenth to the wait, so that not all waiting requests end at once (`agent/consul/rpc.go`). */
function longestWait(waiting: Waiting | undefined): number {
  return waiting === undefined ? 0 : Math.ceil(waiting.waitMs * (1 + 1 / 16));
}

function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? error.message : `${issue.path.join('.')}: ${issue.message}`;
}
