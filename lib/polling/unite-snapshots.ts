import { endpointKey, type Endpoint } from '../model/endpoint';
import { portKey, type Port } from '../model/port';
import { carriesEndpoints, makeService } from '../model/service';
import { makeServiceSnapshot, type ServiceSnapshot } from '../model/service-snapshot';

/**
 * The snapshot of a service that shrinks while its removals are held: as the registry tells it now, with the endpoints
 * that it does not tell of any more. Nothing leaves by it:
 *
 * - an endpoint that the registry still has is as it tells it, also with another port number; where several endpoints
 *   share an identity and there are fewer of them now, the old ones of other port numbers stay too;
 * - an endpoint that stays follows its service port when that was renamed; one that was taken away stays with it;
 * - a service that by its new resolution can carry no endpoints stays whole.
 *
 * Its sources are those of both, so that it is frozen while any of them is unreadable.
 */
export function uniteSnapshots(stored: ServiceSnapshot, fresh: ServiceSnapshot): ServiceSnapshot {
  if (!carriesEndpoints(fresh.service.resolution)) return stored;
  const { renamed, takenAway } = comparePortLists(stored.service.ports, fresh.service.ports);
  const before = stored.endpoints.map((endpoint) => ({
    ...endpoint,
    servicePort: renamed.get(endpoint.servicePort) ?? endpoint.servicePort,
  }));
  const kept = endpointsToKeep(before, fresh.endpoints);
  const ports = takenAway.filter(({ name }) => kept.some(({ servicePort }) => servicePort === name));
  return makeServiceSnapshot({
    registry: fresh.registry,
    service: makeService({ ...fresh.service, ports: [...fresh.service.ports, ...ports] }),
    endpoints: [...fresh.endpoints, ...kept],
    sources: [...stored.sources, ...fresh.sources],
    conflicts: fresh.conflicts,
  });
}

/** Old port name → new one where the port itself is still there; and the ports of which neither port nor name is left. */
function comparePortLists(
  before: readonly Port[],
  now: readonly Port[],
): { readonly renamed: ReadonlyMap<string, string>; readonly takenAway: readonly Port[] } {
  const nameNow = new Map(now.map((port) => [portKey(port), port.name] as const));
  const namesNow = new Set(nameNow.values());
  return {
    renamed: new Map(before.map((port) => [port.name, nameNow.get(portKey(port)) ?? port.name] as const)),
    takenAway: before.filter((port) => !nameNow.has(portKey(port)) && !namesNow.has(port.name)),
  };
}

function endpointsToKeep(before: readonly Endpoint[], now: readonly Endpoint[]): readonly Endpoint[] {
  const portsBefore = portsByKey(before);
  const portsNow = portsByKey(now);
  return before.filter((endpoint) => {
    const key = endpointKey(endpoint);
    const same = portsNow.get(key) ?? [];
    return same.length < (portsBefore.get(key) ?? []).length && !same.includes(endpoint.port);
  });
}

function portsByKey(endpoints: readonly Endpoint[]): ReadonlyMap<string, readonly number[]> {
  const ports = new Map<string, number[]>();
  for (const endpoint of endpoints) {
    const key = endpointKey(endpoint);
    const known = ports.get(key);
    if (known === undefined) ports.set(key, [endpoint.port]);
    else known.push(endpoint.port);
  }
  return ports;
}
