/** A service as both sides can say it: canonical, without what only one of them has. */
export type ComparableService = {
  readonly ports: readonly string[];
  readonly address: string;
  readonly vips: readonly string[];
  readonly resolution: string;
  readonly meshExternal: boolean;
  readonly accounts: readonly string[];
  readonly exportTo: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly selector: Readonly<Record<string, string>>;
  readonly externalAddresses: readonly string[];
  readonly type: string;
  readonly externalName: string;
  readonly nodeLocal: boolean;
  readonly trafficDistribution: string;
  readonly publishNotReady: boolean;
  readonly nodePorts: readonly string[];
};

export type ComparableEndpoint = {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly servicePort: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly locality: string;
  readonly network: string;
  readonly weight: number;
  readonly tlsMode: string;
  readonly account: string;
  readonly health: string;
  readonly namespace: string;
  readonly workload: string;
  readonly hostname: string;
  readonly subdomain: string;
  readonly node: string;
};

/** By `namespace/hostname`. */
export type ComparableCatalog = ReadonlyMap<
  string,
  { readonly service: ComparableService; readonly endpoints: readonly ComparableEndpoint[] }
>;

/** Labels that istiod adds to those of the workload. */
const ADDED_BY_ISTIOD = new Set([
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'topology.istio.io/subzone',
  'topology.istio.io/cluster',
  'topology.istio.io/network',
  'kubernetes.io/hostname',
]);

export function comparableLabels(labels: Readonly<Record<string, string>> | null | undefined) {
  return sortedRecord(Object.fromEntries(Object.entries(labels ?? {}).filter(([name]) => !ADDED_BY_ISTIOD.has(name))));
}

export function sortedRecord(record: Readonly<Record<string, string>> | null | undefined) {
  return Object.fromEntries(Object.entries(record ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function sortedEndpoints(endpoints: readonly ComparableEndpoint[]): readonly ComparableEndpoint[] {
  const keyOf = (endpoint: ComparableEndpoint) => JSON.stringify(endpoint);
  const distinct = new Map(endpoints.map((endpoint) => [keyOf(endpoint), endpoint]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, endpoint]) => endpoint);
}

/** Where two catalogs differ, one line each: `key: field: theirs … ours …`. */
export function differences(theirs: ComparableCatalog, ours: ComparableCatalog): readonly string[] {
  return [...new Set([...theirs.keys(), ...ours.keys()])].sort().flatMap((key) => {
    const [their, our] = [theirs.get(key), ours.get(key)];
    if (their === undefined || our === undefined) return [`${key}: only ${their === undefined ? 'ours' : 'theirs'}`];
    return [
      ...fieldDifferences(key, their.service, our.service),
      ...endpointDifferences(key, their.endpoints, our.endpoints),
    ];
  });
}

function fieldDifferences(key: string, theirs: object, ours: object): readonly string[] {
  const other = new Map(Object.entries(ours).map(([name, value]) => [name, JSON.stringify(value)]));
  return Object.entries(theirs)
    .map(([name, value]) => [name, JSON.stringify(value), other.get(name)] as const)
    .filter(([, their, our]) => their !== our)
    .map(([name, their, our]) => `${key}: ${name}: theirs ${their} ours ${our ?? 'nothing'}`);
}

function endpointDifferences(key: string, theirs: readonly ComparableEndpoint[], ours: readonly ComparableEndpoint[]) {
  const [their, our] = [theirs, ours].map((list) => list.map((endpoint) => JSON.stringify(endpoint)));
  return [
    ...(their ?? []).filter((one) => !(our ?? []).includes(one)).map((one) => `${key}: endpoint: theirs ${one}`),
    ...(our ?? []).filter((one) => !(their ?? []).includes(one)).map((one) => `${key}: endpoint: ours ${one}`),
  ];
}
