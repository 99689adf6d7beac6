import type { Port } from './port';

/**
 * A name of its own for each port, in the order in which they are given: control planes match endpoints to ports by name and
 * would mix or lose those of a second port with the same one (istio 46105, 50478). Of several the first keeps it; only when
 * all first ones have theirs do the others get `<name>-<number>`, so that nobody's own name is taken.
 */
export function uniquePortNames(ports: readonly Pick<Port, 'name' | 'number'>[]): readonly string[] {
  const taken = new Set<string>();
  const keepsName = ports.map(({ name }) => {
    const free = !taken.has(name);
    taken.add(name);
    return free;
  });
  return ports.map((port, index) => {
    if (keepsName[index] === true) return port.name;
    const name = freeName(port, taken);
    taken.add(name);
    return name;
  });
}

/** `<name>-<number>`, with the number once more as long as that is taken; a port without a name is called `port`. */
function freeName(port: Pick<Port, 'name' | 'number'>, taken: ReadonlySet<string>): string {
  let name = port.name === '' ? 'port' : port.name;
  do name = `${name}-${port.number}`;
  while (taken.has(name));
  return name;
}
