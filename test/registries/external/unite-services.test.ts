import { serviceOfEntry } from '../../../lib/registries/external/service-of-entry';
import { unitePorts } from '../../../lib/registries/external/unite-ports';
import { attributeConflicts, uniteServices } from '../../../lib/registries/external/unite-services';
import { HTTP_PORT, serviceEntry, type EntryFields } from '../../support/external-entries';

const HOST = 'cart.example.com';

function claim(name: string, spec: Readonly<Record<string, unknown>>, more: EntryFields = {}) {
  const entry = serviceEntry(name, { hosts: [HOST], ...spec }, more);
  return { entry, service: serviceOfEntry(entry, HOST) };
}

type Claim = ReturnType<typeof claim>;

function united(first: Claim, ...others: readonly Claim[]) {
  const claims = [first, ...others] as const;
  const { ports } = unitePorts(
    'External/shared',
    claims.map(({ entry }) => entry),
  );
  return uniteServices(claims, ports);
}

const conflicts = (...claims: readonly Claim[]) =>
  attributeConflicts('External/shared', claims).map(({ type, field, winner, losers }) => [
    type,
    field,
    winner.value,
    ...losers.map(({ value }) => value),
  ]);

test('one entry is its own service', () => {
  const only = claim('a', { ports: [HTTP_PORT], addresses: ['10.0.0.1'] });
  expect(united(only)).toEqual(only.service);
  expect(conflicts(only)).toEqual([]);
});

test('the first supplies what there can be only one of', () => {
  const first = claim(
    'a',
    { resolution: 'STATIC', location: 'MESH_INTERNAL', exportTo: ['.'], addresses: ['10.0.0.1'] },
    { metadata: { labels: { x: '1' }, creationTimestamp: '2026-01-01T00:00:00Z' } },
  );
  const second = claim(
    'b',
    { resolution: 'DNS', exportTo: ['*'], addresses: ['10.0.0.2'] },
    { metadata: { labels: { x: '2' }, creationTimestamp: '2026-02-01T00:00:00Z' } },
  );
  expect(united(first, second)).toMatchObject({
    resolution: 'ClientSideLB',
    meshExternal: false,
    exportTo: ['.'],
    address: '10.0.0.1',
    labels: { x: '1' },
    creationTime: '2026-01-01T00:00:00.000Z',
  });
});

test('accounts and allocated addresses of all count', () => {
  const first = claim(
    'a',
    { resolution: 'STATIC', subjectAltNames: ['b', 'c'] },
    { status: { addresses: [{ host: HOST, value: '240.0.0.2' }] } },
  );
  const second = claim(
    'b',
    { resolution: 'STATIC', subjectAltNames: ['a', 'c'] },
    { status: { addresses: [{ host: HOST, value: '240.0.0.1' }] } },
  );
  expect(united(first, second)).toMatchObject({
    serviceAccounts: ['a', 'b', 'c'],
    autoAddresses: ['240.0.0.1', '240.0.0.2'],
  });
  expect(conflicts(first, second)).toEqual([]);
});

test('target ports belong to the entry that decides the port', () => {
  const first = claim('a', { ports: [HTTP_PORT] });
  const second = claim('b', {
    ports: [
      { ...HTTP_PORT, targetPort: 8080 },
      { name: 'tcp', number: 9000, targetPort: 9001 },
    ],
  });
  expect(united(first, second).attributes).toEqual({ passthroughTargetPorts: { 'TCP/9000': 9001 } });
  expect(united(second, first).attributes).toEqual({ passthroughTargetPorts: { 'TCP/80': 8080, 'TCP/9000': 9001 } });
});

test('target ports of another resolution do not come in', () => {
  const first = claim('a', { resolution: 'STATIC', ports: [HTTP_PORT] });
  const second = claim('b', { resolution: 'NONE', ports: [{ name: 'tcp', number: 9000, targetPort: 9001 }] });
  expect(united(first, second).attributes).toEqual({});
});

test('pitfall 14: what the others say differently is recorded', () => {
  const first = claim(
    'a',
    { resolution: 'STATIC', location: 'MESH_INTERNAL', addresses: ['10.0.0.1', '10.0.0.2'] },
    { metadata: { labels: { x: '1' } } },
  );
  const second = claim(
    'b',
    { resolution: 'DNS', exportTo: ['*'], addresses: ['10.0.0.2'] },
    { metadata: { labels: { x: '2' } } },
  );
  const third = claim('c', { resolution: 'STATIC', location: 'MESH_INTERNAL' });
  expect(conflicts(first, second, third)).toEqual([
    ['ResolutionConflict', 'resolution', 'ClientSideLB', 'DNSLB'],
    ['LocationConflict', 'meshExternal', 'false', 'true'],
    ['ExportToConflict', 'exportTo', [], ['*']],
    ['LabelsConflict', 'labels', { x: '1' }, { x: '2' }],
    ['AddressConflict', 'address', ['10.0.0.1', '10.0.0.2'], ['10.0.0.2']],
  ]);
});

test('who has no labels and no addresses says nothing of them; who has some beside the first without is heard', () => {
  const bare = claim('a', {});
  const rich = claim('b', { addresses: ['10.0.0.1'] }, { metadata: { labels: { x: '1' } } });
  expect(conflicts(rich, bare)).toEqual([]);
  expect(conflicts(bare, rich)).toEqual([
    ['LabelsConflict', 'labels', {}, { x: '1' }],
    ['AddressConflict', 'address', [], ['10.0.0.1']],
  ]);
});

test('no exportTo is the mesh default, and so something else than a list', () => {
  expect(conflicts(claim('a', { exportTo: ['.'] }), claim('b', {}))).toEqual([
    ['ExportToConflict', 'exportTo', ['.'], []],
  ]);
});
