import { mergeService } from '../../lib/aggregation/merge-service';
import { diffEntry } from '../../lib/changes/diff-entry';
import type { CatalogEntry } from '../../lib/model/catalog-entry';
import type { Conflict } from '../../lib/model/conflict';
import type { Endpoint } from '../../lib/model/endpoint';
import type { Resolution } from '../../lib/model/service';
import { catalogEndpoint, catalogEntry } from '../support/catalog-entries';
import { endpoint, port, storedSnapshot } from '../support/stored-snapshots';

const one = catalogEndpoint('10.0.0.1');
const two = catalogEndpoint('10.0.0.2');
const entry = catalogEntry({ endpoints: [one] });
const noEndpoints = { added: [], removed: [], changed: [] };

const conflict: Conflict = {
  type: 'PortConflict',
  field: 'ports/TCP/80',
  winner: { registry: 'Kubernetes/a', value: 'http' },
  losers: [{ registry: 'Consul/dc1', value: 'web' }],
};

const STATE_OF_ENTRY = {
  hostname: 'cart.shop.svc.cluster.local',
  namespace: 'shop',
  name: 'cart',
  address: '0.0.0.0',
  addresses: [],
  autoAddresses: [],
  ports: [port('http', 80)],
  resolution: 'ClientSideLB',
  meshExternal: false,
  serviceAccounts: [],
  exportTo: [],
  labels: {},
  clusterVips: {},
  externalAddresses: {},
  attributes: {},
  conflicts: [],
};

describe('diffEntry', () => {
  test('a service that was not there is added, with all that it has', () => {
    expect(diffEntry(undefined, entry)).toEqual({
      type: 'Service Added',
      fields: [],
      push: 'full',
      endpoints: { ...noEndpoints, before: 0, after: 1, added: [one] },
      state: STATE_OF_ENTRY,
    });
  });

  test('pitfall 27: a service that is gone is deleted, with the last state', () => {
    expect(diffEntry(entry, undefined)).toEqual({
      type: 'Service Deleted',
      fields: [],
      push: 'full',
      endpoints: { ...noEndpoints, before: 1, after: 0, removed: [one] },
      state: STATE_OF_ENTRY,
    });
  });

  test('nothing before and nothing after is no change', () => {
    expect(diffEntry(undefined, undefined)).toBeUndefined();
  });

  test.each<[string, Partial<CatalogEntry>]>([
    ['version, cause and time', { version: 9, updatedAt: '2027-01-01T00:00:00.000Z', hash: 'other' }],
    ['provenance', { registries: [{ registry: 'Consul/dc1', hash: 'x', endpoints: 9, observedAt: 'later' }] }],
    ['nothing', {}],
  ])('another %s is no change', (_what, difference) => {
    expect(diffEntry(entry, { ...entry, ...difference })).toBeUndefined();
  });

  test.each<[string, Partial<CatalogEntry>]>([
    ['name', { name: 'basket' }],
    ['address', { address: '10.9.9.9' }],
    ['addresses', { addresses: ['10.9.9.9'] }],
    ['autoAddresses', { autoAddresses: ['240.240.0.1'] }],
    ['ports', { ports: [port('http', 81)] }],
    ['resolution', { resolution: 'DNSLB' }],
    ['meshExternal', { meshExternal: true }],
    ['serviceAccounts', { serviceAccounts: ['spiffe://x'] }],
    ['exportTo', { exportTo: ['.'] }],
    ['labels', { labels: { a: 'b' } }],
    ['clusterVips', { clusterVips: { a: ['10.9.9.9'] } }],
    ['externalAddresses', { externalAddresses: { a: ['10.9.9.9'] } }],
    ['attributes', { attributes: { type: 'ClusterIP' } }],
    ['conflicts', { conflicts: [conflict] }],
  ])('other %s are an update of the service', (field, difference) => {
    const after = { ...entry, ...difference };
    expect(diffEntry(entry, after)).toEqual({
      type: 'Service Updated',
      fields: [field],
      push: 'full',
      endpoints: { ...noEndpoints, before: 1, after: 1 },
      state: { ...STATE_OF_ENTRY, ...difference },
    });
  });

  test('endpoints alone are a change of endpoints', () => {
    const changed = { ...one, weight: 9 };
    expect(diffEntry(entry, { ...entry, endpoints: [changed, two] })).toEqual({
      type: 'Endpoints Changed',
      fields: ['endpoints'],
      push: 'incremental',
      endpoints: { before: 1, after: 2, added: [two], removed: [], changed: [{ before: one, after: changed }] },
      state: STATE_OF_ENTRY,
    });
  });

  test.each([
    ['none to some', [], [one]],
    ['some to none', [one], []],
  ])('pitfall 21: from %s is a change of endpoints, not of the service', (_what, before, after) => {
    expect(diffEntry({ ...entry, endpoints: before }, { ...entry, endpoints: after })).toMatchObject({
      type: 'Endpoints Changed',
      push: 'incremental',
    });
  });

  test('endpoints with something else are an update that names both, sorted', () => {
    const after = { ...entry, endpoints: [one, two], name: 'basket', attributes: { type: 'NodePort' } };
    expect(diffEntry(entry, after)).toMatchObject({
      type: 'Service Updated',
      fields: ['attributes', 'endpoints', 'name'],
      push: 'full',
      endpoints: { before: 1, after: 2, added: [two] },
    });
  });

  const tcp = [port('http', 80), port('tcp', 90, 'TCP')];
  const http = [port('http', 80, 'HTTP'), port('grpc', 90, 'GRPC')];

  test.each<[Resolution, CatalogEntry['ports'], string, string]>([
    ['ClientSideLB', tcp, 'Endpoints Changed', 'incremental'],
    ['Passthrough', http, 'Endpoints Changed', 'incremental'],
    ['Passthrough', [], 'Endpoints Changed', 'incremental'],
    ['Passthrough', tcp, 'Service Updated', 'full'],
    ['Passthrough', [port('x', 80, 'Unsupported')], 'Service Updated', 'full'],
    ['DNSLB', http, 'Service Updated', 'full'],
    ['DNSRoundRobinLB', http, 'Service Updated', 'full'],
    ['DynamicDNS', http, 'Service Updated', 'full'],
    ['Alias', http, 'Service Updated', 'full'],
  ])('endpoints of %s with ports %j are %s, pushed %s', (resolution, ports, type, push) => {
    const before = { ...entry, resolution, ports };
    expect(diffEntry(before, { ...before, endpoints: [one, two] })).toMatchObject({
      type,
      push,
      fields: ['endpoints'],
    });
  });

  test('pitfall 19: accounts that one registry loses while another has them are no change of the service', () => {
    const pod = (address: string, account: string) => endpoint(address, { serviceAccount: account });
    const merged = (a: readonly Endpoint[], b: readonly Endpoint[]) =>
      mergeService([
        storedSnapshot('Kubernetes/a', { endpoints: a }),
        storedSnapshot('Kubernetes/b', { endpoints: b, precedence: 1 }),
      ])?.service;
    const before = merged([pod('10.0.0.1', 'spiffe://x')], [pod('10.0.0.2', 'spiffe://y')]);
    const after = merged([pod('10.0.0.3', 'spiffe://y')], [pod('10.0.0.4', 'spiffe://x')]);
    expect(diffEntry(before, after)).toMatchObject({ type: 'Endpoints Changed', fields: ['endpoints'] });
  });
});
