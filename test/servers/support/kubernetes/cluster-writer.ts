import * as z from 'zod';
import type { Manifest } from '../../../support/kube-manifests';
import type { KubeApiServer } from '../kube-apiserver/start-kube-apiserver';

const FOLDERS = {
  services: '/api/v1',
  pods: '/api/v1',
  endpointslices: '/apis/discovery.k8s.io/v1',
  workloadentries: '/apis/networking.istio.io/v1',
  serviceentries: '/apis/networking.istio.io/v1',
} as const;

type Namespaced = keyof typeof FOLDERS;

/** Custom resources have to say what they are. */
const TYPES: Readonly<Record<Namespaced, Manifest>> = {
  services: {},
  pods: {},
  endpointslices: {},
  workloadentries: { apiVersion: 'networking.istio.io/v1', kind: 'WorkloadEntry' },
  serviceentries: { apiVersion: 'networking.istio.io/v1', kind: 'ServiceEntry' },
};

const objectSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({}).optional(),
  status: z.looseObject({}).optional(),
});

type ApiObject = z.infer<typeof objectSchema>;

/** Plays the controllers, schedulers and kubelets of a cluster: writes objects of one namespace into an API server. */
export class ClusterWriter {
  readonly namespace: string;
  readonly #api: KubeApiServer;

  constructor(api: KubeApiServer, namespace: string) {
    this.#api = api;
    this.namespace = namespace;
  }

  /** A writer of a new namespace. */
  static async start(api: KubeApiServer, namespace: string): Promise<ClusterWriter> {
    const writer = new ClusterWriter(api, namespace);
    await writer.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    return writer;
  }

  async create(resource: Namespaced, name: string, manifest: Manifest): Promise<void> {
    const metadata = { ...z.looseObject({}).parse(manifest.metadata ?? {}), name };
    await this.send('POST', this.#folder(resource), { ...TYPES[resource], ...manifest, metadata });
  }

  /** Reads, changes, writes back; `subresource` such as `status`. */
  async edit(
    resource: Namespaced,
    name: string,
    change: (object: ApiObject) => object,
    subresource = '',
  ): Promise<void> {
    const path = `${this.#folder(resource)}/${name}`;
    const object = objectSchema.parse(JSON.parse(await this.send('GET', path)));
    await this.send('PUT', path + (subresource === '' ? '' : `/${subresource}`), change(object));
  }

  async remove(resource: Namespaced, name: string): Promise<void> {
    const now = resource === 'pods' ? '?gracePeriodSeconds=0' : '';
    await this.send('DELETE', `${this.#folder(resource)}/${name}${now}`);
  }

  async service(name: string, spec: Manifest = {}, metadata: Manifest = {}): Promise<void> {
    await this.create('services', name, {
      metadata,
      spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
    });
  }

  /** A Pod that runs and is ready, on `node-a`. */
  async pod(
    name: string,
    ips: readonly string[],
    { labels = {}, spec = {} }: { labels?: Manifest; spec?: Manifest } = {},
  ): Promise<void> {
    await this.create('pods', name, {
      metadata: { labels },
      spec: { nodeName: 'node-a', serviceAccountName: 'runner', containers: [{ name: 'app', image: 'app' }], ...spec },
    });
    const ready = { type: 'Ready', status: 'True' };
    const status = { phase: 'Running', podIP: ips[0], podIPs: ips.map((ip) => ({ ip })), conditions: [ready] };
    await this.edit('pods', name, (pod) => ({ ...pod, status }), 'status');
  }

  /** A slice of the service that lists Pods with their addresses. */
  async slice(
    name: string,
    service: string,
    pods: Readonly<Record<string, string>>,
    more: Manifest = {},
  ): Promise<void> {
    await this.create('endpointslices', name, {
      metadata: { labels: { 'kubernetes.io/service-name': service } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      endpoints: this.listed(pods),
      ...more,
    });
  }

  async relist(name: string, pods: Readonly<Record<string, string>>): Promise<void> {
    await this.edit('endpointslices', name, (slice) => ({ ...slice, endpoints: this.listed(pods) }));
  }

  listed(pods: Readonly<Record<string, string>>): readonly Manifest[] {
    return Object.entries(pods).map(([name, address]) => ({
      addresses: [address],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: 'Pod', namespace: this.namespace, name },
    }));
  }

  async send(method: string, path: string, body?: object): Promise<string> {
    const answer = await this.#api.send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`);
    return answer.body;
  }

  #folder(resource: Namespaced): string {
    return `${FOLDERS[resource]}/namespaces/${this.namespace}/${resource}`;
  }
}
