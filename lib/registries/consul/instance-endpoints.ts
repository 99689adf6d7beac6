import { compareText } from '../../model/compare';
import { makeEndpoint, type Endpoint } from '../../model/endpoint';
import { formatAddress } from '../../model/ip-address';
import type { Note } from '../../model/note';
import type { ConversionRules } from './conversion-rules';
import type { ServiceId } from './group-services';
import { nameOf } from './instance';
import type { Located } from './instance-address';
import { compareHealth, healthOf, type InstanceHealth } from './instance-health';
import { instanceLabels } from './instance-labels';
import { instanceLocality } from './instance-locality';
import { noteOfSeveral } from './note-of-several';
import type { ServicePorts } from './service-ports';

type Candidate = { readonly located: Located; readonly endpoint: Endpoint; readonly health: InstanceHealth };

/**
 * One endpoint an instance. The workload is the ServiceID on its node, which is what Consul tells registrations apart by.
 * Of two instances with the same address and port the healthiest is kept, then the lowest ServiceID, then node.
 */
export function instanceEndpoints(
  id: ServiceId,
  instances: readonly Located[],
  { portOf }: ServicePorts,
  rules: Pick<ConversionRules, 'publishUnhealthy'>,
): { readonly endpoints: readonly Endpoint[]; readonly notes: readonly Note[] } {
  const portless = instances.filter((located) => portOf(located) === undefined);
  const candidates = instances.flatMap((located) => {
    const port = portOf(located);
    return port === undefined ? [] : [makeCandidate(located, port.name)];
  });
  const { kept, doubles } = withoutDoubles(candidates);
  return {
    endpoints: kept
      .filter(({ health }) => rules.publishUnhealthy || health.health === 'Healthy')
      .map(({ endpoint }) => endpoint),
    notes: [
      ...noteOfSeveral(
        'ConsulSocketPortUnknown',
        `Consul service ${id}: sockets were left out since nothing says which port clients see; set servicePort or the meta service-port`,
        portless.map(({ instance }) => nameOf(instance)),
      ),
      ...noteOfSeveral(
        'ConsulInstanceDouble',
        `Consul service ${id}: instances with the address and port of a healthier or earlier one were left out`,
        doubles,
      ),
    ],
  };
}

function makeCandidate(located: Located, servicePort: string): Candidate {
  const { instance, location } = located;
  const health = healthOf(instance);
  const endpoint = makeEndpoint({
    addresses: [location.address],
    port: location.port,
    servicePort,
    labels: instanceLabels(instance),
    locality: instanceLocality(instance),
    weight: health.weight,
    health: health.health,
    workload: { name: instance.id, namespace: instance.node.name },
    node: instance.node.name,
  });
  return { located, endpoint, health };
}

function withoutDoubles(candidates: readonly Candidate[]): {
  readonly kept: readonly Candidate[];
  readonly doubles: readonly string[];
} {
  const byPlace = new Map<string, Candidate>();
  const doubles: string[] = [];
  for (const candidate of [...candidates].sort(comparePreference)) {
    const place = formatAddress(candidate.endpoint.addresses[0] ?? '', candidate.endpoint.port);
    if (byPlace.has(place)) doubles.push(`${nameOf(candidate.located.instance)} at ${place}`);
    else byPlace.set(place, candidate);
  }
  return { kept: [...byPlace.values()], doubles };
}

function comparePreference(a: Candidate, b: Candidate): number {
  const [left, right] = [a.located.instance, b.located.instance];
  return (
    compareHealth(a.health, b.health) || compareText(left.id, right.id) || compareText(left.node.name, right.node.name)
  );
}
