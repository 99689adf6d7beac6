import { makeService } from '../../lib/model/service';
import {
  catalogEndpointSchema,
  causeSchema,
  conflictSchema,
  endpointSchema,
  portSchema,
  registryIdSchema,
  serviceKeySchema,
  serviceSchema,
} from '../../lib/model/value-schemas';
import { endpoint, HTTP } from '../support/stored-snapshots';

test.each([
  ['registry id', registryIdSchema, 'Consul/dc1', 'Eureka/x', 'is not of the form provider/cluster'],
  ['service key', serviceKeySchema, 'shop/cart.shop', 'cart.shop', 'No service key of namespace'],
])('a %s passes, and what is none says why', (_what, schema, good, bad, reason) => {
  expect(schema.parse(good)).toBe(good);
  const refused = schema.safeParse(bad);
  expect(refused.error?.issues).toEqual([
    expect.objectContaining({ code: 'custom', message: expect.stringContaining(reason) as unknown }),
  ]);
});

const FULL_ENDPOINT = endpoint('10.0.0.1', { hostname: 'a', subdomain: 'b', node: 'c', labels: { app: 'cart' } });
const SERVICE = makeService({
  namespace: 'shop',
  hostname: 'cart.shop',
  ports: [HTTP],
  resolution: 'ClientSideLB',
  creationTime: '2026-01-01T00:00:00.000Z',
  clusterVips: { a: ['10.0.0.1'] },
  attributes: {
    type: 'NodePort',
    externalName: 'x',
    selector: { app: 'cart' },
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Local',
    trafficDistribution: 'PreferClose',
    publishNotReadyAddresses: true,
    nodePorts: { 'TCP/80': 30_080 },
    passthroughTargetPorts: { 'TCP/80': 8080 },
  },
});
const CONFLICT = {
  type: 'LabelsConflict',
  field: 'labels',
  winner: { registry: 'Mock/a', source: 'x', value: { a: '1' } },
  losers: [
    { registry: 'Mock/b', value: 'text' },
    { registry: 'Mock/c', value: ['list'] },
  ],
};

const VALUES = [
  ['port', portSchema, HTTP, ['name', 'number', 'protocol', 'transport']],
  ['endpoint', endpointSchema, FULL_ENDPOINT, ['addresses', 'port', 'servicePort', 'labels', 'health', 'workload']],
  ['endpoint of the catalog', catalogEndpointSchema, { ...FULL_ENDPOINT, registry: 'Mock/a' }, ['registry', 'weight']],
  ['service', serviceSchema, SERVICE, ['hostname', 'address', 'ports', 'resolution', 'attributes', 'clusterVips']],
  ['conflict', conflictSchema, CONFLICT, ['type', 'field', 'winner', 'losers']],
  ['cause', causeSchema, { registry: 'Mock/a', pollId: 'p', observedAt: 't' }, ['registry', 'pollId', 'observedAt']],
] as const;

test.each(VALUES)('a %s passes whole', (_what, schema, value) => {
  expect(schema.parse(value)).toEqual(value);
});

test.each(
  VALUES.flatMap(([what, schema, value, members]) => members.map((member) => [what, member, schema, value] as const)),
)('a %s without %s does not pass, nor with null in its place', (_what, member, schema, value) => {
  const { [member]: _, ...rest } = value as Readonly<Record<string, unknown>>;
  expect(schema.safeParse(rest).success).toBe(false);
  expect(schema.safeParse({ ...rest, [member]: null }).success).toBe(false);
});
