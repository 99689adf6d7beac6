import * as z from 'zod';
import { clientOptions, mcpProvider, mcpRegistry } from '../../../lib/registries/mcp/mcp-provider';
import { mcpSettings } from '../../../lib/registries/mcp/settings';
import { ManualClock } from '../../support/manual-clock';
import { ScriptedAdsClient } from '../../support/scripted-ads-client';

const schema = z.strictObject(mcpSettings);
const context = {
  cluster: 'east',
  mode: 'watch',
  domainSuffix: 'cluster.local',
  trustDomain: 'cluster.local',
  baseDir: '/',
} as const;

function optionsOf(settings: object) {
  return clientOptions(context, schema.parse(settings), () => Promise.resolve({}), new ManualClock());
}

test('little has to be set', () => {
  expect(schema.parse({ address: 'xdss://istiod:15012' })).toEqual({
    address: 'xdss://istiod:15012',
    namespace: 'istio-system',
    synthetic: false,
    answerTimeout: 10_000,
  });
});

test.each([
  ['address', 'istiod:15012', 'not the address of an xDS server; allowed: xdss://host:port over TLS'],
  ['address', undefined, 'not the address of an xDS server'],
  ['serverName', 'istiod:15012', 'not a host name'],
  ['namespace', 'Istio', 'not the name of a namespace'],
  ['synthetic', 'yes', 'not a boolean; allowed: true, false'],
  ['clusterId', '', 'empty; leave the key out'],
  ['answerTimeout', '2m', 'out of range; allowed: 100ms to 1m'],
])('%s: %s is a mistake', (key, value, message) => {
  const { error } = schema.safeParse({ address: 'xdss://istiod:15012', [key]: value });
  expect(error!.issues).toMatchObject([{ path: [key], message: expect.stringContaining(message) as string }]);
});

test('the client asks the address by its name in the certificate, as the namespace', () => {
  const settings = {
    address: 'xdss://10.0.0.1:15012',
    serverName: 'istiod.istio-system.svc',
    namespace: 'mesh',
    clusterId: 'Kubernetes',
    token: 'secret',
  };
  expect(optionsOf(settings)).toMatchObject({
    server: { target: '10.0.0.1:15012', secure: true, serverName: 'istiod.istio-system.svc' },
    node: {
      id: 'sidecar~192.0.2.1~pilotless-east.mesh~mesh.svc.cluster.local',
      metadata: { CLUSTER_ID: 'Kubernetes' },
    },
  });
});

test('pitfall 33: credentials do not go over the wire in the clear', () => {
  const settings = { address: 'xds://istiod:15010', token: 'secret', caFile: 'ca.pem', serverName: 'istiod' };
  expect(() => optionsOf(settings)).toThrow(
    'xds://istiod:15010 is without TLS, which token, caFile, serverName needs; allowed: xdss://',
  );
});

test('without credentials the wire may be in the clear', () => {
  expect(optionsOf({ address: 'xds://istiod:15010' }).server).toMatchObject({ secure: false });
});

test('the provider watches unless told otherwise, and makes registries of its own', async () => {
  const make = await mcpProvider.load();
  const registry = make(context, schema.parse({ address: 'xds://istiod:15010' }));

  expect(mcpProvider).toMatchObject({ provider: 'MCP', watch: 'default' });
  expect(registry).toMatchObject({ provider: 'MCP', cluster: 'east' });
});

test('several istiods are several registries', () => {
  const settings = schema.parse({ address: 'xds://istiod:15010' });
  const [east, west] = ['east', 'west'].map((cluster) =>
    mcpRegistry({ ...context, cluster }, settings, new ScriptedAdsClient()),
  );
  expect([east!.cluster, west!.cluster]).toEqual(['east', 'west']);
});
