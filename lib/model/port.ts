import { compareText } from './compare';
import type { Protocol } from './protocol';

export const TRANSPORTS = ['TCP', 'UDP', 'SCTP'] as const;

export type Transport = (typeof TRANSPORTS)[number];

/** A port of a service, as clients see it. Its identity is (transport, number): kube-dns has 53 twice. */
export type Port = {
  readonly name: string;
  readonly number: number;
  readonly protocol: Protocol;
  readonly transport: Transport;
};

/** The identity of a port, e.g. `TCP/80`; what equality, union and endpoint matching use. */
export type PortKey = `${Transport}/${number}`;

export function portKey(port: Pick<Port, 'transport' | 'number'>): PortKey {
  return `${port.transport}/${port.number}`;
}

export function makePort(port: {
  readonly name: string;
  readonly number: number;
  readonly protocol: Protocol;
  readonly transport?: Transport;
}): Port {
  return {
    name: port.name,
    number: port.number,
    protocol: port.protocol,
    transport: port.transport ?? (port.protocol === 'UDP' ? 'UDP' : 'TCP'),
  };
}

/** By number, then transport, then name: the canonical order of a service's ports. */
export function comparePorts(a: Port, b: Port): number {
  return a.number - b.number || compareText(a.transport, b.transport) || compareText(a.name, b.name);
}
