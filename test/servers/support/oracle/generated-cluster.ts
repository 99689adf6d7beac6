import type { Manifest } from '../../../support/kube-manifests';

export type GeneratedObject = {
  readonly resource: 'services' | 'endpointslices' | 'pods' | 'workloadentries' | 'serviceentries';
  readonly name: string;
  readonly manifest: Manifest;
  /** Written to the status subresource afterwards. */
  readonly status?: Manifest;
};

/** A small, seeded source of chance (mulberry32), so that a difference can be looked at again. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  one<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('nothing to choose from');
    return value;
  }

  maybe<T>(probability: number, value: T): T | undefined {
    return this.next() < probability ? value : undefined;
  }
}

type ChosenPort = {
  readonly name: string;
  readonly port: number;
  readonly targetPort?: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
};

const PORTS: readonly ChosenPort[] = [
  { name: 'http', port: 80, targetPort: 8080 },
  { name: 'grpc-api', port: 9000 },
  { name: 'grpc-web', port: 9001 },
  { name: 'https-x', port: 443 },
  { name: 'mysql', port: 3306 },
  { name: 'odd', port: 3306 },
  { name: 'odd-name', port: 7000 },
  { name: 'smtp', port: 25 },
  { name: 'dns', port: 53, protocol: 'UDP' },
  { name: 'plain', port: 81, appProtocol: 'kubernetes.io/h2c' },
  { name: 'ws', port: 82, appProtocol: 'kubernetes.io/ws' },
  { name: 'http-own', port: 83, appProtocol: 'example.com/own' },
  { name: 'web', port: 84, appProtocol: 'http' },
  { name: 'redis', port: 6379 },
  { name: 'tls-sctp', port: 85, protocol: 'SCTP' },
];

/** Services of every kind with their Pods, slices and machines. Names carry the number, so that all are alike in nothing. */
export function generatedServices(chance: Chance, count: number): readonly GeneratedObject[] {
  return Array.from({ length: count }, (_, n) => serviceWithBackends(chance, n)).flat();
}

function serviceWithBackends(chance: Chance, n: number): readonly GeneratedObject[] {
  const name = `s-${n}`;
  const ports = chosenPorts(chance);
  const kind = chance.one([
    'ClusterIP',
    'ClusterIP',
    'ClusterIP',
    'headless',
    'dual',
    'LoadBalancer',
    'NodePort',
    'alias',
  ]);
  const service = generatedService(chance, n, kind, ports);
  if (kind === 'alias') return [service];
  const pods = Array.from({ length: chance.below(4) }, (_, p) => generatedPod(chance, n, p, kind === 'dual'));
  const slices = generatedSlices(chance, name, n, pods, ports, kind === 'dual');
  const machines = Array.from({ length: chance.maybe(0.3, 2) ?? 0 }, (_, m) => generatedMachine(chance, n, m));
  return [service, ...pods, ...slices, ...machines];
}

function chosenPorts(chance: Chance) {
  const seen = new Set<number>();
  return Array.from({ length: 1 + chance.below(3) }, () => chance.one(PORTS)).filter(
    ({ port }) => !seen.has(port) && seen.add(port),
  );
}

function generatedService(chance: Chance, n: number, kind: string, ports: readonly Manifest[]): GeneratedObject {
  const annotations = {
    ...chance.maybe(0.2, { 'networking.istio.io/exportTo': chance.one(['.', '*', ' a, b ', '~']) }),
    ...chance.maybe(0.2, { 'alpha.istio.io/kubernetes-serviceaccounts': 'one,two' }),
    ...chance.maybe(0.2, { 'alpha.istio.io/canonical-serviceaccounts': 'user@x' }),
    ...chance.maybe(0.2, {
      'networking.istio.io/traffic-distribution': chance.one(['PreferClose', 'prefersamenode', 'odd']),
    }),
    ...chance.maybe(0.3, { 'traffic.istio.io/nodeSelector': '{}' }),
  };
  const labels = {
    number: String(n),
    ...chance.maybe(0.2, { 'istio.io/persistent-session': 'cookie' }),
    ...chance.maybe(0.1, { 'istio.io/persistent-session-header': 'x' }),
  };
  const spec = {
    ports,
    ...(chance.next() < 0.85 ? { selector: { app: `s-${n}` } } : {}),
    ...chance.maybe(0.2, { externalIPs: ['192.0.2.9'] }),
    ...chance.maybe(0.2, { publishNotReadyAddresses: true }),
    ...(kind === 'alias' || kind === 'headless' ? {} : chance.maybe(0.2, { internalTrafficPolicy: 'Local' })),
    ...chance.maybe(0.2, { trafficDistribution: 'PreferClose' }),
    ...specOfKind(kind),
  };
  const ingress = [{ ip: '198.51.100.1' }, { hostname: 'lb.example.com' }];
  return {
    resource: 'services',
    name: `s-${n}`,
    manifest: { metadata: { labels, annotations }, spec },
    ...(kind === 'LoadBalancer' ? { status: { loadBalancer: { ingress } } } : {}),
  };
}

