// One set of ServiceEntries, read three times: as manifests by the External registry, over xDS by the MCP registry, and by
// istiod itself, as its debug pages tell. All three have to be equal; intended differences stand in a short list with
// their reasons.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

import type { ServiceSnapshot } from '../../lib/model/service-snapshot';
import { ExternalRegistry } from '../../lib/registries/external/external-registry';
import { FolderManifestSource } from '../../lib/registries/external/folder-manifest-source';
import { firstReading } from '../support/reading-watch';
import { type IstioObject, IstioObjects } from './support/istiod/istio-objects';
import { accessIstiod, type McpAccess } from './support/istiod/mcp-access';
import { type Istiod, startIstiod } from './support/istiod/start-istiod';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { type ComparableCatalog, differences } from './support/oracle/comparable';
import { Chance, generatedEntries, generatedServices } from './support/oracle/generated-cluster';
import { type IntendedDifference, withIntended } from './support/oracle/intended-differences';
import { istiodCatalog } from './support/oracle/istiod-catalog';
import { ownCatalog } from './support/oracle/own-catalog';
import { logProgress } from './support/parts/log-progress';
import { makeServerFolder } from './support/processes/server-folder';
import { waitUntil } from './support/processes/wait-until';

const BUILD_TIMEOUT_MS = 45 * 60_000;
/** Another seed makes another set: `SEED=7 npm run test:servers`. */
const SEED = Number(process.env.SEED ?? 20_261_130);
const MACHINES_OF_SERVICES = 150;
const ENTRIES = 150;
const SAMPLES = path.join(__dirname, '../../infra/service-entries');

const http = { number: 80, name: 'http', protocol: 'HTTP' };

/** What the generated entries do not have. */
const SPECIAL: Readonly<Record<string, object>> = {
  'two-hosts': { hosts: ['one.example.com', 'two.example.com'], ports: [http], resolution: 'DNS' },
  'round-robin': {
    hosts: ['rr.example.com'],
    ports: [http],
    resolution: 'DNS_ROUND_ROBIN',
    endpoints: [{ address: 'backend.example.com', ports: { http: 8080 } }],
  },
  'round-robin-host': { hosts: ['rr-host.example.com'], ports: [http], resolution: 'DNS_ROUND_ROBIN' },
  dynamic: { hosts: ['*.dynamic.example.com'], ports: [http], resolution: 'DYNAMIC_DNS' },
  wildcard: { hosts: ['*.wild.example.com'], ports: [{ ...http, number: 8080 }], resolution: 'NONE' },
  cidr: { hosts: ['cidr.example.com'], addresses: ['10.8.0.0/24'], ports: [http], resolution: 'NONE' },
  'one-ip-cidr': { hosts: ['ip.example.com'], addresses: ['10.8.1.1/32'], ports: [http], resolution: 'NONE' },
  unix: {
    hosts: ['unix.example.com'],
    ports: [http],
    resolution: 'STATIC',
    endpoints: [{ address: 'unix:///run/http.sock' }],
  },
  sniffed: {
    hosts: ['sniffed.example.com'],
    addresses: ['240.2.0.1'],
    ports: [{ number: 80, name: 'x' }],
    resolution: 'DNS',
  },
  ipv6: { hosts: ['six.example.com'], ports: [http], resolution: 'STATIC', endpoints: [{ address: '2001:db8::1' }] },
  bare: { hosts: ['bare.example.com'], ports: [http], resolution: 'STATIC' },
  'in-all': {
    hosts: ['protocols.example.com'],
    resolution: 'DNS',
    ports: ['HTTP', 'HTTP2', 'HTTPS', 'GRPC', 'TCP', 'TLS', 'UDP', 'Mongo', 'Redis', 'MySQL', 'grpc-web'].map(
      (protocol, n) => ({
        number: 1000 + n,
        name: `p-${n}`,
        protocol,
      }),
    ),
    addresses: ['240.2.0.2'],
  },
};

/** What istiod makes several services of, so that its pages have no one service to compare ours with. */
const SEVERAL_IN_ISTIOD: Readonly<Record<string, { readonly reason: string; readonly specs: readonly object[] }>> = {
  'two.addresses.example.com': {
    reason: 'istiod makes a service of each address',
    specs: [
      { hosts: ['two.addresses.example.com'], addresses: ['240.3.0.2', '240.3.0.1'], ports: [http], resolution: 'DNS' },
    ],
  },
  'upper.example.com': {
    reason: 'istiod keeps the spellings of one DNS name apart (RFC 4343 does not)',
    specs: [{ hosts: ['UPPER.example.com'], ports: [http], resolution: 'DNS' }],
  },
  'double.example.com': {
    reason: 'istiod makes a service of each entry that names the host',
    specs: [
      { hosts: ['double.example.com'], ports: [http], resolution: 'DNS' },
      {
        hosts: ['double.example.com'],
        ports: [{ ...http, number: 8080 }],
        resolution: 'STATIC',
        endpoints: [{ address: '10.9.0.1' }],
      },
    ],
  },
};

let api: KubeApiServer;
let istiod: Istiod;
let access: McpAccess;
let manifests: string;
/** `namespace/name` of the entries with endpoints written into them. */
let inline: ReadonlySet<string>;

