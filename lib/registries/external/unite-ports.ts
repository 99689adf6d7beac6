import type { Conflict } from '../../model/conflict';
import { comparePorts, portKey, type Port, type PortKey } from '../../model/port';
import type { RegistryId } from '../../model/registry-id';
import type { ServiceEntry } from './entries';
import { conflictsOfClaims, type Claim } from './entry-conflict';
import { groupBy } from './group-by';
import { portOf } from './service-of-entry';

/** The ports of one service to which several entries contribute. */
export type UnitedPorts = {
  readonly ports: readonly Port[];
  /** The name that a port has in the united service, whatever an entry calls it. */
  readonly names: ReadonlyMap<PortKey, string>;
  readonly conflicts: readonly Conflict[];
};

type PortClaim = { readonly entry: ServiceEntry; readonly port: Port };

/** Longest port name (RFC 1123 label). */
const MAX_PORT_NAME = 63;

/**
 * The union by (transport, number). The first entry that has a port decides its name and protocol, the others' word is
 * recorded as a conflict. A name that another port has already gets `-<number>`: endpoints follow the number, so that
 * entries with the same port name and other numbers never mix (istio 50478). Such a conflict has the field `ports/<name>`
 * and the ports that want the name as its values.
 */
export function unitePorts(registry: RegistryId, entries: readonly ServiceEntry[]): UnitedPorts {
  const claimed = groupBy(entries.flatMap(portClaims), ({ port }) => portKey(port));
  const holders = new Map<string, Claim>();
  const refused: (Claim & { readonly name: string })[] = [];
  const ports: Port[] = [];
  for (const [key, [first]] of claimed) {
    if (first === undefined) continue;
    const { entry, port } = first;
    const name = freeName(port, (candidate) => holders.has(candidate));
    if (name !== port.name) refused.push({ entry, value: key, name: port.name });
    holders.set(name, { entry, value: key });
    ports.push({ ...port, name });
  }
  return {
    ports: ports.sort(comparePorts),
    names: new Map(ports.map((port) => [portKey(port), port.name])),
    conflicts: [
      ...ports.flatMap((port) => portConflicts(registry, port, claimed.get(portKey(port)) ?? [])),
      ...[...groupBy(refused, ({ name }) => name)].flatMap(([name, claims]) => {
        const holder = holders.get(name);
        return conflictsOfClaims(
          registry,
          'PortConflict',
          `ports/${name}`,
          holder === undefined ? claims : [holder, ...claims],
        );
      }),
    ],
  };
}

function portClaims(entry: ServiceEntry): readonly PortClaim[] {
  return entry.spec.ports
    .map(portOf)
    .sort(comparePorts)
    .map((port) => ({ entry, port }));
}

/** The port's name, or the first of `name-80`, `name-80-2`, … that nobody has. */
function freeName({ name, number }: Port, taken: (name: string) => boolean): string {
  let candidate = name;
  for (let attempt = 1; taken(candidate); attempt += 1) {
    const suffix = attempt === 1 ? `-${number}` : `-${number}-${attempt}`;
    candidate = `${name.slice(0, MAX_PORT_NAME - suffix.length)}${suffix}`;
  }
  return candidate;
}

function portConflicts(registry: RegistryId, port: Port, claims: readonly PortClaim[]): readonly Conflict[] {
  const field = `ports/${portKey(port)}`;
  const [first, ...others] = claims;
  if (first === undefined) return [];
  return [
    ...conflictsOfClaims(registry, 'PortConflict', field, [
      { entry: first.entry, value: port.name },
      ...others.map(({ entry, port: { name } }) => ({ entry, value: name })),
    ]),
    ...conflictsOfClaims(
      registry,
      'ProtocolConflict',
      field,
      claims.map(({ entry, port: { protocol } }) => ({ entry, value: protocol })),
    ),
  ];
}
