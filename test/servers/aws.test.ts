// The real application on an emulated AWS: deployed by the CDK command line, checked from outside with the AWS SDK.
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

import { Cdk, outputOf, type StackOutputs } from './support/aws/cdk';
import { DeployedTables } from './support/aws/deployed-tables';
import { EventConsumer, type ReceivedEvent } from './support/aws/event-consumer';
import { killWorker } from './support/aws/kill-worker';
import { type Ministack, startMinistack } from './support/ministack/start-ministack';
import { logProgress } from './support/parts/log-progress';

const START_TIMEOUT_MS = 15 * 60_000;
const TEST_TIMEOUT_MS = 6 * 60_000;

/** `maxRun: 2m`: runs older than a minute are asked to hand over, so that hand-overs happen while the test runs. */
const DOCUMENT = `
registries:
  - { provider: Mock, cluster: demo, interval: 5s, maxRun: 2m }
  - { provider: Mock, cluster: flaky, interval: 5s, services: 20, faults: [{ type: error, rate: 1, from: 2 }] }
  - { provider: External, cluster: shared, interval: 5s, maxRun: 2m }
`;

const CHANGED_DOCUMENT = `
registries:
  - { provider: Mock, cluster: demo, interval: 10s, maxRun: 2m }
  - { provider: Mock, cluster: extra, interval: 5s, services: 3 }
  - { provider: External, cluster: shared, interval: 5s, maxRun: 2m }
`;

const HELLO = 'default/hello.default.svc.cluster.local';
const PAYMENTS = 'shop/payments.example.com';

let aws: Ministack;
let cdk: Cdk;
let outputs: StackOutputs;
let tables: DeployedTables;
let consumer: EventConsumer;
let s3: S3Client;

beforeAll(async () => {
  // AUTH holds the functions to the policies of their roles.
  aws = await startMinistack({ env: { AUTH: 'true' }, persistent: true });
  Object.assign(process.env, aws.environment);
  s3 = new S3Client({});
  cdk = await Cdk.of(aws);
  await cdk.bootstrap();
  await deploy(DOCUMENT);
  consumer = await EventConsumer.subscribe(output('Bus'));
}, START_TIMEOUT_MS);
afterAll(() => aws.stop());

async function deploy(document: string, functions?: string): Promise<void> {
  const startedAt = Date.now();
  outputs = await cdk.deploy(document, functions);
  tables = new DeployedTables(outputs);
  logProgress(`deployed in ${seconds(Date.now() - startedAt)}`);
}

