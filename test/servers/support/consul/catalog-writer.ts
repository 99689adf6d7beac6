import type { Consul } from './start-consul';

export type CatalogService = {
  readonly id: string;
  readonly name: string;
  readonly port?: number;
  readonly address?: string;
  readonly tags?: readonly string[];
  readonly meta?: Readonly<Record<string, string>>;
  readonly weights?: { readonly passing: number; readonly warning: number };
  readonly kind?: string;
  readonly socketPath?: string;
};

export type CatalogCheck = { readonly id: string; readonly status: string; readonly serviceId?: string };

/** Consul takes 64 operations in a transaction at most (`agent/txn_endpoint.go`, maxTxnOps; 128 from 1.13.2 on). */
const OPERATIONS = 64;

/** Writes to the catalog as tools like consul-esm do, without an agent that would correct it. */
export class CatalogWriter {
  readonly #consul: Consul;

  constructor(consul: Consul) {
    this.#consul = consul;
  }

  async register(node: string, service: CatalogService, checks: readonly CatalogCheck[] = []): Promise<void> {
    await this.#put('/v1/catalog/register', {
      Node: node,
      SkipNodeUpdate: true,
      Address: addressOf(node),
      Service: serviceBody(service),
      Checks: checks.map((check) => checkBody(node, check)),
    });
  }

  async setCheck(node: string, check: CatalogCheck): Promise<void> {
    await this.#put('/v1/catalog/register', { Node: node, SkipNodeUpdate: true, Check: checkBody(node, check) });
  }

  async setNode(node: string, address: string): Promise<void> {
    await this.#put('/v1/catalog/register', { Node: node, Address: address });
  }

  async deregister(node: string, serviceId: string): Promise<void> {
    await this.#put('/v1/catalog/deregister', { Node: node, ServiceID: serviceId });
  }

  async removeCheck(node: string, checkId: string): Promise<void> {
    await this.#put('/v1/catalog/deregister', { Node: node, CheckID: checkId });
  }

  async removeNode(node: string): Promise<void> {
    await this.#put('/v1/catalog/deregister', { Node: node });
  }

  /** Many at once; all nodes are made first. */
  async registerAll(all: readonly (readonly [node: string, service: CatalogService])[]): Promise<void> {
    for (const node of new Set(all.map(([name]) => name))) await this.setNode(node, addressOf(node));
    for (let from = 0; from < all.length; from += OPERATIONS) {
      const operations = all
        .slice(from, from + OPERATIONS)
        .map(([node, service]) => ({ Service: { Verb: 'set', Node: node, Service: serviceBody(service) } }));
      await this.#put('/v1/txn', operations);
    }
  }

  async #put(resource: string, body: unknown): Promise<void> {
    const answer = await this.#consul.send('PUT', resource, body);
    if (answer.status !== 200) throw new Error(`${resource} answered ${answer.status}: ${answer.body}`);
  }
}

/** An address of the node's own: 10.0.x.y of the number in its name. */
export function addressOf(node: string): string {
  const number = Number(/\d+$/.exec(node)?.[0] ?? '0');
  return `10.0.${Math.floor(number / 250)}.${(number % 250) + 1}`;
}

function serviceBody(service: CatalogService) {
  const { id, name, port = 80, address = '', tags = [], meta = {}, weights, kind, socketPath } = service;
  return {
    ID: id,
    Service: name,
    Address: address,
    ...(socketPath === undefined ? { Port: port } : { SocketPath: socketPath }),
    Tags: tags,
    Meta: meta,
    ...(weights === undefined ? {} : { Weights: { Passing: weights.passing, Warning: weights.warning } }),
    ...(kind === undefined ? {} : { Kind: kind, Proxy: { DestinationServiceName: 'web' } }),
  };
}

function checkBody(node: string, { id, status, serviceId }: CatalogCheck) {
  return {
    Node: node,
    CheckID: id,
    Name: id,
    Status: status,
    ...(serviceId === undefined ? {} : { ServiceID: serviceId }),
  };
}
