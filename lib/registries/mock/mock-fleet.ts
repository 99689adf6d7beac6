import { makeEndpoint, type Endpoint } from '../../model/endpoint';
import { makePort, type Port } from '../../model/port';
import { makeService } from '../../model/service';
import type { MockNames, MockService } from './mock-services';

export type FleetSize = { readonly services: number; readonly endpoints: number };

const PORTS: readonly Port[] = [
  makePort({ name: 'http', number: 80, protocol: 'HTTP' }),
  makePort({ name: 'grpc', number: 9090, protocol: 'GRPC' }),
];

/** Services of a namespace of the fleet. */
const SERVICES_PER_NAMESPACE = 50;

/** Workloads of a fleet have addresses of 10.0.0.0/8, its services of 172.16.0.0/12: 16 million and one million. */
function addressIn(firstOctet: number, secondOctet: number, number: number): string {
  const second = secondOctet + Math.floor(number / 65_536);
  return `${firstOctet}.${second}.${Math.floor(number / 256) % 256}.${number % 256}`;
}

/**
 * A generated fleet: the endpoints spread evenly over the services, one a workload. The workloads of two registries never
 * have an address in common when their `offset`s lie at least `endpoints` apart.
 */
export function generateFleet(
  { services, endpoints }: FleetSize,
  { domainSuffix }: MockNames,
  offset: number,
): readonly MockService[] {
  return Array.from({ length: services }, (_, index) => {
    const namespace = `ns-${Math.floor(index / SERVICES_PER_NAMESPACE)}`;
    const name = `service-${index}`;
    const first = Math.floor((index * endpoints) / services);
    const end = Math.floor(((index + 1) * endpoints) / services);
    return {
      service: makeService({
        hostname: `${name}.${namespace}.svc.${domainSuffix}`,
        namespace,
        name,
        address: addressIn(172, 16, index + 1),
        ports: PORTS,
        resolution: 'ClientSideLB',
      }),
      endpoints: Array.from({ length: end - first }, (_unused, position) =>
        fleetEndpoint(namespace, name, position, offset + first + position),
      ),
    };
  });
}

/** The endpoint of a workload: its number in the service gives its port, version and zone, `address` where it runs. */
export function fleetEndpoint(namespace: string, service: string, position: number, address: number): Endpoint {
  const port = PORTS[position % PORTS.length];
  const version = `v${Math.floor(position / 2) % 2}`;
  return makeEndpoint({
    addresses: [addressIn(10, 0, address)],
    port: 8080 + (position % PORTS.length),
    servicePort: port?.name ?? '',
    labels: { app: service, version },
    locality: `region/zone-${position % 3}`,
    workload: { name: `${service}-${version}-${position}`, namespace },
  });
}
