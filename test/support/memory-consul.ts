import type { FailingCheck, Registration } from '../../lib/registries/consul/answer-schemas';
import type { Answer, CatalogApi, ListQuery, ReadQuery, Spent, Waiting } from '../../lib/registries/consul/catalog-api';
import type { Check, Instance, InstanceNode } from '../../lib/registries/consul/instance';
import type { Clock } from '../../lib/runtime/clock';
import { consulInstance } from './consul-instance';

type MemoryNode = { readonly address: string; readonly modifyIndex: number };

type MemoryRegistration = Pick<Instance, 'id' | 'serviceName' | 'port' | 'tags' | 'meta' | 'modifyIndex'> & {
  readonly node: string;
};

type MemoryCheck = Check & { readonly node: string; readonly modifyIndex: number };

/** All of Consul's catalog at one Raft index. */
type World = {
  readonly index: number;
  readonly tables: Readonly<Record<Table, number>>;
  readonly serviceIndexes: ReadonlyMap<string, number>;
  readonly nodeIndexes: ReadonlyMap<string, number>;
  readonly nodes: ReadonlyMap<string, MemoryNode>;
  readonly registrations: ReadonlyMap<string, MemoryRegistration>;
  readonly checks: ReadonlyMap<string, MemoryCheck>;
};

type Table = 'services' | 'checks' | 'nodes';

export type MemoryService = {
  readonly port?: number;
  readonly tags?: readonly string[];
  readonly meta?: Readonly<Record<string, string>>;
};

const EMPTY: World = {
  index: 1,
  tables: { services: 1, checks: 1, nodes: 1 },
  serviceIndexes: new Map(),
  nodeIndexes: new Map(),
  nodes: new Map(),
  registrations: new Map(),
  checks: new Map(),
};

/**
 * Consul's catalog as its HTTP API shows it, in memory: the same Raft indexes move at the same changes as in the real one
 * (1.14.11), lists wait, and stale answers can come from a server that is behind. `test/servers/consul.test.ts` tries the
 * same laws on the real one.
 */
