import { sortedUnique } from '../../model/compare';
import type { Conflict } from '../../model/conflict';
import { comparePorts, portKey, type Port, type PortKey } from '../../model/port';
import { uniquePortNames } from '../../model/port-names';
import type { RegistryId } from '../../model/registry-id';
import type { ServiceEntry } from './entries';
import { conflictsOfClaims } from './entry-conflict';
import { groupBy } from './group-by';
import { portOf } from './service-of-entry';

/** The ports of one service to which several entries contribute. */
export type UnitedPorts = {
  readonly ports: readonly Port[];
  /** The name that a port has in the united service, whatever an entry calls it. */
  readonly names: ReadonlyMap<PortKey, string>;
  readonly conflicts: readonly Conflict[];
};

/** What one entry says of a port. */
type PortClaim = { readonly entry: ServiceEntry; readonly port: Port };

/** A port of the united service: its name there, and what was said of it, oldest entry first. */
type NamedPort = { readonly name: string; readonly first: PortClaim; readonly others: readonly PortClaim[] };

/**
 * The union by (transport, number). The first entry that has a port decides its name and protocol, the others' word is
 * recorded as a conflict. A name that another port has already gets `-<number>`: endpoints follow the number, so that
 * entries with the same port name and other numbers never mix (istio 50478). As in the merge of registries, the field of
 * such a conflict is `ports/<name>`, and the ports that want the name are its values.
 */
export function unitePorts(registry: RegistryId, entries: readonly ServiceEntry[]): UnitedPorts {
  const claimed = [...groupBy(entries.flatMap(portClaims), ({ port }) => portKey(port)).values()];
  const names = uniquePortNames(claimed.flatMap(([first]) => first?.port ?? []));
  const named = claimed.flatMap(([first, ...others], index): readonly NamedPort[] =>
    first === undefined ? [] : [{ name: names[index] ?? first.port.name, first, others }],
  );
  const wanted = sortedUnique(named.map(({ first }) => first.port.name));
  return {
    ports: named.map(({ name, first }) => ({ ...first.port, name })).sort(comparePorts),
    names: new Map(named.map(({ name, first }) => [portKey(first.port), name])),
    conflicts: [
      ...named.flatMap((port) => disagreements(registry, port)),
      ...wanted.flatMap((name) => nameDispute(registry, name, named)),
    ],
  };
}

function portClaims(entry: ServiceEntry): readonly PortClaim[] {
  return entry.spec.ports
    .map(portOf)
    .sort(comparePorts)
    .map((port) => ({ entry, port }));
}

/** Entries that give the port another name or protocol than the first. */
function disagreements(registry: RegistryId, { name, first, others }: NamedPort): readonly Conflict[] {
  const field = `ports/${portKey(first.port)}`;
  const otherNames = others.filter(({ port }) => port.name !== first.port.name);
  return [
    ...conflictsOfClaims(registry, 'PortConflict', field, [
      { entry: first.entry, value: name },
      ...otherNames.map(({ entry, port }) => ({ entry, value: port.name })),
    ]),
    ...conflictsOfClaims(
      registry,
      'ProtocolConflict',
      field,
      [first, ...others].map(({ entry, port }) => ({ entry, value: port.protocol })),
    ),
  ];
}

/** One name for several ports: who has it, and who wanted it for which other port. */
function nameDispute(registry: RegistryId, wanted: string, named: readonly NamedPort[]): readonly Conflict[] {
  const [holder, ...refused] = named.filter(({ first }) => first.port.name === wanted);
  if (holder === undefined) return [];
  const claims = refused.flatMap(({ first, others }) => [first, ...others.filter(({ port }) => port.name === wanted)]);
  return conflictsOfClaims(
    registry,
    'PortConflict',
    `ports/${wanted}`,
    [holder.first, ...claims].map(({ entry, port }) => ({ entry, value: portKey(port) })),
  );
}
