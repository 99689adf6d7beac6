// The pollers of real registries as functions of an emulated AWS, deployed by the CDK command line: a Consul with access
// control, a Kubernetes API server that is entered as a cluster of EKS is, and istiod over TLS. Secrets are in the emulator.
//
// Where it differs from AWS: functions are processes of this machine, so that they reach servers on 127.0.0.1 without a
// VPC; EKS has no cluster behind it (see `start-eks-relay.ts`, and `start-eks-authenticator.ts` for the cluster's side).
import {
  CreateAccessEntryCommand,
  CreateClusterCommand,
  DeleteAccessEntryCommand,
  EKSClient,
} from '@aws-sdk/client-eks';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  RestoreSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

import { aclPolicy } from '../../lib/registries/consul/acl-policy';
import { cli } from '../support/collected-io';
import { Cdk, outputOf, type StackOutputs } from './support/aws/cdk';
import { DeployedTables, type Row } from './support/aws/deployed-tables';
import { EventConsumer } from './support/aws/event-consumer';
import { CatalogWriter } from './support/consul/catalog-writer';
import { type Consul, startConsul } from './support/consul/start-consul';
import { type EksAuthenticator, reviewToken, startEksAuthenticator } from './support/eks/start-eks-authenticator';
import { type EksRelay, startEksRelay } from './support/eks/start-eks-relay';
import { type IstioObject, IstioObjects } from './support/istiod/istio-objects';
import { type Istiod, startIstiod } from './support/istiod/start-istiod';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { ClusterWriter } from './support/kubernetes/cluster-writer';
import { type Ministack, startMinistack } from './support/ministack/start-ministack';
import { logProgress } from './support/parts/log-progress';

/** Starting builds first, on a machine where `npm run servers:install` has not run. */
const BUILD_TIMEOUT_MS = 60 * 60_000;
const TEST_TIMEOUT_MS = 6 * 60_000;

const CHANGES = 25;

const CLUSTER = 'prod';
/** What functions ask of `https://127.0.0.1`, the emulator makes them ask over plain HTTP. */
const CLUSTER_HOST = '127.0.0.2';
const GROUP = 'pilotless';

const WEB = 'default/web.service.consul';
const CART = 'shop/cart.shop.svc.cluster.local';
const PAYMENTS = 'shop/payments.example.com';
/** `kubernetes` is the API server's own. */
const SERVICES = ['default/api.service.consul', 'default/kubernetes.default.svc.cluster.local', WEB, CART, PAYMENTS];

let aws: Ministack;
let relay: EksRelay;
let authenticator: EksAuthenticator;
let consul: Consul;
let api: KubeApiServer;
let istiod: Istiod;

let catalog: CatalogWriter;
let shop: ClusterWriter;
let objects: IstioObjects;

let secrets: SecretsManagerClient;
let eks: EKSClient;
let consulToken: string;
let consulSecret: string;
let istiodSecret: string;
let cdk: Cdk;
let outputs: StackOutputs;
let tables: DeployedTables;
let consumer: EventConsumer;

