import { compareConflicts, type Conflict } from '../../lib/model/conflict';

const BASE: Conflict = {
  type: 'PortConflict',
  field: 'ports/TCP/80',
  winner: { registry: 'Kubernetes/a', value: 'http' },
  losers: [{ registry: 'Kubernetes/b', value: 'web' }],
};

test.each<[string, Partial<Conflict>, Partial<Conflict>]>([
  ['field', { field: 'address', type: 'ProtocolConflict' }, { field: 'labels', type: 'AddressConflict' }],
  ['type', { type: 'PortConflict', winner: { registry: 'Mock/z', value: 'z' } }, { type: 'ProtocolConflict' }],
  ['content', { losers: [{ registry: 'Kubernetes/b', value: 'a' }] }, {}],
])('by %s', (_what, first, second) => {
  const [a, b] = [
    { ...BASE, ...first },
    { ...BASE, ...second },
  ];
  expect([compareConflicts(a, b), compareConflicts(b, a), compareConflicts(a, { ...a })]).toEqual([-1, 1, 0]);
});
