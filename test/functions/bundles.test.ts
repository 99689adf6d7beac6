import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundleFunctions, sizeTable, type Bundle } from '../../infra/bundle';
import { DEPLOYED_PROVIDERS } from '../../infra/providers/deployed-providers';
import { startDynaliteDatabase } from '../../lib/embedded/dynalite-database';
import { dynamoDbStores } from '../../lib/runtime/dynamodb-stores';
import { systemClock } from '../../lib/runtime/system-clock';
import { serviceEntryResource } from '../support/mcp-messages';
import { configurationOf } from '../support/synthesize';
import { XdsServer } from '../support/xds-server';

/** DESIGN "Numbers to reach": 1 MB, and 2 MB with the Kubernetes client. */
const MAX_BYTES = 1_000_000;
const LARGER: Readonly<Record<string, number>> = { 'poll-kubernetes': 2_000_000 };

/** The clients of each function. Whatever else is in a bundle is paid for with every cold start. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  'aggregate-services': ['client-dynamodb', 'client-sqs'],
  'poll-consul': ['client-dynamodb', 'client-eventbridge', 'client-secrets-manager'],
  'poll-external': ['client-dynamodb', 'client-eventbridge', 'client-s3'],
  'poll-kubernetes': ['client-dynamodb', 'client-eks', 'client-eventbridge', 'client-sts', 'client-node'],
  'poll-mcp': ['client-dynamodb', 'client-eventbridge', 'client-secrets-manager', 'grpc-js'],
  'poll-mock': ['client-dynamodb', 'client-eventbridge'],
  'publish-changes': ['client-dynamodb', 'client-eventbridge', 'client-sqs'],
  reconcile: ['client-dynamodb', 'client-eventbridge', 'client-lambda'],
  'request-push': ['client-eventbridge', 'client-sqs'],
};

let bundles: readonly Bundle[];
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pilotless-bundles-'));
  bundles = await bundleFunctions(folder);
}, 60_000);

test('there is a bundle of every function, and a function for every provider', () => {
  expect(bundles.map(({ name }) => name)).toEqual(Object.keys(CLIENTS).sort());
  expect(readdirSync(folder).sort()).toEqual(Object.keys(CLIENTS).sort());
  for (const { bundle } of DEPLOYED_PROVIDERS) expect(Object.keys(CLIENTS)).toContain(bundle);
});

test.each(Object.keys(CLIENTS))('%s is small and carries the clients that it uses, and no other', (name) => {
  const { bytes, packages } = bundles.find((bundle) => bundle.name === name)!;

  expect(bytes).toBe(statSync(path.join(folder, name, 'index.js')).size);
  expect(bytes).toBeLessThan(LARGER[name] ?? MAX_BYTES);
  const clients = packages.filter((used) => /\/client-|^@grpc|^aws-cdk-lib$|^dynalite$/.test(used));
  expect(clients.map((client) => client.split('/')[1])).toEqual(CLIENTS[name]);
});

/** What the stack puts into the environment of the functions, and Lambda. */
const ENVIRONMENT = {
  ...{ REGISTRIES_TABLE: 'Registries', SNAPSHOTS_TABLE: 'Snapshots', CATALOG_TABLE: 'Catalog' },
  ...{ PUBLISHED_TABLE: 'Published', CHANGES_TABLE: 'Changes', EVENT_BUS: 'bus' },
  ...{ PUSH_QUEUE_URL: 'https://sqs/push', PUSH_QUIET_MS: '100', PUSH_MAX_MS: '1000' },
  ...{ DEAD_LETTER_QUEUE_URL: 'https://sqs/dead', AWS_LAMBDA_FUNCTION_NAME: 'function', POWERTOOLS_DEV: 'true' },
  ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
};

/** Runs a script where the bundles are, far from any `node_modules`, as Lambda does. */
async function runInBundles(script: string, environment: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const env = { ...ENVIRONMENT, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: folder, env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

test('each is whole: it is loaded where there is nothing else', async () => {
  const names = JSON.stringify(Object.keys(CLIENTS));
  const script = `console.log(JSON.stringify(${names}.map((name) => typeof require('./' + name).handler)))`;

  await expect(runInBundles(script)).resolves.toEqual(Object.keys(CLIENTS).map(() => 'function'));
});

test('poll-mcp reads an istiod without the half of gRPC that is a server', async () => {
  const cart = serviceEntryResource({
    name: 'shop/cart',
    spec: { hosts: ['cart.example.com'], ports: [{ number: 443, name: 'tls', protocol: 'TLS' }], resolution: 2 },
  });
  const istiod = await XdsServer.start({
    onRequest: (stream, { typeUrl, responseNonce }) => {
      if (responseNonce !== '') return;
      const resources = typeUrl.endsWith('/ServiceEntry') ? [cart] : [];
      stream.send({ typeUrl, versionInfo: '1', nonce: '1', resources });
    },
  });
  const database = await startDynaliteDatabase({ clock: systemClock });
  try {
    const document = `registries: [{ provider: MCP, interval: 1m, mode: poll, address: "xds://${istiod.target}" }]`;
    const { settings: _, ...registry } = configurationOf(document).registries[0]!;
    const context = "{ awsRequestId: 'request', getRemainingTimeInMillis: () => 60_000 }";
    const script = `require('./poll-mcp').handler(${JSON.stringify({ registry })}, ${context})
      .then((answer) => console.log(JSON.stringify(answer)))`;

    await expect(runInBundles(script, { AWS_ENDPOINT_URL_DYNAMODB: database.endpoint })).resolves.toMatchObject({
      state: 'synced',
      attempts: 1,
    });

    const { snapshots } = dynamoDbStores(database.client, database.tableNames, systemClock);
    expect((await snapshots.known('MCP/default')).map(({ key }) => key)).toEqual(['shop/cart.example.com']);
  } finally {
    istiod.stop();
    await database.close();
  }
});

test('the sizes are a table', () => {
  const rows = [
    { name: 'poll-mock', bytes: 597_123, packages: [] },
    { name: 'publish-changes', bytes: 1_234_567, packages: [] },
  ];

  expect(sizeTable(rows)).toBe('poll-mock         597 kB\npublish-changes  1235 kB');
});