function output(name: string): string {
  return outputOf(outputs, name);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** A manifest of the service {@link PAYMENTS}. */
function manifest(port: number): string {
  return JSON.stringify({
    apiVersion: 'networking.istio.io/v1',
    kind: 'ServiceEntry',
    metadata: { name: 'payments', namespace: 'shop' },
    spec: {
      hosts: ['payments.example.com'],
      ports: [{ number: port, name: 'tls', protocol: 'TLS' }],
      resolution: 'STATIC',
      endpoints: [{ address: '10.9.0.1' }, { address: '10.9.0.2' }],
    },
  });
}

async function putManifest(body: string): Promise<number> {
  const at = Date.now();
  await s3.send(new PutObjectCommand({ Bucket: output('ServiceEntryBucket'), Key: 'payments.yaml', Body: body }));
  return at;
}

function isOf(type: string, service: string): (event: ReceivedEvent) => boolean {
  return ({ 'detail-type': detailType, detail }) => detailType === type && detail.service?.key === service;
}

function isPushOf(hostname: string): (event: ReceivedEvent) => boolean {
  return ({ detail }) => detail.push?.configsUpdated.some(({ name }) => name === hostname) ?? false;
}

test('who has no permission is refused: what follows is done by the functions’ own roles', async () => {
  const stranger = new DynamoDBClient({ credentials: { accessKeyId: 'AKIASTRANGER', secretAccessKey: 'none' } });

  await expect(stranger.send(new DescribeTableCommand({ TableName: output('CatalogTable') }))).rejects.toThrow(
    'security token',
  );
});

test(
  'the catalog fills from every registry',
  async () => {
    await putManifest(manifest(8443));

    const services = await tables.waitForServices(
      '23 services are in the catalog',
      (present) => present.length === 23 && present.includes(PAYMENTS),
    );

    expect(services).toContain(HELLO);
  },
  TEST_TIMEOUT_MS,
);

test(
  'a changed object in S3 becomes a change event and a push request',
  async () => {
    for (const port of [8444, 8445, 8446]) {
      await consumer.receive();
      const from = consumer.events.length;
      const putAt = await putManifest(manifest(port));

      const change = await consumer.waitFor('the change', isOf('Service Updated', PAYMENTS), { from });
      const push = await consumer.waitFor('the push', isPushOf('payments.example.com'), { from });

      const observedAt = Date.parse(change.detail.metadata.cause?.observedAt ?? '');
      logProgress(
        `object put → change event ${seconds(change.receivedAtMs - putAt)} (reading → event ` +
          `${seconds(Date.parse(change.detail.metadata.at) - observedAt)}), → push request ${seconds(push.receivedAtMs - putAt)}`,
      );
      expect((await tables.entry(PAYMENTS))?.ports).toMatchObject([{ number: port }]);
      expect(push.detail.push).toMatchObject({ full: true, all: false });
    }
  },
  TEST_TIMEOUT_MS,
);

test(
  'an invalid object deletes nothing, and is named by its registry’s row',
  async () => {
    const before = await tables.entry(PAYMENTS);
    await putManifest('kind: ServiceEntry\napiVersion: networking.istio.io/v1\nspec: {');

    const row = await tables.waitForRow('External/shared', 'is degraded', ({ state }) => state === 'degraded');

    expect(row.unreadable).toMatchObject([{ source: expect.stringContaining('/payments.yaml') as unknown }]);
    await expect(tables.entry(PAYMENTS)).resolves.toEqual(before);

    await putManifest(manifest(8446));
    await tables.waitForRow('External/shared', 'is whole again', ({ state }) => state === 'synced');
  },
  TEST_TIMEOUT_MS,
);

test(
  'a failing registry changes nothing, and shows on its row and on the bus',
  async () => {
    const row = await tables.waitForRow('Mock/flaky', 'has failed', ({ state }) => state === 'failed');
    await consumer.waitFor(
      'the failure',
      ({ 'detail-type': type, detail }) => type === 'Registry Failed' && detail.registry?.id === 'Mock/flaky',
    );

    expect(row).toMatchObject({ services: 20, lastError: { code: 'MockError' } });
    await expect(tables.services()).resolves.toHaveLength(23);
  },
  TEST_TIMEOUT_MS,
);

test(
  'runs hand over to each other, and no change is lost meanwhile',
  async () => {
    const before = await tables.waitForRow(
      'External/shared',
      'has a run',
      ({ leaseOwner }) => leaseOwner !== undefined,
    );
    let port = 9000;
    let from = consumer.events.length;
    for (;;) {
      await putManifest(manifest(++port));
      const change = await consumer.waitFor(`the change to ${port}`, isOf('Service Updated', PAYMENTS), { from });
      from = consumer.events.indexOf(change) + 1;
      const row = await tables.row('External/shared');
      if ((row?.generation ?? 0) >= before.generation + 2) break;
    }

    expect((await tables.entry(PAYMENTS))?.ports).toMatchObject([{ number: port }]);
    expect(consumer.events.filter(({ 'detail-type': type }) => type === 'Service Deleted')).toEqual([]);
  },
  TEST_TIMEOUT_MS,
);

test(
  'a poller that is killed in the middle of a run is replaced',
  async () => {
    const held = await tables.waitForRow('Mock/flaky', 'has a run', ({ leaseOwner }) => leaseOwner !== undefined);
    const killedAt = Date.now();

    expect(await killWorker(output('PollMockflaky'))).toBeGreaterThan(0);

    const row = await tables.waitForRow(
      'Mock/flaky',
      'has another run',
      ({ generation, leaseOwner }) => generation > held.generation && leaseOwner !== held.leaseOwner,
    );
    logProgress(`a killed run was replaced after ${seconds(Date.now() - killedAt)}`);
    expect(row.services).toBe(20);
    await expect(tables.services()).resolves.toHaveLength(23);
  },
  TEST_TIMEOUT_MS,
);

test(
  'a deployment that changes nothing finds no difference',
  async () => {
    await expect(cdk.diff(DOCUMENT)).resolves.toBeDefined();
  },
  TEST_TIMEOUT_MS,
);

test(
  'a deployment with other code only ends the run of the old code',
  async () => {
    const [flaky, shared] = [await tables.row('Mock/flaky'), await tables.row('External/shared')];
    await deploy(DOCUMENT, await cdk.changedFunctions('poll-mock'));

    const row = await tables.waitForRow('Mock/flaky', 'is read by the new code', ({ configVersion }) => {
      return configVersion !== flaky?.configVersion;
    });
    expect(row.generation).toBeGreaterThan(flaky?.generation ?? 0);
    await expect(tables.row('External/shared')).resolves.toMatchObject({ configVersion: shared?.configVersion });
  },
  TEST_TIMEOUT_MS,
);

test(
  'a deployment with other settings ends the old run, takes a registry away and adds one',
  async () => {
    const demo = await tables.row('Mock/demo');
    const hello = await tables.entry(HELLO);
    await consumer.receive();
    const from = consumer.events.length;
    await deploy(CHANGED_DOCUMENT);

    await tables.waitForRow('Mock/demo', 'is read by its new settings', ({ configVersion, state }) => {
      return configVersion !== demo?.configVersion && state === 'synced';
    });
    await tables.waitForRow('Mock/extra', 'has been read', ({ state }) => state === 'synced');
    await invokeReconcile(['Mock/demo', 'Mock/extra', 'External/shared']);
    await tables.waitForRow('Mock/flaky', 'is removed', ({ state }) => state === 'removed');
    await tables.waitForServices('only 6 services are left', (services) => services.length === 6);

    // Three of the twenty services are in Mock/extra, too.
    await consumer.waitFor('the last deletion', () => deletionsSince(from).length === 17, { from });
    await expect(tables.entry(HELLO)).resolves.toEqual(hello);
  },
  TEST_TIMEOUT_MS,
);

function deletionsSince(from: number): readonly ReceivedEvent[] {
  const deletions = consumer.events.slice(from).filter(({ 'detail-type': type }) => type === 'Service Deleted');
  return [...new Map(deletions.map((event) => [event.detail.service?.key, event])).values()];
}

/** As its schedule does every quarter of an hour. */
async function invokeReconcile(registries: readonly string[]): Promise<void> {
  const payload = Buffer.from(JSON.stringify({ registries }));
  const command = new InvokeCommand({ FunctionName: output('Reconcile'), Payload: payload });
  const { FunctionError: error, Payload: answer } = await new LambdaClient({}).send(command);
  expect({ error, answer: JSON.parse(Buffer.from(answer ?? []).toString()) as unknown }).toMatchObject({
    error: undefined,
    answer: { complete: true },
  });
}

test(
  'a repair finds nothing to do afterwards',
  async () => {
    const payload = Buffer.from(JSON.stringify({ registries: ['Mock/demo', 'Mock/extra', 'External/shared'] }));
    const command = new InvokeCommand({ FunctionName: output('Reconcile'), Payload: payload });
    const { Payload: answer } = await new LambdaClient({}).send(command);

    expect(JSON.parse(Buffer.from(answer ?? []).toString())).toMatchObject({ repaired: 0, removedRegistries: [] });
  },
  TEST_TIMEOUT_MS,
);

test(
  'the tables stay when the stack is destroyed, and it can be deployed anew',
  async () => {
    const catalog = output('CatalogTable');
    await cdk.destroy(CHANGED_DOCUMENT);

    const kept = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: catalog }));
    expect(kept.Table?.TableStatus).toBe('ACTIVE');

    // The emulator gives the new tables and bucket the names, and so the content, of the old ones; AWS gives others.
    await deploy(DOCUMENT);
    consumer = await EventConsumer.subscribe(output('Bus')); // the old bus took its rules along
    await putManifest(manifest(8450));
    await tables.waitForRow('Mock/flaky', 'is read again', ({ state }) => state !== 'removed');
    await tables.waitForServices('the catalog fills again', (services) => services.length === 23);
  },
  TEST_TIMEOUT_MS,
);

test(
  'all of it works again on an emulator that starts with the data that the last one left',
  async () => {
    await aws.stop();
    await aws.start();
    await expect(tables.services()).resolves.toHaveLength(23);
    await cdk.bootstrap();
    await deploy(DOCUMENT);

    await consumer.receive();
    const from = consumer.events.length;
    await putManifest(manifest(8460));
    await consumer.waitFor('the change', isOf('Service Updated', PAYMENTS), { from });
    await consumer.waitFor('the push', isPushOf('payments.example.com'), { from });
    await expect(tables.services()).resolves.toHaveLength(23);
  },
  TEST_TIMEOUT_MS,
);
