import * as fc from 'fast-check';
import type { ChangeRecord } from '../../lib/changes/change-store';
import {
  EVENT_SCHEMA,
  SERVICE_CHANGE_TYPES,
  type EndpointsChange,
  type EndpointSummary,
  type ServiceChangeEvent,
} from '../../lib/changes/pilotless-event';
import type { CatalogEntry, CatalogRecord, CatalogTombstone, Cause, Contribution } from '../../lib/model/catalog-entry';
import { compareConflicts, CONFLICT_TYPES, type Conflict, type ConflictSide } from '../../lib/model/conflict';
import {
  compareEndpoints,
  HEALTH_STATES,
  makeEndpoint,
  type CatalogEndpoint,
  type Endpoint,
} from '../../lib/model/endpoint';
import { makePort, portKey, TRANSPORTS, type Port } from '../../lib/model/port';
import { PROTOCOLS } from '../../lib/model/protocol';
import { PROVIDER_IDS } from '../../lib/model/provider-id';
import { makeRegistryId, type RegistryId } from '../../lib/model/registry-id';
import { POLL_MODES, REGISTRY_STATES, type Held, type RegistryRow } from '../../lib/model/registry-row';
import { makeService, RESOLUTIONS, serviceKeyOf, type Service, type ServiceAttributes } from '../../lib/model/service';
import { makeServiceKey, type ServiceKey } from '../../lib/model/service-key';
import {
  accountsOf,
  makeServiceSnapshot,
  type ServiceSnapshot,
  type SnapshotTombstone,
  type StoredSnapshot,
} from '../../lib/model/service-snapshot';

/**
 * Arbitrary values of the model, canonical as the `makeX` functions leave them. Names, addresses and ports come from small
 * pools on purpose: laws about merging and comparing are only tried when values coincide now and then.
 */

/** Text of any script; for values that nobody restricts. */
export const arbitraryText = fc.string({ unit: 'grapheme', maxLength: 12 });

export const arbitraryNamespace = fc.constantFrom('default', 'istio-system', 'shop');

export const arbitraryHostname = fc.oneof(
  fc.constantFrom('api.example.com', 'cart.shop.svc.cluster.local', '*.example.com', 'hello.default.svc.cluster.local'),
  fc.domain().map((domain) => domain.toLowerCase()),
);

export const arbitraryServiceKey: fc.Arbitrary<ServiceKey> = fc
  .tuple(arbitraryNamespace, arbitraryHostname)
  .map(([namespace, hostname]) => makeServiceKey(namespace, hostname));

export const arbitraryRegistryId: fc.Arbitrary<RegistryId> = fc
  .tuple(fc.constantFrom(...PROVIDER_IDS), fc.constantFrom('c1', 'c2', 'eks-prod', 'dc_1.eu'))
  .map(([provider, cluster]) => makeRegistryId(provider, cluster));

/** ISO 8601 with milliseconds, within the years 2020 to 2040. */
export const arbitraryTime = fc
  .integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) })
  .map((ms) => new Date(ms).toISOString());

export const arbitraryHash = fc.stringMatching(/^[0-9a-f]{32}$/);

export const arbitraryPollId = fc.uuid();

export const arbitraryLabels = fc.dictionary(
  fc.constantFrom('app', 'version', 'topology.istio.io/network', 'näme', 'constructor'),
  arbitraryText,
  { maxKeys: 4, noNullPrototype: true },
);

export const arbitraryIp = fc.oneof(
  fc.constantFrom('10.0.0.1', '10.0.0.2', '10.1.1.0', '2001:db8::1', 'fd00::a'),
  fc.ipV4(),
);

const SERVICE_ACCOUNTS = ['spiffe://cluster.local/ns/shop/sa/cart', 'spiffe://cluster.local/ns/default/sa/hello'];

export const arbitraryPort: fc.Arbitrary<Port> = fc
  .record({
    name: fc.constantFrom('http', 'http-status', 'tcp', 'grpc', 'metrics'),
    number: fc.constantFrom(53, 80, 443, 8080, 9090),
    protocol: fc.constantFrom(...PROTOCOLS),
    transport: fc.constantFrom(...TRANSPORTS),
  })
  .map(makePort);