beforeAll(async () => {
  relay = await startEksRelay();
  // AUTH holds functions to the policies of their roles, and STS to the signatures of what it is asked.
  aws = await startMinistack({ env: { AUTH: 'true', AWS_ENDPOINT_URL_EKS: relay.url } });
  relay.target = aws.url;
  Object.assign(process.env, aws.environment);
  secrets = new SecretsManagerClient({});
  eks = new EKSClient({});
  cdk = await Cdk.of(aws);
  await cdk.bootstrap();
  await startConsulRegistry();
  await startClusterRegistries();
  outputs = await cdk.deploy(await documentOf());
  tables = new DeployedTables(outputs);
  consumer = await EventConsumer.subscribe(outputOf(outputs, 'Bus'));
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await aws.stop();
  await istiod.stop();
  await Promise.all([consul.stop(), api.stop()]);
  await authenticator[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
});

async function startConsulRegistry(): Promise<void> {
  consul = await startConsul({ aclDefaultPolicy: 'deny' });
  catalog = new CatalogWriter(consul);
  await catalog.register('node-1', { id: 'web-1', name: 'web' });
  await catalog.register('node-2', { id: 'api-1', name: 'api', port: 81 });
  consulToken = await consul.createToken(aclPolicy());
}

/** One API server is both a cluster of EKS and istiod's. */
async function startClusterRegistries(): Promise<void> {
  await eks.send(
    new CreateClusterCommand({
      name: CLUSTER,
      roleArn: bootstrapRole(),
      resourcesVpcConfig: { subnetIds: ['subnet-1', 'subnet-2'] },
    }),
  );
  authenticator = await startEksAuthenticator(aws, CLUSTER);
  api = await startKubeApiServer({ host: CLUSTER_HOST, webhook: authenticator.webhookConfiguration });
  relay.clusters.set(CLUSTER, { endpoint: api.url, ca: api.authority.ca });
  await applyPermissions();
  shop = await ClusterWriter.start(api, 'shop');
  await shop.service('cart');
  await shop.create('endpointslices', 'cart-1', cartSlice('10.1.0.1'));
  istiod = await startIstiod({ api, configuration: 'custom-resources' });
  objects = new IstioObjects(api);
  await objects.create(payments(8443));
}

const ROLES = z.looseObject({ kind: z.enum(['ClusterRole', 'ClusterRoleBinding']) });

/** A role that is there; what a cluster's role may do is of no matter here. */
function bootstrapRole(): string {
  const { accountId, region } = aws;
  return `arn:aws:iam::${accountId}:role/cdk-hnb659fds-cfn-exec-role-${accountId}-${region}`;
}

/** What `pilotless kubernetes rbac` prints. */
async function applyPermissions(): Promise<void> {
  const { out } = await cli(['kubernetes', 'rbac', '--group', GROUP]);
  for (const document of parseAllDocuments(out)) {
    const role = ROLES.parse(document.toJS());
    const folder = `/apis/rbac.authorization.k8s.io/v1/${role.kind.toLowerCase()}s`;
    expect(await api.send('POST', folder, role)).toMatchObject({ status: 201 });
  }
}

async function documentOf(): Promise<string> {
  consulSecret = await makeSecret('consul-token', consulToken);
  istiodSecret = await makeSecret('istiod-token', await istiod.token());
  const caSecret = await makeSecret('istiod-ca', await istiod.rootCertificate());
  return JSON.stringify({
    registries: [
      { provider: 'Kubernetes', cluster: 'eks', mode: 'watch', eks: { name: CLUSTER, region: aws.region } },
      // fullReadEvery opens connections with the token of then, which is what a test of tokens waits for.
      {
        provider: 'Consul',
        cluster: 'dc1',
        mode: 'watch',
        address: consul.url,
        tokenSecret: consulSecret,
        fullReadEvery: '10s',
      },
      {
        provider: 'MCP',
        cluster: 'istiod',
        mode: 'watch',
        address: `xdss://${istiod.secureAddress}`,
        serverName: istiod.serverName,
        tokenSecret: istiodSecret,
        caSecret,
      },
    ],
  });
}

async function makeSecret(name: string, text: string): Promise<string> {
  const { ARN: arn = '' } = await secrets.send(new CreateSecretCommand({ Name: name, SecretString: text }));
  return arn;
}

async function setSecret(arn: string, text: string): Promise<void> {
  await secrets.send(new PutSecretValueCommand({ SecretId: arn, SecretString: text }));
}

/** The slice of the service `cart`, with one endpoint. */
function cartSlice(address: string) {
  return {
    metadata: { labels: { 'kubernetes.io/service-name': 'cart' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
  };
}

function payments(port: number): IstioObject {
  return {
    kind: 'ServiceEntry',
    metadata: { name: 'payments', namespace: 'shop' },
    spec: {
      hosts: ['payments.example.com'],
      ports: [{ number: port, name: 'tls', protocol: 'TLS' }],
      resolution: 'STATIC',
      endpoints: [{ address: '10.9.0.1' }],
    },
  };
}

const accessEntry = () => ({ clusterName: CLUSTER, principalArn: outputOf(outputs, 'RoleKuberneteseks') });

/** What the command does that `pilotless kubernetes eks-access-entry` prints. */
async function letIn(): Promise<void> {
  await eks.send(new CreateAccessEntryCommand({ ...accessEntry(), kubernetesGroups: [GROUP], type: 'STANDARD' }));
}

const isSynced = ({ state }: Row) => state === 'synced';

/** Waits until the registry has failed in this way; everything is in the catalog as it was `before`. */
async function expectFailure(registry: string, code: string, before: readonly unknown[]): Promise<void> {
  await tables.waitForRow(registry, `has failed with ${code}`, ({ state, lastError }) => {
    return state === 'failed' && lastError?.code === code;
  });
  await expect(entries()).resolves.toEqual(before);
}

const entries = () => Promise.all(SERVICES.map((key) => tables.entry(key)));

test(
  'a function whose role has no access entry is refused by the cluster, and its row says so',
  async () => {
    const row = await tables.waitForRow(
      'Kubernetes/eks',
      'has been refused',
      ({ lastError }) => lastError !== undefined,
    );

    expect(row).toMatchObject({ state: 'never-synced', lastError: { code: 'AccessError' } });
    expect(authenticator.reviews.at(-1)).toMatchObject({
      refused: expect.stringContaining('No access entry for principal') as unknown,
    });
  },
  TEST_TIMEOUT_MS,
);

test(
  'the catalog fills from Consul, the cluster and istiod, with tokens from secrets and of EKS',
  async () => {
    await letIn();
    await tables.waitForServices('all services are there', (present) => SERVICES.every((key) => present.includes(key)));

    for (const registry of ['Consul/dc1', 'Kubernetes/eks', 'MCP/istiod']) {
      await tables.waitForRow(registry, 'is synced', isSynced);
    }
    await expect(tables.services()).resolves.toEqual([...SERVICES].sort());
    expect(authenticator.reviews.at(-1)).toMatchObject({ groups: [GROUP] });
  },
  TEST_TIMEOUT_MS,
);

test('what lets the function in is its signature, which is good for this cluster alone', async () => {
  // A token of the function: the emulator does not hold the test's own key, which it takes for root's, to its signature.
  const { token } = authenticator.reviews.findLast((review) => 'user' in review)!;

  await expect(reviewToken(token, aws, CLUSTER)).resolves.toMatchObject({ groups: [GROUP] });
  await expect(reviewToken(token, aws, 'another')).resolves.toMatchObject(REFUSED_SIGNATURE);
  const forged = await api.send('GET', '/api/v1/services', undefined, withOtherSignature(token));
  expect(forged.status).toBe(401);
  expect(authenticator.reviews.at(-1)).toMatchObject(REFUSED_SIGNATURE);
});

const REFUSED_SIGNATURE = { refused: expect.stringContaining('SignatureDoesNotMatch') as unknown };

/** The token with one digit of its signature changed. */
function withOtherSignature(token: string): string {
  const [prefix = '', encoded = ''] = token.split('.');
  const url = Buffer.from(encoded, 'base64url').toString('utf8');
  const forged = url.replace(/(X-Amz-Signature=)(.)/, (_all, name: string, digit: string) => {
    return `${name}${digit === '0' ? '1' : '0'}`;
  });
  return `${prefix}.${Buffer.from(forged).toString('base64url')}`;
}

// [source, key of the service, a change of it; each other than the one before]
test.each<[string, string, (round: number) => Promise<void>]>([
  ['Consul', WEB, (round) => catalog.register('node-1', { id: 'web-1', name: 'web', port: 8000 + round })],
  [
    'Kubernetes',
    CART,
    (round) => shop.edit('endpointslices', 'cart-1', (slice) => ({ ...slice, ...endpointsOf(round) })),
  ],
  ['MCP', PAYMENTS, (round) => objects.change(payments(9000 + round))],
])(
  'each change in %s is an event at a consumer, with its cause',
  async (source, key, change) => {
    const times: number[] = [];
    for (let round = 0; round < CHANGES; round++) {
      await consumer.receive();
      const { version = 0 } = (await tables.entry(key)) ?? {};
      await change(round);
      const answeredAt = Date.now();
      const event = await consumer.waitFor(`change ${round} of ${key}`, ({ detail: { service } }) => {
        return service?.key === key && service.version > version;
      });
      times.push(event.receivedAtMs - answeredAt);
      expect(event.detail.metadata.cause?.registry).toMatch(new RegExp(`^${source}/`));
    }
    const [median = NaN, slowest = NaN] = [quantile(times, 0.5), quantile(times, 1)];
    logProgress(
      `${source}: ${CHANGES} changes, ${median} ms from the answer to the write to the event received at the median, ${slowest} ms at most (emulated AWS, watch)`,
    );
  },
  TEST_TIMEOUT_MS,
);

function endpointsOf(round: number) {
  const { endpoints } = cartSlice(`10.1.1.${round + 1}`);
  return { endpoints };
}

function quantile(values: readonly number[], share: number): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1];
}

test(
  'pitfall 8: a token of Consul that is revoked changes nothing and shows; one that takes its place is used at once',
  async () => {
    const before = await entries();
    const self = await consul.send('GET', '/v1/acl/token/self', undefined, consulToken);
    const { AccessorID: accessor } = z.object({ AccessorID: z.string() }).parse(JSON.parse(self.body));
    await consul.send('DELETE', `/v1/acl/token/${accessor}`);

    await expectFailure('Consul/dc1', 'ConsulTokenUnknownError', before);

    await setSecret(consulSecret, await consul.createToken(aclPolicy()));
    await tables.waitForRow('Consul/dc1', 'is synced again', isSynced);
  },
  TEST_TIMEOUT_MS,
);

test(
  'pitfall 8: a secret that is removed changes nothing and shows; restored, it is used again',
  async () => {
    const before = await entries();
    await secrets.send(new DeleteSecretCommand({ SecretId: consulSecret, RecoveryWindowInDays: 7 }));

    await expectFailure('Consul/dc1', 'CredentialUnreadableError', before);

    await secrets.send(new RestoreSecretCommand({ SecretId: consulSecret }));
    await tables.waitForRow('Consul/dc1', 'is synced again', isSynced);
  },
  TEST_TIMEOUT_MS,
);

test(
  'pitfall 8: an access entry that is taken away changes nothing and shows; given back, the cluster is read again',
  async () => {
    const before = await entries();
    await eks.send(new DeleteAccessEntryCommand(accessEntry()));
    await api.kill(); // watches that are open are not asked for their tokens again, neither here nor on EKS
    await api.start();

    await expectFailure('Kubernetes/eks', 'AccessError', before);

    await letIn();
    await tables.waitForRow('Kubernetes/eks', 'is synced again', isSynced);
  },
  TEST_TIMEOUT_MS,
);

test(
  'pitfall 8: a token that istiod refuses changes nothing and shows; a good one is used at once',
  async () => {
    const before = await entries();
    await setSecret(istiodSecret, 'worthless');
    await istiod.kill(); // streams that are open are not asked for their tokens again
    await istiod.start();

    await expectFailure('MCP/istiod', 'McpUnauthenticatedError', before);

    await setSecret(istiodSecret, await istiod.token());
    await tables.waitForRow('MCP/istiod', 'is synced again', isSynced);
  },
  TEST_TIMEOUT_MS,
);

test('what happened did not delete or add anything', async () => {
  await consumer.receive();
  const deletions = consumer.events.filter(({ 'detail-type': type }) => type === 'Service Deleted');
  expect(deletions).toEqual([]);
  await expect(tables.services()).resolves.toEqual([...SERVICES].sort());
});
