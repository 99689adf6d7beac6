import { compareText } from '../../model/compare';
import type { Note } from '../../model/note';
import { makePort, type Port } from '../../model/port';
import { parseProtocol, type Protocol } from '../../model/protocol';
import type { ConversionRules } from './conversion-rules';
import type { ServiceId } from './group-services';
import { nameOf } from './instance';
import { isPort, type Located } from './instance-address';
import { tagValue } from './instance-labels';
import { noteOfSeveral } from './note-of-several';

/** More ports than this come from ports chosen at random, and each deployment then changes the service itself. */
const MANY_PORTS = 8;

/** What the service's ports are, and to which of them each instance belongs. */
export type ServicePorts = {
  readonly ports: readonly Port[];
  /** `undefined` when there is no telling: a unix socket of a service with several ports, or with none. */
  readonly portOf: (located: Located) => Port | undefined;
  readonly notes: readonly Note[];
};

type Vote = { readonly number: number; readonly protocol: Protocol };

/**
 * One port when the configuration or the meta `service-port` of instances names it, else the distinct ports of all
 * instances, healthy or not, so that a failing instance does not change the service.
 */
export function servicePorts(
  id: ServiceId,
  instances: readonly Located[],
  rules: Pick<ConversionRules, 'servicePort'>,
): ServicePorts {
  const declared = declaredPort(id, instances, rules.servicePort);
  const protocols = instances.map((located) => protocolOf(located));
  const votes: Vote[] = instances.flatMap(({ location }, index) => {
    const number = declared.port ?? (location.kind === 'unix' ? undefined : location.port);
    return number === undefined ? [] : [{ number, protocol: protocols[index]?.protocol ?? 'TCP' }];
  });
  const numbers = [...new Set(votes.map(({ number }) => number))].sort((a, b) => a - b);
  const elected = numbers.map((number) => electPort(id, number, votes));
  const ports = new Map(elected.map(({ port }) => [port.number, port]));
  const only = ports.size === 1 ? elected[0]?.port : undefined;
  return {
    ports: [...ports.values()],
    portOf: ({ location }) => only ?? ports.get(location.port),
    notes: [
      ...declared.notes,
      ...noteOfSeveral(
        'ConsulProtocolUnknown',
        `Consul service ${id}: taken as TCP`,
        protocols.flatMap(({ problem }) => problem ?? []),
      ),
      ...elected.flatMap(({ note }) => note ?? []),
      ...(ports.size > MANY_PORTS ? [manyPortsNote(id, ports.size)] : []),
    ],
  };
}

function declaredPort(
  id: ServiceId,
  instances: readonly Located[],
  configured: number | undefined,
): { readonly port: number | undefined; readonly notes: readonly Note[] } {
  if (configured !== undefined) return { port: configured, notes: [] };
  const declared = instances.flatMap(({ instance }) => {
    const text = instance.meta['service-port'] ?? '';
    return text === '' ? [] : [{ instance, text, port: /^\d{1,5}$/.test(text) ? Number(text) : NaN }];
  });
  const good = declared.map(({ port }) => port).filter(isPort);
  const ranked = ranking(good, (a, b) => a - b);
  return {
    port: ranked[0],
    notes: [
      ...noteOfSeveral(
        'ConsulServicePortInvalid',
        `Consul service ${id}: meta service-port was ignored where it is no number from 1 to 65535`,
        declared.filter(({ port }) => !isPort(port)).map(({ instance, text }) => `${nameOf(instance)} has ${text}`),
      ),
      ...(ranked.length > 1
        ? [
            {
              code: 'ConsulServicePortsDiffer',
              message: `Consul service ${id}: instances name the service ports ${ranked.join(', ')}; ${String(ranked[0])} was taken`,
            },
          ]
        : []),
    ],
  };
}

/** Meta `protocol`, then a tag `protocol=…`; what Istio does not know is TCP (Istio 1.7 `consul/conversion.go`). */
function protocolOf({ instance }: Located): { readonly protocol: Protocol; readonly problem?: string } {
  const { protocol: inMeta = '' } = instance.meta;
  const name = inMeta === '' ? (tagValue(instance.tags, 'protocol') ?? '') : inMeta;
  if (name === '') return { protocol: 'TCP' };
  const protocol = parseProtocol(name);
  if (protocol !== undefined) return { protocol };
  return { protocol: 'TCP', problem: `${nameOf(instance)} has protocol ${JSON.stringify(name)}` };
}

function electPort(
  id: ServiceId,
  number: number,
  votes: readonly Vote[],
): { readonly port: Port; readonly note?: Note } {
  const ranked = ranking(
    votes.filter((vote) => vote.number === number).map(({ protocol }) => protocol),
    compareText,
  );
  const protocol = ranked[0] ?? 'TCP';
  const port = makePort({ name: `${portWord(protocol)}-${number}`, number, protocol });
  if (ranked.length < 2) return { port };
  return {
    port,
    note: {
      code: 'ConsulProtocolsDiffer',
      message: `Consul service ${id}: instances give port ${number} the protocols ${ranked.join(', ')}; ${protocol} was taken`,
    },
  };
}

/** Port names are DNS labels, and `HTTP_PROXY` is none. */
function portWord(protocol: Protocol): string {
  return protocol.toLowerCase().replaceAll('_', '-');
}

/** The distinct values, the most frequent first, ties by the order given. */
function ranking<T>(values: readonly T[], order: (a: T, b: T) => number): readonly T[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, countA], [b, countB]) => countB - countA || order(a, b)).map(([value]) => value);
}

function manyPortsNote(id: ServiceId, count: number): Note {
  return {
    code: 'ConsulManyPorts',
    message: `Consul service ${id} has ${count} ports; where they are chosen at random, each deployment changes the service: set servicePort or the meta service-port`,
  };
}
