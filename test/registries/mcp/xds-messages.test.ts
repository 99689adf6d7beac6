import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import * as z from 'zod';
import {
  decodeDiscoveryResponse,
  decodeXdsMessage,
  encodeDiscoveryRequest,
} from '../../../lib/registries/mcp/xds-messages';
import messages from '../../../lib/registries/mcp/messages.json';
import { compileMcpMessages } from '../../support/compile-mcp-messages';
import { mcpMessage } from '../../support/mcp-messages';

test('messages.json is what the .proto files say ("npm run protos" writes it)', () => {
  expect(messages).toEqual(compileMcpMessages());
});

const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 });
const textMap = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), {
  maxKeys: 3,
  noNullPrototype: true,
});
const uint32 = fc.integer({ min: 0, max: 4_294_967_295 });

const workload = fc.record({
  address: fc.string(),
  ports: fc.dictionary(fc.string(), uint32, { maxKeys: 3, noNullPrototype: true }),
  labels: textMap,
  network: fc.string(),
  locality: fc.string(),
  weight: uint32,
  serviceAccount: fc.string(),
});

const serviceEntry = fc.record({
  hosts: texts,
  addresses: texts,
  ports: fc.array(fc.record({ number: uint32, protocol: fc.string(), name: fc.string(), targetPort: uint32 }), {
    maxLength: 3,
  }),
  location: fc.constantFrom('MESH_EXTERNAL', 'MESH_INTERNAL'),
  resolution: fc.constantFrom('NONE', 'STATIC', 'DNS', 'DNS_ROUND_ROBIN', 'DYNAMIC_DNS'),
  endpoints: fc.array(workload, { maxLength: 2 }),
  exportTo: texts,
  subjectAltNames: texts,
  workloadSelector: fc.option(fc.record({ labels: textMap }), { nil: undefined }),
});

const SERVICE_ENTRY = 'istio.networking.v1alpha3.ServiceEntry';

test('what protobufjs encoded is decoded to the same', () => {
  fc.assert(
    fc.property(serviceEntry, (value) => {
      expect(decodeXdsMessage(SERVICE_ENTRY, mcpMessage(SERVICE_ENTRY).serialize(value))).toEqual(value);
    }),
  );
});

test('a message that is cut off is refused, or has fewer fields; never a text that is cut off', () => {
  fc.assert(
    fc.property(serviceEntry, fc.nat(), (value, place) => {
      const bytes = mcpMessage(SERVICE_ENTRY).serialize(value);
      const hosts = hostsOf(bytes.subarray(0, place % (bytes.length + 1)));
      expect(hosts ?? []).toEqual(value.hosts.slice(0, (hosts ?? []).length));
    }),
  );
});

function hostsOf(bytes: Uint8Array): readonly string[] | undefined {
  try {
    return z.object({ hosts: z.array(z.string()) }).parse(decodeXdsMessage(SERVICE_ENTRY, bytes)).hosts;
  } catch {
    return undefined;
  }
}

test('a request has what a server looks at', () => {
  const request = {
    typeUrl: 'networking.istio.io/v1/ServiceEntry',
    versionInfo: '7',
    responseNonce: 'n',
    resourceNames: ['a'],
    node: { id: 'sidecar~1', metadata: { fields: { GENERATOR: { stringValue: 'api' } } }, userAgentName: 'pilotless' },
    errorDetail: { code: 3, message: 'no' },
  };
  expect(
    mcpMessage('envoy.service.discovery.v3.DiscoveryRequest').deserialize(Buffer.from(encodeDiscoveryRequest(request))),
  ).toMatchObject({
    ...request,
    node: { id: 'sidecar~1', userAgentName: 'pilotless', metadata: { fields: { GENERATOR: { stringValue: 'api' } } } },
  });
});

test('an empty answer has no resources', () => {
  const bytes = mcpMessage('envoy.service.discovery.v3.DiscoveryResponse').serialize({
    typeUrl: 't',
    versionInfo: '1',
    nonce: 'n',
  });
  expect(decodeDiscoveryResponse(bytes)).toEqual({ typeUrl: 't', version: '1', nonce: 'n', resources: [] });
});

describe('in one bundled file, as in a function', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pilotless-bundle-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('the client needs no file but its own', async () => {
    const outfile = path.join(folder, 'client.js');
    const { metafile } = await build({
      stdin: {
        contents: `
          import { GrpcAdsClient } from './grpc-ads-client';
          import { decodeXdsMessage, encodeDiscoveryRequest } from './xds-messages';
          const spec = decodeXdsMessage('${SERVICE_ENTRY}', Uint8Array.from([0x0a, 1, 0x61]));
          console.log(JSON.stringify([typeof GrpcAdsClient, encodeDiscoveryRequest({ typeUrl: 't' }).length, spec.hosts]));
        `,
        resolveDir: path.join(__dirname, '../../../lib/registries/mcp'),
      },
      outfile,
      bundle: true,
      minify: true,
      platform: 'node',
      target: 'node20',
      metafile: true,
      external: ['@grpc/proto-loader'],
    });

    const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: folder });

    expect(JSON.parse(stdout)).toEqual(['function', 3, ['a']]);
    expect(Object.values(metafile.outputs)[0]!.bytes).toBeLessThan(600_000);
  });
});
