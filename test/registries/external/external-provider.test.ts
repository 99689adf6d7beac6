import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { externalProvider } from '../../../lib/registries/external/external-provider';
import type { ExternalSettings } from '../../../lib/registries/external/settings';
import type { RegistryReading } from '../../../lib/registries/registry';

const MANIFEST = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: a }
spec:
  hosts: [a.example.com]
  ports: [{ name: http, number: 80 }]
  resolution: STATIC
  endpoints: [{ address: 10.0.0.1, serviceAccount: x }]
`;

let baseDir = '';

beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'external-provider-'));
});

afterEach(() => rm(baseDir, { recursive: true }));

async function readWith(settings: ExternalSettings): Promise<readonly RegistryReading[]> {
  const makeRegistry = await externalProvider.load();
  const registry = makeRegistry(
    { cluster: 'shared', mode: 'poll', domainSuffix: 'x', trustDomain: 'td.example', baseDir },
    settings,
  );
  expect(registry).toMatchObject({ provider: 'External', cluster: 'shared' });
  const readings: RegistryReading[] = [];
  for await (const reading of registry.read(new AbortController().signal)) readings.push(reading);
  return readings;
}

async function put(path: string): Promise<void> {
  await mkdir(join(baseDir, path, '..'), { recursive: true });
  await writeFile(join(baseDir, path), MANIFEST);
  await utimes(join(baseDir, path), new Date(0), new Date(0));
}

test('is polled, never watched', () => {
  expect(externalProvider).toMatchObject({ provider: 'External', watch: 'unsupported' });
});

test('reads service-entries/ beside the configuration when nothing is configured', async () => {
  await put('service-entries/a.yaml');
  expect(await readWith({})).toMatchObject([
    {
      type: 'full',
      snapshots: [
        {
          key: 'default/a.example.com',
          registry: 'External/shared',
          sources: ['service-entries/a.yaml'],
          endpoints: [{ serviceAccount: 'spiffe://td.example/ns/default/sa/x' }],
        },
      ],
    },
  ]);
});

test('is empty without the default folder', async () => {
  expect(await readWith({})).toMatchObject([{ type: 'full', snapshots: [], unreadable: [] }]);
});

test('reads what is configured, relative to the configuration', async () => {
  await put('x/a.yaml');
  await put('y.yaml');
  expect(await readWith({ source: ['x', 'y.yaml'] })).toMatchObject([
    { snapshots: [{ sources: ['x/a.yaml', 'y.yaml'] }], notes: [{ code: 'DuplicateObject' }] },
  ]);
});

test('fails without what is configured', async () => {
  await expect(readWith({ source: 'service-entries' })).rejects.toMatchObject({ code: 'ManifestsMissing' });
});

test('loads the S3 client for a bucket, at the first reading', async () => {
  const makeRegistry = await externalProvider.load();
  const context = { cluster: 'shared', mode: 'poll' as const, domainSuffix: 'x', trustDomain: 'x', baseDir };
  const registry = makeRegistry(context, { source: 's3://my-bucket/entries/' });
  const aborted = AbortSignal.abort(new Error('time is up'));
  await expect(registry.read(aborted)[Symbol.asyncIterator]().next()).rejects.toThrow('time is up');
});
