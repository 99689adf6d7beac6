import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_SCHEMAS } from '../../lib/changes/event-schemas';
import {
  PUSH_EVENT_TYPE,
  REGISTRY_EVENT_TYPES,
  SERVICE_CHANGE_TYPES,
  type EventType,
  type RegistryDetail,
} from '../../lib/changes/pilotless-event';
import { CONFLICT_TYPES } from '../../lib/model/conflict';
import { HEALTH_STATES } from '../../lib/model/endpoint';
import { TRANSPORTS } from '../../lib/model/port';
import { PROTOCOLS } from '../../lib/model/protocol';
import { REGISTRY_STATES } from '../../lib/model/registry-row';
import { RESOLUTIONS } from '../../lib/model/service';
import { schemaErrors } from '../support/event-schema-validator';

const FOLDER = join(__dirname, '../../lib/changes/schemas');

const METADATA = { schema: 1, id: 'x', at: '2026-11-30T12:00:00.000Z', correlationId: 'x' };
const SUMMARY = {
  address: '10.0.0.1',
  port: 80,
  servicePort: 'http',
  workload: 'shop/cart',
  registry: 'Kubernetes/a',
  health: 'Healthy',
};
const CHANGE = {
  metadata: { ...METADATA, cause: { registry: 'Kubernetes/a', observedAt: '2026-11-30T12:00:00.000Z' } },
  service: { key: 'shop/cart', hostname: 'cart', namespace: 'shop', version: 1 },
  change: {
    type: 'Service Updated',
    fields: ['name'],
    push: 'full',
    endpoints: {
      before: 0,
      after: 0,
      added: [],
      removed: [],
      changed: [],
      truncated: false,
      counts: { added: 0, removed: 0, changed: 0 },
    },
  },
  state: {
    hostname: 'cart',
    namespace: 'shop',
    name: 'cart',
    address: '0.0.0.0',
    addresses: [],
    autoAddresses: [],
    ports: [],
    resolution: 'ClientSideLB',
    meshExternal: false,
    serviceAccounts: [],
    exportTo: [],
    labels: {},
    clusterVips: {},
    externalAddresses: {},
    attributes: {},
    conflicts: [],
  },
  stateTruncated: false,
};
const REGISTRY: RegistryDetail = {
  metadata: METADATA,
  registry: { id: 'Consul/dc1', state: 'degraded' },
  error: { code: 'E', message: 'm' },
  held: {
    services: 11,
    endpoints: 40,
    sample: ['shop/cart'],
    hash: 'h',
    since: METADATA.at,
    confirmations: 1,
    confirmedSince: METADATA.at,
  },
  released: 'confirmed',
};
const KEY = { kind: 'Endpoints', name: 'cart', namespace: 'shop' };
const PUSH = {
  metadata: METADATA,
  push: { full: false, all: false, configsUpdated: [KEY], reason: { endpoint: 1 }, start: METADATA.at, pushId: 'x' },
};

