import type { CatalogEntry } from './catalog-entry';
import type { CatalogEndpoint } from './endpoint';
import type { Port } from './port';

/** One endpoint seen through one port of its service (Istio `model.ServiceInstance`): a view made on reading. */
export type ServiceInstance = {
  readonly service: CatalogEntry;
  readonly servicePort: Port;
  readonly endpoint: CatalogEndpoint;
};

/** The instances of a service, or of one of its ports; ports in order, then endpoints in order. */
export function instancesOf(entry: CatalogEntry, portNumber?: number): readonly ServiceInstance[] {
  return entry.ports
    .filter((port) => portNumber === undefined || port.number === portNumber)
    .flatMap((servicePort) =>
      entry.endpoints
        .filter((endpoint) => endpoint.servicePort === servicePort.name)
        .map((endpoint) => ({ service: entry, servicePort, endpoint })),
    );
}
