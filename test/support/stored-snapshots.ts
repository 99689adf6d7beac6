import { makeEndpoint, type Endpoint, type EndpointInput } from '../../lib/model/endpoint';
import { makePort, type Port } from '../../lib/model/port';
import type { RegistryId } from '../../lib/model/registry-id';
import { makeService, type Service } from '../../lib/model/service';
import {
  accountsOf,
  makeServiceSnapshot,
  type ServiceSnapshot,
  type StoredSnapshot,
} from '../../lib/model/service-snapshot';
import { deepFreeze } from '../../lib/storage/deep-freeze';

/** The port that builders give a service when nothing else is said. */
export const HTTP = makePort({ name: 'http', number: 80, protocol: 'HTTP' });

export const TCP = makePort({ name: 'tcp', number: 9000, protocol: 'TCP' });

/** `name/number/protocol`, e.g. `http/80/HTTP`, as a port. */
export function port(name: string, number: number, protocol: Port['protocol'] = 'HTTP', transport?: Port['transport']) {
  return makePort({ name, number, protocol, ...(transport === undefined ? {} : { transport }) });
}

/** An endpoint of port `http` on 8080; its workload is named after its address. */
export function endpoint(address: string, more: Partial<EndpointInput> = {}): Endpoint {
  return makeEndpoint({
    addresses: [address],
    port: 8080,
    servicePort: 'http',
    workload: { namespace: 'shop', name: `pod-${address}` },
    ...more,
  });
}

export type SnapshotInput = {
  readonly service?: Partial<Service>;
  readonly endpoints?: readonly Endpoint[];
  readonly conflicts?: ServiceSnapshot['conflicts'];
  readonly endpointAccounts?: readonly string[];
  readonly precedence?: number;
  readonly pollId?: string;
  readonly observedAt?: string;
};

/** What the registry says of `shop/cart.shop.svc.cluster.local`; frozen, so that nobody changes it unseen. */
export function storedSnapshot(registry: RegistryId, input: SnapshotInput = {}): StoredSnapshot {
  const snapshot = makeServiceSnapshot({
    registry,
    service: makeService({
      namespace: 'shop',
      hostname: 'cart.shop.svc.cluster.local',
      name: 'cart',
      ports: [HTTP],
      resolution: 'ClientSideLB',
      ...input.service,
    }),
    endpoints: input.endpoints ?? [],
    sources: ['services/shop'],
    conflicts: input.conflicts ?? [],
  });
  return deepFreeze({
    ...snapshot,
    endpointAccounts: input.endpointAccounts ?? accountsOf(snapshot.endpoints),
    precedence: input.precedence ?? 0,
    generation: 1,
    pollId: input.pollId ?? 'poll-1',
    observedAt: input.observedAt ?? '2026-11-30T12:00:00.000Z',
  });
}