export class MemoryConsul implements CatalogApi {
  /** How many changes the server that gives stale answers about services and nodes is behind. */
  lag = 0;
  /** How long each answer takes; it shows the state at its end. */
  latencyMs = 0;
  /** Requests since the last look, by name, such as `instances web` or `nodeIndex m1 (leader)`. */
  readonly asked: string[] = [];
  /** Thrown, or the signs of ACLs, in place of good answers; by request, such as `instances web`. */
  readonly faults = new Map<string, Error | 'filtered'>();
  reconnects = 0;
  readonly #clock: Clock;
  #history: readonly World[] = [EMPTY];
  #waiting: {
    readonly table: Table;
    readonly after: number;
    readonly wake: () => void;
    readonly restored: () => void;
  }[] = [];
  #requests = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get spent(): Spent {
    return { requests: this.#requests, bytes: this.#requests * 10, connections: this.reconnects };
  }

  /** How many lists are being waited for. */
  get waiting(): number {
    return this.#waiting.length;
  }

  reconnect(): void {
    this.reconnects += 1;
  }

  register(node: string, id: string, serviceName: string, service: MemoryService = {}): void {
    const { port = 80, tags = [], meta = {} } = service;
    if (!this.#now.nodes.has(node)) this.setNode(node, `10.0.0.${this.#now.nodes.size + 1}`);
    const before = this.#now.registrations.get(`${node}/${id}`);
    this.#change(['services'], [serviceName, before?.serviceName ?? serviceName], [node], (index) => ({
      registrations: withEntry(this.#now.registrations, `${node}/${id}`, {
        node,
        id,
        serviceName,
        port,
        tags,
        meta,
        modifyIndex: index,
      }),
    }));
  }

  deregister(node: string, id: string): void {
    const registration = this.#now.registrations.get(`${node}/${id}`);
    if (registration === undefined) return;
    const checks = [...this.#now.checks].filter(([, check]) => check.node !== node || check.serviceId !== id);
    const tables: readonly Table[] = checks.length < this.#now.checks.size ? ['services', 'checks'] : ['services'];
    this.#change(tables, [registration.serviceName], [node], () => ({
      registrations: without(this.#now.registrations, `${node}/${id}`),
      checks: new Map(checks),
    }));
  }

  /** A check of the node, or with `serviceId` of that service on it. */
  setCheck(node: string, id: string, status: string, serviceId = ''): void {
    if (!this.#now.nodes.has(node)) return;
    if (serviceId !== '' && !this.#now.registrations.has(`${node}/${serviceId}`)) return;
    this.#change(['checks'], this.#servicesOf(node, serviceId), [], (index) => ({
      checks: withEntry(this.#now.checks, `${node}/${id}`, { node, id, status, serviceId, modifyIndex: index }),
    }));
  }

  removeCheck(node: string, id: string): void {
    const check = this.#now.checks.get(`${node}/${id}`);
    if (check === undefined) return;
    this.#change(['checks'], this.#servicesOf(node, check.serviceId), [], () => ({
      checks: without(this.#now.checks, `${node}/${id}`),
    }));
  }

  setNode(node: string, address: string): void {
    this.#change(['nodes'], this.#servicesOf(node, ''), [node], (index) => ({
      nodes: withEntry(this.#now.nodes, node, { address, modifyIndex: index }),
    }));
  }

  removeNode(node: string): void {
    for (const { node: of, id } of this.#now.registrations.values()) if (of === node) this.deregister(node, id);
    if (!this.#now.nodes.has(node)) return;
    this.#change(['nodes'], [], [], () => ({ nodes: without(this.#now.nodes, node) }));
  }

  /** Restores a snapshot from halfway back, with its indexes. What waits is answered at once, with what was before. */
  restore(): void {
    for (const { restored } of this.#waiting.splice(0)) restored();
    this.#history = this.#history.slice(0, Math.ceil(this.#history.length / 2));
  }

  async services(query: ListQuery): Promise<Answer<ReadonlyMap<string, readonly string[]>>> {
    return this.#list('services', query, ({ registrations }) => {
      const names = new Map<string, readonly string[]>();
      for (const { serviceName, tags } of registrations.values()) {
        names.set(serviceName, [...(names.get(serviceName) ?? []), ...tags]);
      }
      return names;
    });
  }

  async failingChecks(query: ListQuery): Promise<Answer<readonly FailingCheck[]>> {
    return this.#list('checks', query, ({ checks }) =>
      [...checks.values()]
        .filter(({ status }) => status !== 'passing')
        .map(({ node, id, status, serviceId }) => ({ node, id, status, serviceId })),
    );
  }

  async nodes(query: ListQuery): Promise<Answer<readonly InstanceNode[]>> {
    return this.#list('nodes', query, (world) => [...world.nodes.keys()].map((name) => nodeOf(world, name)));
  }

  instances(name: string, query: ReadQuery): Promise<Answer<readonly Instance[]>> {
    return this.#answer(`instances ${name}`, query, (world) => ({
      body: instancesOf(world, name),
      index: indexOfService(world, name),
    }));
  }

  async serviceIndex(name: string, query: ReadQuery): Promise<number> {
    const answer = await this.#answer(`serviceIndex ${name}`, query, (world) => ({
      body: undefined,
      index: indexOfService(world, name),
    }));
    return answer.index;
  }

  registrations(node: string, query: ReadQuery): Promise<Answer<readonly Registration[]>> {
    return this.#answer(`registrations ${node}`, query, (world) => ({
      body: [...world.registrations.values()].filter((one) => one.node === node),
      index: indexOfNode(world, node),
    }));
  }

  async nodeIndex(node: string, query: ReadQuery): Promise<number> {
    const answer = await this.#answer(`nodeIndex ${node}`, query, (world) => ({
      body: undefined,
      index: indexOfNode(world, node),
    }));
    return answer.index;
  }

  get #now(): World {
    return this.#history.at(-1) ?? EMPTY;
  }

  #servicesOf(node: string, serviceId: string): readonly string[] {
    return [...this.#now.registrations.values()]
      .filter((one) => one.node === node && (serviceId === '' || one.id === serviceId))
      .map(({ serviceName }) => serviceName);
  }

  #change(
    tables: readonly Table[],
    services: readonly string[],
    nodes: readonly string[],
    change: (index: number) => Partial<World>,
  ): void {
    const index = this.#now.index + 1;
    const moved = { ...this.#now.tables, ...Object.fromEntries(tables.map((table) => [table, index])) };
    const world: World = {
      ...this.#now,
      ...change(index),
      index,
      tables: moved,
      serviceIndexes: withAll(
        this.#now.serviceIndexes,
        services.map((name) => name.toLowerCase()),
        index,
      ),
      nodeIndexes: withAll(this.#now.nodeIndexes, nodes, index),
    };
    this.#history = [...this.#history, world];
    this.#wake(({ table, after }) => moved[table] > after);
  }

  #wake(isReady: (waiting: { readonly table: Table; readonly after: number }) => boolean): void {
    const ready = this.#waiting.filter(isReady);
    this.#waiting = this.#waiting.filter((one) => !ready.includes(one));
    for (const { wake } of ready) wake();
  }

  async #list<Body>(table: Table, query: ListQuery, bodyOf: (world: World) => Body): Promise<Answer<Body>> {
    const { waiting, signal } = query;
    signal.throwIfAborted();
    this.#note(waiting === undefined ? table : `wait ${table}`);
    const restored = waiting === undefined ? undefined : await this.#wait(table, waiting, signal);
    await this.#travel(signal);
    const world = restored ?? this.#now;
    return { body: bodyOf(world), index: world.tables[table], filtered: this.#filtered(table) };
  }

  /** Until the table has moved past the index, or the wait is over. Gives the world that a restored snapshot ended. */
  async #wait(table: Table, { after, waitMs }: Waiting, signal: AbortSignal): Promise<World | undefined> {
    if (this.#now.tables[table] > after) return undefined;
    const ended = new AbortController();
    const before: { world?: World } = {};
    const wake = (): void => ended.abort();
    const restored = (): void => {
      before.world = this.#now;
      ended.abort();
    };
    const entry = { table, after, wake, restored };
    this.#waiting.push(entry);
    signal.addEventListener('abort', wake, { once: true });
    await this.#clock.delay(waitMs, ended.signal);
    signal.removeEventListener('abort', wake);
    this.#waiting = this.#waiting.filter((one) => one !== entry);
    return before.world;
  }

  async #travel(signal: AbortSignal): Promise<void> {
    await (this.latencyMs === 0 ? Promise.resolve() : this.#clock.delay(this.latencyMs, signal));
    signal.throwIfAborted();
  }

  async #answer<Body>(
    request: string,
    query: ReadQuery,
    answer: (world: World) => { readonly body: Body; readonly index: number },
  ): Promise<Answer<Body>> {
    this.#note(query.consistency === 'leader' ? `${request} (leader)` : request);
    await this.#travel(query.signal);
    const behind = query.consistency === 'leader' ? 0 : Math.min(this.lag, this.#history.length - 1);
    const world = this.#history[this.#history.length - 1 - behind] ?? this.#now;
    return { ...answer(world), filtered: this.#filtered(request) };
  }

  #note(request: string): void {
    this.#requests += 1;
    this.asked.push(request);
  }

  #filtered(request: string): boolean {
    const fault = this.faults.get(request);
    if (fault instanceof Error) throw fault;
    return fault === 'filtered';
  }
}

