import { comparePorts, makePort, portKey, type Port } from '../../lib/model/port';

test.each<[Parameters<typeof makePort>[0], Port['transport']]>([
  [{ name: 'http', number: 80, protocol: 'HTTP' }, 'TCP'],
  [{ name: 'dns', number: 53, protocol: 'UDP' }, 'UDP'],
  [{ name: 'sctp', number: 90, protocol: 'TCP', transport: 'SCTP' }, 'SCTP'],
  [{ name: 'quic', number: 443, protocol: 'HTTP', transport: 'UDP' }, 'UDP'],
])('%j goes over %s', (port, transport) => {
  expect(makePort(port)).toEqual({ ...port, transport });
});

test('pitfall 37: the identity of a port is its transport and number', () => {
  expect(portKey({ transport: 'UDP', number: 53 })).toBe('UDP/53');
});

test('the canonical order is by number, then transport, then name', () => {
  const make = (name: string, number: number, transport: Port['transport']) =>
    makePort({ name, number, protocol: 'TCP', transport });
  const inOrder = [make('z', 9, 'UDP'), make('b', 53, 'TCP'), make('a', 53, 'UDP'), make('b', 53, 'UDP')];
  expect([...inOrder].reverse().sort(comparePorts)).toEqual(inOrder);
});
