import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleFunctions, sizeTable, type Bundle } from '../../infra/bundle';
import { DEPLOYED_PROVIDERS } from '../../infra/providers/deployed-providers';

/** DESIGN "Numbers to reach": 1 MB, and 2 MB with the Kubernetes client. gRPC and protobuf are 0.4 MB of poll-mcp. */
const MAX_BYTES = 1_000_000;
const LARGER: Readonly<Record<string, number>> = { 'poll-kubernetes': 2_000_000, 'poll-mcp': 1_300_000 };

/** The clients of each function. Whatever else is in a bundle is paid for with every cold start. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  'aggregate-services': ['client-dynamodb', 'client-sqs'],
  'poll-consul': ['client-dynamodb', 'client-eventbridge', 'client-secrets-manager'],
  'poll-external': ['client-dynamodb', 'client-eventbridge', 'client-s3'],
  'poll-kubernetes': ['client-dynamodb', 'client-eks', 'client-eventbridge', 'client-sts', 'client-node'],
  'poll-mcp': ['client-dynamodb', 'client-eventbridge', 'client-secrets-manager', 'grpc-js', 'proto-loader'],
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

test('the sizes are a table', () => {
  const rows = [
    { name: 'poll-mock', bytes: 597_123, packages: [] },
    { name: 'publish-changes', bytes: 1_234_567, packages: [] },
  ];

  expect(sizeTable(rows)).toBe('poll-mock         597 kB\npublish-changes  1235 kB');
});