function specOfKind(kind: string): Manifest {
  switch (kind) {
    case 'headless':
      return { clusterIP: 'None' };
    case 'dual':
      return { ipFamilyPolicy: 'RequireDualStack' };
    case 'alias':
      return { type: 'ExternalName', externalName: 'other.example.com' };
    default:
      return { type: kind };
  }
}

function generatedPod(chance: Chance, n: number, p: number, dual: boolean): GeneratedObject {
  const owner = chance.one(['none', 'ReplicaSet', 'Job', 'StatefulSet']);
  const owned = ownership(owner, n);
  const labels = {
    app: `s-${n}`,
    ...owned.labels,
    ...chance.maybe(0.4, { 'security.istio.io/tlsMode': 'istio' }),
    ...chance.maybe(0.2, { 'istio-locality': chance.one(['a.b.c', 'd']) }),
    ...chance.maybe(0.1, { 'topology.istio.io/locality': chance.one(['e.f', 'g']) }),
    ...chance.maybe(0.2, { 'topology.istio.io/network': 'net-pod' }),
    ...chance.maybe(0.1, { 'service.istio.io/workload-name': 'named' }),
  };
  const ips = [`10.${100 + (n >> 8)}.${n & 255}.${p + 1}`, ...(dual ? [`fd00:${n.toString(16)}::${p + 1}`] : [])];
  const ready = chance.next() < 0.8;
  return {
    resource: 'pods',
    name: `s-${n}-${p}`,
    manifest: {
      metadata: { labels, ...owned.metadata },
      spec: {
        nodeName: chance.one(['node-a', 'node-b', 'node-c', 'node-unknown']),
        serviceAccountName: chance.one(['default', 'runner']),
        containers: [{ name: 'app', image: 'app' }],
        ...chance.maybe(0.2, { subdomain: 'sub' }),
        ...chance.maybe(0.2, { hostname: 'host' }),
      },
    },
    status: {
      phase: chance.next() < 0.93 ? 'Running' : 'Failed',
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

function ownership(kind: string, n: number): { readonly labels: Manifest; readonly metadata: Manifest } {
  const reference = (name: string) => ({
    generateName: `${name}-`,
    ownerReferences: [{ apiVersion: 'x/v1', kind, name, controller: true, uid: 'u' }],
  });
  switch (kind) {
    case 'ReplicaSet':
      return { labels: { 'pod-template-hash': '6f5d' }, metadata: reference(`d-${n}-6f5d`) };
    case 'Job':
      return { labels: {}, metadata: reference(`report-${28_390_120 + n}`) };
    case 'StatefulSet':
      return { labels: {}, metadata: reference(`db-${n}`) };
    default:
      return { labels: {}, metadata: {} };
  }
}

function generatedSlices(
  chance: Chance,
  service: string,
  n: number,
  pods: readonly GeneratedObject[],
  ports: readonly Manifest[],
  dual: boolean,
): readonly GeneratedObject[] {
  const conditions = new Map(pods.map(({ name }) => [name, generatedConditions(chance)]));
  const ofFamily = (addressType: 'IPv4' | 'IPv6') =>
    pods.map(({ name, status }) => ({
      addresses: [addressesOf(status)[addressType === 'IPv4' ? 0 : 1]],
      conditions: conditions.get(name),
      targetRef: { kind: 'Pod', namespace: 'oracle', name },
    }));
  const bare =
    chance.maybe(0.3, [{ addresses: [`10.250.${n >> 8}.${n & 255}`], conditions: generatedConditions(chance) }]) ?? [];
  const make = (
    suffix: string,
    addressType: string,
    endpoints: readonly Manifest[],
    labels: Manifest = {},
  ): GeneratedObject => ({
    resource: 'endpointslices',
    name: `${service}-${suffix}`,
    manifest: {
      metadata: { labels: { 'kubernetes.io/service-name': service, ...labels } },
      addressType,
      ports: ports.map((port) => ({
        name: port.name,
        port: port.targetPort ?? port.port,
        protocol: port.protocol ?? 'TCP',
      })),
      endpoints,
    },
  });
  const half = Math.ceil(pods.length / 2);
  return [
    make('a', 'IPv4', [...ofFamily('IPv4').slice(0, half), ...bare]),
    ...(pods.length > half ? [make('b', 'IPv4', ofFamily('IPv4').slice(half))] : []),
    ...(dual ? [make('v6', 'IPv6', ofFamily('IPv6'))] : []),
    ...(chance.maybe(0.1, [make('mcs', 'IPv4', bare, { 'multicluster.kubernetes.io/service-name': service })]) ?? []),
    ...(chance.maybe(0.1, [make('fqdn', 'FQDN', [{ addresses: ['host.example.com'] }])]) ?? []),
  ];
}

function addressesOf(status: Manifest | undefined): readonly unknown[] {
  return Array.isArray(status?.podIPs) ? status.podIPs.map((one: { readonly ip: string }) => one.ip) : [];
}

function generatedConditions(chance: Chance): Manifest {
  return chance.one([
    { ready: true, serving: true, terminating: false },
    { ready: true, serving: true, terminating: false },
    {},
    { ready: false, serving: false, terminating: false },
    { ready: false, serving: true, terminating: true },
    { ready: false, serving: false, terminating: true },
  ]);
}

function generatedMachine(chance: Chance, n: number, m: number): GeneratedObject {
  return {
    resource: 'workloadentries',
    name: `vm-${n}-${m}`,
    manifest: {
      metadata: { labels: chance.maybe(0.3, { tier: 'vm' }) ?? {} },
      spec: {
        address: chance.next() < 0.85 ? `172.16.${n & 255}.${m + 1}` : `vm-${n}-${m}.example.com`,
        labels: {
          app: `s-${n}`,
          ...chance.maybe(0.3, {
            'istio-locality': chance.one(['a.b.c', 'd']),
          }),
          ...chance.maybe(0.2, { 'security.istio.io/tlsMode': 'disabled' }),
        },
        ...chance.maybe(0.4, { serviceAccount: 'vm' }),
        ...chance.maybe(0.3, { ports: { http: 18_080 } }),
        ...chance.maybe(0.3, { weight: 7 }),
        ...chance.maybe(0.3, { network: 'net-vm' }),
        ...chance.maybe(0.3, { locality: chance.one(['r/z', 'r/z/s']) }),
      },
    },
  };
}

/** ServiceEntries with endpoints of their own, and with selectors of the machines and Pods of `generatedServices`. */
export function generatedEntries(chance: Chance, count: number): readonly GeneratedObject[] {
  return Array.from({ length: count }, (_, n) => {
    const resolution = chance.one(['STATIC', 'STATIC', 'DNS', 'NONE']);
    return {
      resource: 'serviceentries',
      name: `e-${n}`,
      manifest: {
        metadata: { labels: { number: String(n) } },
        spec: {
          hosts: [`e-${n}.example.com`],
          location: chance.one(['MESH_INTERNAL', 'MESH_EXTERNAL']),
          resolution,
          ports: [
            {
              number: 80,
              name: 'http',
              protocol: 'HTTP',
              ...(resolution === 'NONE' ? {} : chance.maybe(0.5, { targetPort: 8080 })),
            },
            ...(chance.maybe(0.5, [{ number: 443, name: 'tls', protocol: 'TLS' }]) ?? []),
          ],
          ...chance.maybe(0.3, { addresses: [`240.1.0.${(n & 127) + 1}`] }),
          ...chance.maybe(0.3, { exportTo: ['.'] }),
          ...chance.maybe(0.3, { subjectAltNames: ['spiffe://x/y'] }),
          ...backendsOf(chance, n, resolution),
        },
      },
    };
  });
}

function backendsOf(chance: Chance, n: number, resolution: string): Manifest {
  if (resolution === 'NONE') return {};
  if (chance.next() < 0.4) return { workloadSelector: { labels: { app: `s-${n}` } } };
  if (resolution === 'DNS') return chance.maybe(0.5, { endpoints: [{ address: 'backend.example.com' }] }) ?? {};
  return {
    endpoints: [
      {
        address: `10.251.0.${(n & 127) + 1}`,
        ...chance.maybe(0.5, { labels: { version: 'v1' } }),
        ...chance.maybe(0.5, { ports: { http: 1_234 } }),
        ...chance.maybe(0.5, { serviceAccount: 'outside' }),
        ...chance.maybe(0.5, { locality: 'r/z' }),
        ...chance.maybe(0.5, { weight: 3 }),
        ...chance.maybe(0.5, { network: 'net-entry' }),
      },
    ],
  };
}