describe('the schemas of events', () => {
  test('there is one for every type, and no file without a type', () => {
    const types: readonly EventType[] = [...SERVICE_CHANGE_TYPES, ...REGISTRY_EVENT_TYPES, PUSH_EVENT_TYPE];
    expect(Object.keys(EVENT_SCHEMAS).sort()).toEqual([...types].sort());
    expect(readdirSync(FOLDER).sort()).toEqual([...new Set(Object.values(EVENT_SCHEMAS))].sort());
  });

  test.each(readdirSync(FOLDER))('%s is draft 2020-12 and leaves no object open', (file) => {
    const schema: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
    expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
    expect(openObjects(schema)).toEqual([]);
  });

  test.each<[string, EventType, object]>([
    ['a change', 'Service Updated', CHANGE],
    ['a failure', 'Registry Failed', REGISTRY],
    ['a registry event with the least', 'Registry Recovered', { metadata: METADATA, registry: REGISTRY.registry }],
    ['a push', 'Push Requested', PUSH],
    [
      'a push of everything',
      'Push Requested',
      { ...PUSH, push: { ...PUSH.push, all: true, configsUpdated: [], reason: { global: 1 } } },
    ],
  ])('%s is valid', (_what, type, detail) => {
    expect(schemaErrors(type, detail)).toEqual([]);
  });

  const change = (members: object) => ({ ...CHANGE, change: { ...CHANGE.change, ...members } });
  const endpoints = (members: object, others: object) =>
    change({ endpoints: { ...CHANGE.change.endpoints, ...members }, ...others });
  const state = (members: object) => ({ ...CHANGE, state: { ...CHANGE.state, ...members } });
  const push = (members: object) => ({ ...PUSH, push: { ...PUSH.push, ...members } });
  const ADDED = { type: 'Service Added', fields: [] };
  const DELETED = { type: 'Service Deleted', fields: [] };

  test.each<[string, EventType, object]>([
    ['an unknown member', 'Service Updated', { ...CHANGE, more: 1 }],
    ['an unknown member inside', 'Service Updated', state({ more: 1 })],
    ['no metadata', 'Service Updated', { ...CHANGE, metadata: undefined }],
    ['another schema number', 'Registry Failed', { ...REGISTRY, metadata: { ...METADATA, schema: 2 } }],
    [
      'a time without milliseconds',
      'Registry Failed',
      { ...REGISTRY, metadata: { ...METADATA, at: '2026-11-30T12:00:00Z' } },
    ],
    ['an unknown type', 'Service Updated', change({ type: 'Service Renamed' })],
    ['an update of nothing', 'Service Updated', change({ fields: [] })],
    ['an update pushed by increments', 'Service Updated', change({ push: 'incremental' })],
    ['an addition with fields', 'Service Added', change({ type: 'Service Added' })],
    ['an addition of what was there', 'Service Added', endpoints({ before: 1 }, ADDED)],
    ['an addition that removes', 'Service Added', endpoints({ removed: [SUMMARY] }, ADDED)],
    ['a deletion that leaves something', 'Service Deleted', endpoints({ after: 1 }, DELETED)],
    ['a deletion that adds', 'Service Deleted', endpoints({ added: [SUMMARY] }, DELETED)],
    ['endpoints with another field', 'Endpoints Changed', change({ type: 'Endpoints Changed', push: 'incremental' })],
    ['endpoints pushed in full', 'Endpoints Changed', change({ type: 'Endpoints Changed', fields: ['endpoints'] })],
    ['a negative count', 'Service Updated', endpoints({ after: -1 }, {})],
    ['a registry without a provider', 'Registry Failed', { ...REGISTRY, registry: { id: 'dc1', state: 'failed' } }],
    ['an unknown state', 'Registry Failed', { ...REGISTRY, registry: { id: 'Consul/dc1', state: 'bad' } }],
    ['an unknown release', 'Removal Released', { ...REGISTRY, released: 'perhaps' }],
    ['a push of nothing', 'Push Requested', push({ configsUpdated: [] })],
    ['a push of everything with keys', 'Push Requested', push({ all: true })],
    ['a push without a reason', 'Push Requested', push({ reason: {} })],
    ['an unknown reason', 'Push Requested', push({ reason: { whim: 1 } })],
    ['a key twice', 'Push Requested', push({ configsUpdated: [KEY, KEY] })],
    ['an unknown kind', 'Push Requested', push({ configsUpdated: [{ ...KEY, kind: 'Gateway' }] })],
  ])('%s is not', (_what, type, detail) => {
    expect(schemaErrors(type, detail)).not.toEqual([]);
  });

  test.each<[string, readonly string[], (value: string) => object, EventType]>([
    ['resolution', RESOLUTIONS, (value) => state({ resolution: value }), 'Service Updated'],
    [
      'protocol',
      PROTOCOLS,
      (value) => state({ ports: [{ name: '', number: 1, protocol: value, transport: 'TCP' }] }),
      'Service Updated',
    ],
    [
      'transport',
      TRANSPORTS,
      (value) => state({ ports: [{ name: '', number: 1, protocol: 'TCP', transport: value }] }),
      'Service Updated',
    ],
    [
      'health',
      HEALTH_STATES,
      (value) => endpoints({ changed: [{ ...SUMMARY, health: value }] }, {}),
      'Service Updated',
    ],
    [
      'type of conflict',
      CONFLICT_TYPES,
      (value) =>
        state({
          conflicts: [
            {
              type: value,
              field: 'x',
              winner: { registry: 'Consul/a', value: '' },
              losers: [{ registry: 'Consul/b', value: [''] }],
            },
          ],
        }),
      'Service Updated',
    ],
    [
      'state of a registry',
      REGISTRY_STATES,
      (value) => ({ ...REGISTRY, registry: { id: 'Consul/dc1', state: value } }),
      'Registry Failed',
    ],
  ])('every %s of the model is known, and no other', (_what, values, detailOf, type) => {
    expect(values.flatMap((value) => schemaErrors(type, detailOf(value)))).toEqual([]);
    expect(schemaErrors(type, detailOf('Other'))).not.toEqual([]);
  });
});

/** Paths of schemas with properties that allow others as well, but for the conditions, which only narrow. */
function openObjects(schema: unknown, path = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null || /\/(if|then|else)(\/|$)/.test(path)) return [];
  const open = 'properties' in schema && !('additionalProperties' in schema && schema.additionalProperties === false);
  const inside = Object.entries(schema).flatMap(([name, value]) => openObjects(value, `${path}/${name}`));
  return [...(open && !path.endsWith('/properties') ? [path] : []), ...inside];
}
