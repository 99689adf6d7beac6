import type { MergedService } from '../model/catalog-entry';
import { compareText } from '../model/compare';
import { isHttp } from '../model/protocol';
import { sameValue } from '../model/same-value';
import { diffEndpoints, type EndpointsDifference } from './diff-endpoints';
import type { ServiceChangeType, ServiceState } from './pilotless-event';

/** What differs between two versions of an entry, in full. */
export type ServiceChange = {
  readonly type: ServiceChangeType;
  /** Names of the members that differ, sorted; empty when the service was added or deleted. */
  readonly fields: readonly string[];
  /** Whether configuration other than endpoints has to be pushed. */
  readonly push: 'full' | 'incremental';
  readonly endpoints: EndpointsDifference & {
    /** How many there were, and are. */
    readonly before: number;
    readonly after: number;
  };
  /** The service after the change, of a deletion before it. */
  readonly state: ServiceState;
};

/**
 * What differs between two versions of an entry; `undefined` when nothing does but provenance and times.
 *
 * | change              | when                                                                          | push        |
 * |---------------------|-------------------------------------------------------------------------------|-------------|
 * | `Service Added`     | there was none                                                                | full        |
 * | `Service Deleted`   | there is none any more                                                        | full        |
 * | `Service Updated`   | any member but the endpoints; or endpoints that proxies get as configuration  | full        |
 * | `Endpoints Changed` | endpoints alone, from none and to none included (istio 14042, 39652)          | incremental |
 *
 * Accounts are compared as the merged union (istio 14605).
 */
export function diffEntry(
  before: MergedService | undefined,
  after: MergedService | undefined,
): ServiceChange | undefined {
  if (after === undefined) return before && comeOrGone('Service Deleted', before, before, undefined);
  if (before === undefined) return comeOrGone('Service Added', after, undefined, after);
  const state = stateOf(after);
  const endpoints = endpointsOf(before, after);
  const fields = fieldsThatDiffer(before, state);
  const { added, removed, changed } = endpoints;
  const sameEndpoints = added.length + removed.length + changed.length === 0;
  if (sameEndpoints && fields.length === 0) return undefined;
  return {
    ...(fields.length > 0 || endpointsAreConfiguration(after)
      ? ({ type: 'Service Updated', push: 'full' } as const)
      : ({ type: 'Endpoints Changed', push: 'incremental' } as const)),
    fields: [...fields, ...(sameEndpoints ? [] : ['endpoints'])].sort(compareText),
    endpoints,
    state,
  };
}

function comeOrGone(
  type: ServiceChangeType,
  service: MergedService,
  before: MergedService | undefined,
  after: MergedService | undefined,
): ServiceChange {
  return { type, fields: [], push: 'full', endpoints: endpointsOf(before, after), state: stateOf(service) };
}

function endpointsOf(before: MergedService | undefined, after: MergedService | undefined): ServiceChange['endpoints'] {
  const [old, now] = [before?.endpoints ?? [], after?.endpoints ?? []];
  return { before: old.length, after: now.length, ...diffEndpoints(old, now) };
}

function fieldsThatDiffer(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.keys(after).filter((name) => !sameValue(before[name], after[name]));
}

/**
 * Whether proxies get the endpoints as part of the configuration instead of by endpoint discovery: clusters resolved by DNS
 * list them, and headless services have a listener for each unless all ports are HTTP (Istio
 * `pilot/pkg/serviceregistry/kube/controller/endpointslice.go`, istio 48207).
 */
function endpointsAreConfiguration({ resolution, ports }: MergedService): boolean {
  switch (resolution) {
    case 'ClientSideLB':
      return false;
    case 'Passthrough':
      return ports.some(({ protocol }) => !isHttp(protocol));
    case 'DNSLB':
    case 'DNSRoundRobinLB':
    case 'DynamicDNS':
    case 'Alias':
      return true;
  }
}

/** The members of an entry that are neither endpoints nor provenance nor bookkeeping. */
function stateOf(service: MergedService): ServiceState {
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
    conflicts: service.conflicts,
  };
}
