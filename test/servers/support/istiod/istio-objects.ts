import * as z from 'zod';

import type { KubeApiServer } from '../kube-apiserver/start-kube-apiserver';

const RESOURCES = { ServiceEntry: 'serviceentries', WorkloadEntry: 'workloadentries' } as const;
const API_VERSION = 'networking.istio.io/v1';
const ITEMS = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string(), namespace: z.string() }) })),
});

export type IstioObject = {
  readonly kind: keyof typeof RESOURCES;
  readonly metadata: { readonly name: string; readonly namespace: string } & Readonly<Record<string, unknown>>;
  readonly spec: object;
};

/** Writes Istio's custom resources to the API server. Each resolves when the server has answered. */
export class IstioObjects {
  readonly #api: KubeApiServer;
  readonly #namespaces = new Set<string>();

  constructor(api: KubeApiServer) {
    this.#api = api;
  }

  async create(object: IstioObject): Promise<void> {
    await this.#needNamespace(object.metadata.namespace);
    await this.#send('POST', collectionOf(object), { apiVersion: API_VERSION, ...object }, 201);
  }

  /** Replaces the spec, whatever it was. */
  async change(object: IstioObject): Promise<void> {
    const address = addressOf(object);
    const { body } = await this.#api.send('GET', address);
    const { metadata } = z.object({ metadata: z.looseObject({ resourceVersion: z.string() }) }).parse(JSON.parse(body));
    const { resourceVersion } = metadata;
    const changed = { apiVersion: API_VERSION, ...object, metadata: { ...object.metadata, resourceVersion } };
    await this.#send('PUT', address, changed, 200);
  }

  async remove(object: Pick<IstioObject, 'kind' | 'metadata'>): Promise<void> {
    await this.#send('DELETE', addressOf(object), undefined, 200);
  }

  /** Removes all objects of both kinds. */
  async removeAll(): Promise<void> {
    for (const kind of ['ServiceEntry', 'WorkloadEntry'] as const) {
      const { body } = await this.#api.send('GET', `/apis/${API_VERSION}/${RESOURCES[kind]}`);
      for (const { metadata } of ITEMS.parse(JSON.parse(body)).items) await this.remove({ kind, metadata });
    }
  }

  async #needNamespace(namespace: string): Promise<void> {
    if (this.#namespaces.has(namespace)) return;
    this.#namespaces.add(namespace);
    await this.#api.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  }

  async #send(method: string, address: string, body: unknown, expected: number): Promise<void> {
    const answer = await this.#api.send(method, address, body);
    if (answer.status !== expected)
      throw new Error(`${method} ${address} was refused: ${answer.status} ${answer.body}`);
  }
}

function collectionOf({ kind, metadata: { namespace } }: Pick<IstioObject, 'kind' | 'metadata'>): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/${RESOURCES[kind]}`;
}

function addressOf(object: Pick<IstioObject, 'kind' | 'metadata'>): string {
  return `${collectionOf(object)}/${object.metadata.name}`;
}