function instancesOf(world: World, name: string): readonly Instance[] {
  return [...world.registrations.values()]
    .filter(({ serviceName }) => serviceName.toLowerCase() === name.toLowerCase())
    .map(({ node, ...registration }) =>
      consulInstance({
        ...registration,
        node: nodeOf(world, node),
        checks: [...world.checks.values()]
          .filter((check) => check.node === node && ['', registration.id].includes(check.serviceId))
          .map(({ id, status, serviceId }) => ({ id, status, serviceId })),
      }),
    );
}

function nodeOf(world: World, name: string): InstanceNode {
  return consulInstance({ node: { name, ...(world.nodes.get(name) ?? {}) } }).node;
}

/** The index of a service that exists is its own; else that of the whole table, as after an extinction. */
function indexOfService(world: World, name: string): number {
  const own = world.serviceIndexes.get(name.toLowerCase());
  return instancesOf(world, name).length === 0 ? world.tables.services : (own ?? world.index);
}

function indexOfNode(world: World, node: string): number {
  return world.nodes.has(node) ? (world.nodeIndexes.get(node) ?? 1) : 1;
}

function withEntry<V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> {
  return new Map([...map, [key, value]]);
}

function withAll(
  map: ReadonlyMap<string, number>,
  keys: readonly string[],
  value: number,
): ReadonlyMap<string, number> {
  return new Map([...map, ...keys.map((key) => [key, value] as const)]);
}

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  return new Map([...map].filter(([name]) => name !== key));
}