beforeAll(async () => {
  api = await startKubeApiServer();
  istiod = await startIstiod({ api, configuration: 'custom-resources' });
  access = await accessIstiod(istiod);
  const all = [...(await sampleObjects()), ...generatedObjects(), ...specialObjects()];
  manifests = await writeManifests(all);
  inline = new Set(
    all.filter(({ spec }) => 'endpoints' in spec).map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
  );
  const objects = new IstioObjects(api);
  for (const object of all) await objects.create(object);
}, BUILD_TIMEOUT_MS);
afterAll(async () => {
  await istiod.stop();
  await api.stop();
});

const sampleSchema = z.object({
  kind: z.enum(['ServiceEntry', 'WorkloadEntry']),
  metadata: z.looseObject({ name: z.string(), namespace: z.string() }),
  spec: z.looseObject({}),
});

async function sampleObjects(): Promise<readonly IstioObject[]> {
  const texts = await Promise.all((await readdir(SAMPLES)).map((file) => readFile(path.join(SAMPLES, file), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => sampleSchema.parse(document.toJS())));
}

function generatedObjects(): readonly IstioObject[] {
  const chance = new Chance(SEED);
  const machines = generatedServices(chance, MACHINES_OF_SERVICES).filter(
    ({ resource }) => resource === 'workloadentries',
  );
  return [...machines, ...generatedEntries(chance, ENTRIES)].map(({ resource, name, manifest }) => ({
    kind: resource === 'workloadentries' ? 'WorkloadEntry' : 'ServiceEntry',
    metadata: { ...z.looseObject({}).parse(manifest.metadata ?? {}), name, namespace: 'oracle' },
    spec: z.looseObject({}).parse(manifest.spec),
  }));
}

function specialObjects(): readonly IstioObject[] {
  const several = Object.entries(SEVERAL_IN_ISTIOD).flatMap(([host, { specs }]) =>
    specs.map((spec, n) => [`${host}-${n}`, spec] as const),
  );
  return [...Object.entries(SPECIAL), ...several].map(([name, spec]) => ({
    kind: 'ServiceEntry',
    metadata: { name, namespace: 'special' },
    spec,
  }));
}

async function writeManifests(objects: readonly IstioObject[]): Promise<string> {
  const folder = path.join(await makeServerFolder('manifests'), 'service-entries');
  await mkdir(folder);
  for (const object of objects) {
    const { namespace, name } = object.metadata;
    const text = JSON.stringify({ apiVersion: 'networking.istio.io/v1', ...object });
    await writeFile(path.join(folder, `${object.kind}-${namespace}-${name}.json`), text);
  }
  return folder;
}

/** The External registry's reading of the manifests. */
function readManifests() {
  const source = new FolderManifestSource({ baseDir: path.dirname(manifests), paths: [path.basename(manifests)] });
  return firstReading(new ExternalRegistry({ cluster: 'shared', trustDomain: 'cluster.local', source }));
}

/** The MCP registry's reading, when istiod has all objects. */
function readOverXds(services: number) {
  return waitUntil({
    what: 'istiod serves all objects',
    attempt: async () => {
      const reading = await firstReading(access.registry({}, 'poll'));
      return reading.snapshots.length === services ? reading : undefined;
    },
  });
}

/** Services and endpoints; the time of creation is that of the cluster, and sources are where each has them from. */
function contentOf(snapshots: readonly ServiceSnapshot[]) {
  return new Map(
    snapshots.map(
      ({ key, service: { creationTime, ...service }, endpoints }) => [key, { service, endpoints }] as const,
    ),
  );
}

test('manifests read by the External and by the MCP registry give equal services and endpoints', async () => {
  const asManifests = await readManifests();
  const overXds = await readOverXds(asManifests.snapshots.length);

  expect(contentOf(overXds.snapshots)).toEqual(contentOf(asManifests.snapshots));
  expect({ unreadable: overXds.unreadable, external: asManifests.unreadable }).toEqual({
    unreadable: [],
    external: [],
  });
  const endpoints = overXds.snapshots.reduce((sum, snapshot) => sum + snapshot.endpoints.length, 0);
  logProgress(
    `MCP: ${overXds.snapshots.length} services and ${endpoints} endpoints are equal to those of their manifests`,
  );
  expect(endpoints).toBeGreaterThan(ENTRIES / 2);
}, 120_000);

const INTENDED: readonly IntendedDifference[] = [
  {
    name: 'InlineEndpointName',
    reason: 'istiod appends the position in the list, so that removing the first endpoint renames all others.',
    endpoint: (theirs, { namespace }) => {
      const entry = theirs.workload.replace(/-\d+$/, '');
      return inline.has(`${namespace}/${entry}`) ? { ...theirs, workload: entry } : theirs;
    },
  },
];

function comparableInIstiod(catalog: ComparableCatalog): ComparableCatalog {
  const several = Object.keys(SEVERAL_IN_ISTIOD).map((host) => `special/${host}`);
  return new Map([...catalog].filter(([key]) => !several.includes(key.toLowerCase())));
}

test('what istiod says that it made of them is equal too', async () => {
  const overXds = await readOverXds((await readManifests()).snapshots.length);
  const ours = comparableInIstiod(ownCatalog(overXds.snapshots));
  let last: readonly string[] = ['nothing compared yet'];
  await waitUntil({
    what: 'istiod has worked through its queues',
    attempt: async () => {
      const theirs = comparableInIstiod(await istiodCatalog(istiod, 'External'));
      const before = last;
      last = differences(withIntended(theirs, ours, INTENDED), ours);
      return last.length === 0 || before.join() === last.join() || undefined;
    },
  });
  expect(last).toEqual([]);
  logProgress(`MCP: ${ours.size} services are equal to those that istiod made`);
}, 120_000);
