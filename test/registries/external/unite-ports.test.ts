import { unitePorts } from '../../../lib/registries/external/unite-ports';
import { serviceEntry } from '../../support/external-entries';

type PortText = `${string}/${number}/${string}`;

/** An entry with ports written as `name/number/protocol`. */
function entry(name: string, ...ports: readonly PortText[]) {
  const parsed = ports.map((text) => {
    const [port, number, protocol] = text.split('/');
    return { name: port, number, protocol };
  });
  return serviceEntry(name, { hosts: ['cart.example.com'], ports: parsed });
}

function united(...entries: readonly ReturnType<typeof entry>[]) {
  const { ports, names, conflicts } = unitePorts('External/shared', entries);
  return {
    ports: ports.map(({ name, number, protocol, transport }) => `${name}/${number}/${protocol}/${transport}`),
    names: Object.fromEntries(names),
    conflicts: conflicts.map(({ type, field, winner, losers }) => ({
      type,
      field,
      winner: [winner.source, winner.value],
      losers: losers.map((loser) => [loser.source, loser.value]),
    })),
  };
}

test('ports of one entry stay as they are, by number', () => {
  expect(united(entry('a', 'tcp/9000/TCP', 'http/80/http'))).toEqual({
    ports: ['http/80/HTTP/TCP', 'tcp/9000/TCP/TCP'],
    names: { 'TCP/80': 'http', 'TCP/9000': 'tcp' },
    conflicts: [],
  });
});

test('ports of several entries are united', () => {
  expect(united(entry('a', 'http/80/HTTP'), entry('b', 'grpc/90/GRPC', 'http/80/HTTP'))).toEqual({
    ports: ['http/80/HTTP/TCP', 'grpc/90/GRPC/TCP'],
    names: { 'TCP/80': 'http', 'TCP/90': 'grpc' },
    conflicts: [],
  });
});

test('pitfall 37: UDP 53 and TCP 53 are two ports', () => {
  expect(united(entry('a', 'dns/53/UDP'), entry('b', 'dns-tcp/53/TCP'))).toEqual({
    ports: ['dns-tcp/53/TCP/TCP', 'dns/53/UDP/UDP'],
    names: { 'TCP/53': 'dns-tcp', 'UDP/53': 'dns' },
    conflicts: [],
  });
});

test('of one port the first entry decides name and protocol; the others are recorded', () => {
  expect(united(entry('a', 'http/80/HTTP'), entry('b', 'grpc/80/GRPC'), entry('c', 'http/80/TCP'))).toEqual({
    ports: ['http/80/HTTP/TCP'],
    names: { 'TCP/80': 'http' },
    conflicts: [
      { type: 'PortConflict', field: 'ports/TCP/80', winner: ['a.yaml#a', 'http'], losers: [['b.yaml#b', 'grpc']] },
      {
        type: 'ProtocolConflict',
        field: 'ports/TCP/80',
        winner: ['a.yaml#a', 'HTTP'],
        losers: [
          ['b.yaml#b', 'GRPC'],
          ['c.yaml#c', 'TCP'],
        ],
      },
    ],
  });
});

test('pitfall 13: one name for two numbers becomes two names, and a conflict', () => {
  expect(
    united(entry('a', 'http/80/HTTP'), entry('b', 'http/81/HTTP'), entry('c', 'http/81/HTTP', 'http/82/HTTP')),
  ).toEqual({
    ports: ['http/80/HTTP/TCP', 'http-81/81/HTTP/TCP', 'http-82/82/HTTP/TCP'],
    names: { 'TCP/80': 'http', 'TCP/81': 'http-81', 'TCP/82': 'http-82' },
    conflicts: [
      {
        type: 'PortConflict',
        field: 'ports/http',
        winner: ['a.yaml#a', 'TCP/80'],
        losers: [
          ['b.yaml#b', 'TCP/81'],
          ['c.yaml#c', 'TCP/81'],
          ['c.yaml#c', 'TCP/82'],
        ],
      },
    ],
  });
});

test('who gives a renamed port a name of its own is in conflict with the new name', () => {
  expect(united(entry('a', 'http/80/HTTP'), entry('b', 'http/81/HTTP'), entry('c', 'web/81/HTTP')).conflicts).toEqual([
    { type: 'PortConflict', field: 'ports/TCP/81', winner: ['b.yaml#b', 'http-81'], losers: [['c.yaml#c', 'web']] },
    { type: 'PortConflict', field: 'ports/http', winner: ['a.yaml#a', 'TCP/80'], losers: [['b.yaml#b', 'TCP/81']] },
  ]);
});

test('a new name does not take the own name of another port', () => {
  expect(united(entry('a', 'http/80/HTTP'), entry('b', 'http/81/HTTP', 'http-81/90/HTTP')).names).toEqual({
    'TCP/80': 'http',
    'TCP/81': 'http-81-81',
    'TCP/90': 'http-81',
  });
});

test('doubles within one entry, which nobody validated, are no conflict', () => {
  expect(united(entry('a', 'http/80/HTTP', 'grpc/80/GRPC', 'http/81/HTTP'))).toEqual({
    ports: ['grpc/80/GRPC/TCP', 'http/81/HTTP/TCP'],
    names: { 'TCP/80': 'grpc', 'TCP/81': 'http' },
    conflicts: [],
  });
});

test('no ports are no ports', () => {
  expect(united(entry('a'))).toEqual({ ports: [], names: {}, conflicts: [] });
});