export const arbitraryEndpoint: fc.Arbitrary<Endpoint> = fc
  .record(
    {
      addresses: fc.oneof(
        fc.array(arbitraryIp, { minLength: 1, maxLength: 2 }),
        fc.constantFrom(['db.example.com'], ['/var/run/app.sock'], ['@abstract']),
      ),
      port: fc.constantFrom(0, 80, 8080, 9090),
      servicePort: fc.constantFrom('http', 'http-status', 'tcp', 'grpc', 'metrics', 'unknown'),
      workload: fc.record({ name: fc.constantFrom('cart-6f', 'hello-1', 'pool'), namespace: arbitraryNamespace }),
      labels: arbitraryLabels,
      locality: fc.constantFrom('', 'eu-west-1/eu-west-1a/', 'r/z/s'),
      network: fc.constantFrom('', 'vpc-1'),
      weight: fc.nat({ max: 1000 }),
      tlsMode: fc.constantFrom('istio', 'disabled'),
      serviceAccount: fc.constantFrom('', ...SERVICE_ACCOUNTS),
      health: fc.constantFrom(...HEALTH_STATES),
      hostname: fc.constantFrom('web-0', ''),
      subdomain: fc.constantFrom('web', ''),
      node: fc.constantFrom('node-1', ''),
    },
    { requiredKeys: ['addresses', 'port', 'servicePort', 'workload'] },
  )
  .map(makeEndpoint);

export const arbitraryEndpoints: fc.Arbitrary<readonly Endpoint[]> = fc
  .array(arbitraryEndpoint, { maxLength: 6 })
  .map((endpoints) => [...endpoints].sort(compareEndpoints));

