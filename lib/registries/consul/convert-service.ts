import { compareText } from '../../model/compare';
import type { Note } from '../../model/note';
import { makeService } from '../../model/service';
import { makeServiceSnapshot, type ServiceSnapshot } from '../../model/service-snapshot';
import type { ConversionRules } from './conversion-rules';
import type { ServiceId } from './group-services';
import type { Instance } from './instance';
import { isLocated, locateInstance } from './instance-address';
import { instanceEndpoints } from './instance-endpoints';
import { noteOfSeveral } from './note-of-several';
import { serviceHostname } from './service-hostname';
import { servicePorts } from './service-ports';
import { isExternal, serviceResolution } from './service-resolution';
import { CATALOG_SOURCE, serviceSource } from './sources';

/**
 * A Consul service with all its registered instances as one snapshot. Instances without a usable address or port are
 * skipped with a note; the service stays. `undefined` without instances: a service without them does not exist in Consul.
 */
export function convertService(
  id: ServiceId,
  instances: readonly Instance[],
  rules: ConversionRules,
): { readonly snapshot: ServiceSnapshot | undefined; readonly notes: readonly Note[] } {
  const ordered = [...instances].sort(compareInstances);
  const first = ordered[0];
  if (first === undefined) return { snapshot: undefined, notes: [] };
  const results = ordered.map((instance) => locateInstance(instance, rules));
  const located = results.filter(isLocated);
  const external = isExternal(ordered);
  const ports = servicePorts(id, located, rules);
  const { endpoints, notes } = instanceEndpoints(id, located, ports, rules);
  const service = makeService({
    hostname: serviceHostname(id, first.node.datacenter, rules),
    namespace: rules.namespace,
    name: id,
    ports: ports.ports,
    resolution: serviceResolution(located, external),
    meshExternal: external,
  });
  return {
    snapshot: makeServiceSnapshot({
      registry: rules.registry,
      service,
      endpoints,
      sources: [CATALOG_SOURCE, serviceSource(id)],
    }),
    notes: [
      ...noteOfSeveral(
        'ConsulInstanceUnusable',
        `Consul service ${id}: instances were skipped that no client can reach; an address is an IP or a host name, a port is from 1 to 65535`,
        results.flatMap((result) => (isLocated(result) ? [] : [result.problem])),
      ),
      ...ports.notes,
      ...notes,
    ],
  };
}

function compareInstances(a: Instance, b: Instance): number {
  return compareText(a.node.name, b.node.name) || compareText(a.id, b.id);
}
