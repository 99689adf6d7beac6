import type { Conflict, ConflictSide } from '../model/conflict';
import { comparePorts, portKey, type Port, type PortKey } from '../model/port';
import { uniquePortNames } from '../model/port-names';
import type { RegistryId } from '../model/registry-id';
import { conflictWith } from './conflict-with';
import type { OrderedSnapshots } from './order-snapshots';

/** What one registry says of a port. */
type Claim = { readonly registry: RegistryId; readonly port: Port };

/** All that is said of one (transport, number), in the order of precedence. */
type Claims = readonly [Claim, ...Claim[]];

/** A port of the entry: the name that it has there, and what was said of it. */
type NamedPort = { readonly name: string; readonly claims: Claims };

/**
 * Unites the ports by (transport, number). Of the same port the first name and protocol win. A name that another port has
 * already gets `-<number>`, since control planes match endpoints to ports by name and would mix or lose those of the
 * second (istio 46105, 50478). Ports of one snapshot never conflict with each other.
 *
 * @returns the ports in canonical order, each with a name of its own.
 */
export function mergePorts(ordered: OrderedSnapshots): {
  readonly ports: readonly Port[];
  readonly conflicts: readonly Conflict[];
} {
  const named = nameEach(claimsByPort(ordered));
  return {
    ports: named.map(({ name, claims: [{ port }] }) => ({ ...port, name })).sort(comparePorts),
    conflicts: [...named.flatMap(disagreements), ...nameDisputes(named)],
  };
}

function claimsByPort(ordered: OrderedSnapshots): readonly Claims[] {
  const byPort = new Map<PortKey, [Claim, ...Claim[]]>();
  for (const { registry, service } of ordered) {
    for (const port of service.ports) {
      const claims = byPort.get(portKey(port));
      if (claims === undefined) byPort.set(portKey(port), [{ registry, port }]);
      else claims.push({ registry, port });
    }
  }
  return [...byPort.values()];
}

function nameEach(ports: readonly Claims[]): readonly NamedPort[] {
  const names = uniquePortNames(ports.map(([{ port }]) => port));
  return ports.map((claims, index) => ({ name: names[index] ?? claims[0].port.name, claims }));
}

/** Registries that give the port another name or protocol than the first. */
function disagreements({ name, claims }: NamedPort): readonly Conflict[] {
  const [first, ...others] = claims;
  const foreign = others.filter(({ registry }) => registry !== first.registry);
  const field = `ports/${portKey(first.port)}`;
  return [
    ...conflictWith(
      foreign
        .filter(({ port }) => port.name !== name && port.name !== first.port.name)
        .map(({ registry, port }) => ({ registry, value: port.name })),
      { type: 'PortConflict', field, winner: { registry: first.registry, value: name } },
    ),
    ...conflictWith(
      foreign
        .filter(({ port }) => port.protocol !== first.port.protocol)
        .map(({ registry, port }) => ({ registry, value: port.protocol })),
      { type: 'ProtocolConflict', field, winner: { registry: first.registry, value: first.port.protocol } },
    ),
  ];
}

/** One name for several ports: who has it, and who wanted it for which other port. */
function nameDisputes(named: readonly NamedPort[]): readonly Conflict[] {
  const holders = new Map(named.map((port) => [port.name, port]));
  const losers = new Map<NamedPort, ConflictSide[]>();
  for (const { name, claims } of named) {
    const wanted = claims[0].port.name;
    const holder = holders.get(wanted);
    if (wanted === name || holder === undefined) continue;
    const sides = claims
      .filter(({ registry, port }) => port.name === wanted && registry !== holder.claims[0].registry)
      .map(({ registry, port }) => ({ registry, value: portKey(port) }));
    losers.set(holder, [...(losers.get(holder) ?? []), ...sides]);
  }
  return [...losers].flatMap(
    ([
      {
        name,
        claims: [first],
      },
      sides,
    ]) =>
      conflictWith(sides, {
        type: 'PortConflict',
        field: `ports/${name}`,
        winner: { registry: first.registry, value: portKey(first.port) },
      }),
  );
}