const arbitraryAttributes: fc.Arbitrary<ServiceAttributes> = fc.record(
  {
    type: fc.constantFrom('ClusterIP', 'LoadBalancer'),
    externalName: fc.domain(),
    selector: arbitraryLabels,
    sessionAffinity: fc.constantFrom('None', 'ClientIP'),
    internalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
    trafficDistribution: fc.constant('PreferClose'),
    publishNotReadyAddresses: fc.boolean(),
    nodePorts: fc.dictionary(fc.constantFrom('TCP/80', 'UDP/53'), fc.integer({ min: 30_000, max: 32_767 }), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  },
  { requiredKeys: [] },
);

const arbitraryAddressesByCluster = fc.dictionary(
  fc.constantFrom('c1', 'c2', 'eks-prod'),
  fc.array(arbitraryIp, { maxLength: 2 }),
  { maxKeys: 2, noNullPrototype: true },
);

/** A service, of one host and namespace when they are given. */
export function arbitraryServiceOf(identity: {
  readonly namespace?: fc.Arbitrary<string>;
  readonly hostname?: fc.Arbitrary<string>;
}): fc.Arbitrary<Service> {
  return fc
    .record(
      {
        namespace: identity.namespace ?? arbitraryNamespace,
        hostname: identity.hostname ?? arbitraryHostname,
        name: arbitraryText,
        address: arbitraryIp,
        addresses: fc.array(arbitraryIp, { maxLength: 2 }),
        autoAddresses: fc.array(arbitraryIp, { maxLength: 2 }),
        ports: fc.uniqueArray(arbitraryPort, { selector: portKey, maxLength: 4 }),
        resolution: fc.constantFrom(...RESOLUTIONS),
        meshExternal: fc.boolean(),
        serviceAccounts: fc.subarray(SERVICE_ACCOUNTS),
        exportTo: fc.subarray(['*', '.', 'shop']),
        labels: arbitraryLabels,
        creationTime: arbitraryTime,
        clusterVips: arbitraryAddressesByCluster,
        externalAddresses: arbitraryAddressesByCluster,
        attributes: arbitraryAttributes,
      },
      { requiredKeys: ['namespace', 'hostname', 'ports', 'resolution'] },
    )
    .map(makeService);
}

export const arbitraryService = arbitraryServiceOf({});

const arbitraryConflictSide: fc.Arbitrary<ConflictSide> = fc.record(
  {
    registry: arbitraryRegistryId,
    source: arbitraryText,
    value: fc.oneof(arbitraryText, fc.array(arbitraryText, { maxLength: 3 }), arbitraryLabels),
  },
  { requiredKeys: ['registry', 'value'] },
);

export const arbitraryConflict: fc.Arbitrary<Conflict> = fc.record({
  type: fc.constantFrom(...CONFLICT_TYPES),
  field: fc.constantFrom('resolution', 'labels', 'ports/TCP/80'),
  winner: arbitraryConflictSide,
  losers: fc.array(arbitraryConflictSide, { minLength: 1, maxLength: 2 }),
});

const arbitraryConflicts = fc
  .array(arbitraryConflict, { maxLength: 2 })
  .map((conflicts): readonly Conflict[] => [...conflicts].sort(compareConflicts));

const arbitrarySources = fc.subarray(['services/shop', 'endpointslices/shop', 'entries/api.yaml', 'pods/']);

/** A snapshot, of one registry, host and namespace when they are given. */
export function arbitrarySnapshotOf(identity: {
  readonly registry?: fc.Arbitrary<RegistryId>;
  readonly namespace?: fc.Arbitrary<string>;
  readonly hostname?: fc.Arbitrary<string>;
}): fc.Arbitrary<ServiceSnapshot> {
  return fc
    .record({
      registry: identity.registry ?? arbitraryRegistryId,
      service: arbitraryServiceOf(identity),
      endpoints: arbitraryEndpoints,
      sources: arbitrarySources,
      conflicts: arbitraryConflicts,
    })
    .map(makeServiceSnapshot);
}

export const arbitrarySnapshot = arbitrarySnapshotOf({});

/** The facts of writing that a stored snapshot adds to a snapshot. */
export function arbitraryStored(snapshots: fc.Arbitrary<ServiceSnapshot>): fc.Arbitrary<StoredSnapshot> {
  return fc
    .record({
      snapshot: snapshots,
      precedence: fc.nat({ max: 20 }),
      generation: fc.integer({ min: 1, max: 1000 }),
      pollId: arbitraryPollId,
      observedAt: arbitraryTime,
    })
    .map(({ snapshot, ...facts }) => ({ ...snapshot, endpointAccounts: accountsOf(snapshot.endpoints), ...facts }));
}

export const arbitraryStoredSnapshot = arbitraryStored(arbitrarySnapshot);

export const arbitrarySnapshotTombstone: fc.Arbitrary<SnapshotTombstone> = fc.record({
  key: arbitraryServiceKey,
  registry: arbitraryRegistryId,
  generation: fc.integer({ min: 1, max: 1000 }),
  pollId: arbitraryPollId,
  removedAt: arbitraryTime,
});

export const arbitraryCause: fc.Arbitrary<Cause> = fc.record({
  registry: arbitraryRegistryId,
  pollId: arbitraryPollId,
  observedAt: arbitraryTime,
});

export const arbitraryCatalogEndpoint: fc.Arbitrary<CatalogEndpoint> = fc
  .tuple(arbitraryEndpoint, arbitraryRegistryId)
  .map(([endpoint, registry]) => ({ ...endpoint, registry }));

const arbitraryContribution: fc.Arbitrary<Contribution> = fc.record({
  registry: arbitraryRegistryId,
  hash: arbitraryHash,
  endpoints: fc.nat({ max: 100 }),
  observedAt: arbitraryTime,
});

const arbitraryVersion = fc.integer({ min: 1, max: Date.UTC(2040, 0, 1) });

/** What a catalog entry takes over from a service, member by member. */
function configurationOf(service: Omit<Service, 'creationTime'>): Omit<Service, 'creationTime'> {
  return {
    hostname: service.hostname,
    namespace: service.namespace,
    name: service.name,
    address: service.address,
    addresses: service.addresses,
    autoAddresses: service.autoAddresses,
    ports: service.ports,
    resolution: service.resolution,
    meshExternal: service.meshExternal,
    serviceAccounts: service.serviceAccounts,
    exportTo: service.exportTo,
    labels: service.labels,
    clusterVips: service.clusterVips,
    externalAddresses: service.externalAddresses,
    attributes: service.attributes,
  };
}

export const arbitraryCatalogEntry: fc.Arbitrary<CatalogEntry> = fc
  .record({
    service: arbitraryService,
    endpoints: fc.array(arbitraryCatalogEndpoint, { maxLength: 6 }),
    registries: fc.array(arbitraryContribution, { minLength: 1, maxLength: 3 }),
    conflicts: arbitraryConflicts,
    hash: arbitraryHash,
    version: arbitraryVersion,
    cause: arbitraryCause,
    updatedAt: arbitraryTime,
  })
  .map(({ service, endpoints, ...rest }) => ({
    key: serviceKeyOf(service),
    ...configurationOf(service),
    endpoints: [...endpoints].sort(compareEndpoints),
    ...rest,
  }));

export const arbitraryCatalogTombstone: fc.Arbitrary<CatalogTombstone> = fc.record({
  key: arbitraryServiceKey,
  deleted: fc.constant(true as const),
  version: arbitraryVersion,
  cause: arbitraryCause,
  updatedAt: arbitraryTime,
});

export const arbitraryCatalogRecord: fc.Arbitrary<CatalogRecord> = fc.oneof(
  { weight: 4, arbitrary: arbitraryCatalogEntry },
  { weight: 1, arbitrary: arbitraryCatalogTombstone },
);

const arbitraryEndpointSummary: fc.Arbitrary<EndpointSummary> = arbitraryCatalogEndpoint.map((endpoint) => ({
  address: endpoint.addresses[0] ?? '',
  port: endpoint.port,
  servicePort: endpoint.servicePort,
  workload: `${endpoint.workload.namespace}/${endpoint.workload.name}`,
  registry: endpoint.registry,
  health: endpoint.health,
}));

const arbitraryEndpointsChange: fc.Arbitrary<EndpointsChange> = fc
  .record({
    before: fc.nat({ max: 100 }),
    after: fc.nat({ max: 100 }),
    added: fc.array(arbitraryEndpointSummary, { maxLength: 2 }),
    removed: fc.array(arbitraryEndpointSummary, { maxLength: 2 }),
    changed: fc.array(arbitraryEndpointSummary, { maxLength: 2 }),
    truncated: fc.boolean(),
  })
  .map((change) => ({
    ...change,
    counts: { added: change.added.length, removed: change.removed.length, changed: change.changed.length },
  }));

/** An event of a change that led to the entry. */
function arbitraryServiceChangeOf(entry: CatalogEntry): fc.Arbitrary<ServiceChangeEvent> {
  return fc
    .record({
      type: fc.constantFrom(...SERVICE_CHANGE_TYPES),
      fields: fc.subarray(['endpoints', 'labels', 'ports']),
      push: fc.constantFrom('full' as const, 'incremental' as const),
      endpoints: arbitraryEndpointsChange,
      at: arbitraryTime,
      stateTruncated: fc.boolean(),
    })
    .map(({ type, fields, push, endpoints, at, stateTruncated }) => ({
      type,
      detail: {
        metadata: {
          schema: EVENT_SCHEMA,
          id: `${entry.key}@${entry.version}`,
          at,
          correlationId: entry.cause.pollId,
          cause: { registry: entry.cause.registry, observedAt: entry.cause.observedAt },
        },
        service: {
          key: entry.key,
          hostname: entry.hostname,
          namespace: entry.namespace,
          version: entry.version,
        },
        change: { type, fields, push, endpoints },
        state: { ...configurationOf(entry), conflicts: entry.conflicts },
        stateTruncated,
      },
    }));
}

export const arbitraryChangeRecord: fc.Arbitrary<ChangeRecord> = arbitraryCatalogEntry
  .chain((entry) => fc.tuple(fc.constant(entry), arbitraryServiceChangeOf(entry), arbitraryTime))
  .map(([entry, event, publishedAt]) => ({
    key: entry.key,
    version: entry.version,
    publishedAt,
    event,
    ...(event.type === 'Service Deleted' ? {} : { after: entry }),
    endpointsOmitted: false,
  }));

const arbitraryHeld: fc.Arbitrary<Held> = fc.record({
  services: fc.nat({ max: 1000 }),
  endpoints: fc.nat({ max: 1000 }),
  sample: fc.array(arbitraryServiceKey, { maxLength: 3 }),
  hash: arbitraryHash,
  since: arbitraryTime,
  confirmations: fc.nat({ max: 3 }),
  confirmedSince: arbitraryTime,
});

export const arbitraryRegistryRow: fc.Arbitrary<RegistryRow> = fc.record(
  {
    registry: arbitraryRegistryId,
    state: fc.constantFrom(...REGISTRY_STATES),
    precedence: fc.nat({ max: 20 }),
    mode: fc.constantFrom(...POLL_MODES),
    configVersion: arbitraryHash,
    generation: fc.integer({ min: 1, max: 1000 }),
    leaseOwner: fc.uuid(),
    leaseRenewals: fc.nat({ max: 1000 }),
    leaseUntil: arbitraryTime,
    runStartedAt: arbitraryTime,
    handover: fc.uuid(),
    requestedAt: arbitraryTime,
    approvedHold: arbitraryHash,
    pollId: arbitraryPollId,
    lastAttemptAt: arbitraryTime,
    lastSuccessAt: arbitraryTime,
    lastChangeAt: arbitraryTime,
    lastError: fc.record({ code: arbitraryText, message: arbitraryText }),
    consecutiveFailures: fc.nat({ max: 10 }),
    services: fc.nat(),
    endpoints: fc.nat(),
    requests: fc.nat(),
    durationMs: fc.nat(),
    unreadable: fc.array(fc.record({ source: arbitraryText, reason: arbitraryText }), { maxLength: 3 }),
    unreadableCount: fc.nat({ max: 100 }),
    held: arbitraryHeld,
  },
  {
    requiredKeys: [
      'registry',
      'state',
      'precedence',
      'mode',
      'configVersion',
      'generation',
      'leaseRenewals',
      'consecutiveFailures',
      'services',
      'endpoints',
      'requests',
      'durationMs',
      'unreadable',
      'unreadableCount',
    ],
  },
);
