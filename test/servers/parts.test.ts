// Each real server once: it starts, does its work, and keeps its data over a crash.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CoreV1Api } from '@kubernetes/client-node';

import { type Consul, startConsul } from './support/consul/start-consul';
import { ensureIstiod } from './support/istiod/ensure-istiod';
import { openAdsStream } from './support/istiod/open-ads-stream';
import { type Istiod, startIstiod } from './support/istiod/start-istiod';
import { type KubeApiServer, startKubeApiServer } from './support/kube-apiserver/start-kube-apiserver';
import { type Ministack, startMinistack } from './support/ministack/start-ministack';
import { sendRequest } from './support/processes/send-request';
import { waitUntil } from './support/processes/wait-until';

/** Starting builds first, on a machine where `npm run servers:install` has not run. */
const BUILD_TIMEOUT_MS = 45 * 60_000;

const SERVICE_ENTRY = {
  apiVersion: 'networking.istio.io/v1',
  kind: 'ServiceEntry',
  metadata: { name: 'payments', namespace: 'shop' },
  spec: {
    hosts: ['payments.example.com'],
    ports: [{ number: 443, name: 'https', protocol: 'TLS' }],
    resolution: 'DNS',
  },
};

describe('Kubernetes API server', () => {
  let api: KubeApiServer;

  beforeAll(async () => {
    api = await startKubeApiServer({
      users: [{ token: 'nobody-token', user: 'nobody' }],
      flags: ['--feature-gates=ListFromCacheSnapshot=false'], // pages come from etcd, where they can be compacted away
    });
  }, BUILD_TIMEOUT_MS);
  afterAll(() => api.stop());

  test('keeps what was written when it is killed and started again', async () => {
    const core = api.kubeConfig().makeApiClient(CoreV1Api);
    await core.createNamespacedConfigMap({
      namespace: 'default',
      body: { metadata: { name: 'kept' }, data: { colour: 'blue' } },
    });

    await api.kill();
    await expect(core.readNamespacedConfigMap({ namespace: 'default', name: 'kept' })).rejects.toThrow();
    await api.start();

    const kept = await core.readNamespacedConfigMap({ namespace: 'default', name: 'kept' });
    expect(kept.data).toEqual({ colour: 'blue' });
  });

  test('keeps what was written when it is stopped and started again with its etcd', async () => {
    const resource = '/api/v1/namespaces/kept-too';
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'kept-too' } });

    await api.stop();
    await api.start();

    await expect(api.send('GET', resource)).resolves.toMatchObject({ status: 200 });
  });

  test('lets a user without a role read nothing', async () => {
    const core = api.kubeConfig('nobody-token').makeApiClient(CoreV1Api);
    await expect(core.listNamespacedPod({ namespace: 'default' })).rejects.toMatchObject({ code: 403 });
  });

  test('gives a service account only what its role allows', async () => {
    await api.send('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {
      metadata: { name: 'pod-reader' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
    });
    await api.send('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'pod-reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'pod-reader' },
    });
    const token = await api.serviceAccountToken({ namespace: 'default', name: 'reader' });

    await waitUntil({
      what: 'the role is in force',
      attempt: async () => {
        const { status } = await api.send('GET', '/api/v1/namespaces/default/pods', undefined, token);
        return status === 200 || undefined;
      },
    });

    const secrets = await api.send('GET', '/api/v1/namespaces/default/secrets', undefined, token);
    expect(secrets.status).toBe(403);
  });

  test('accepts a client certificate of its authority', async () => {
    const { cert, key } = await api.authority.issue({ commonName: 'operator', organization: 'system:masters' });

    const answer = await sendRequest({
      url: `${api.url}/api/v1/namespaces`,
      tls: { ca: api.authority.ca, cert, key },
    });

    expect(answer.status).toBe(200);
  });

  test('logs each request that it was sent', async () => {
    await api.send('GET', '/api/v1/namespaces/default/configmaps?limit=7');

    const event = await waitUntil({
      what: 'the request is in the audit log',
      attempt: async () =>
        (await api.auditEvents()).find(({ requestURI }) => requestURI.endsWith('configmaps?limit=7')),
    });

    expect(event).toMatchObject({ verb: 'list', user: { username: 'admin' }, responseStatus: { code: 200 } });
  });

  test('refuses to continue a list whose page was compacted away', async () => {
    const list = '/api/v1/namespaces?limit=1';
    const { metadata } = JSON.parse((await api.send('GET', list)).body) as { metadata: { continue: string } };
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'later' } });

    await api.etcd.compact();

    const next = await api.send('GET', `${list}&continue=${encodeURIComponent(metadata.continue)}`);
    expect(next.status).toBe(410);
  });
});

describe('Consul', () => {
  let consul: Consul;

  beforeAll(async () => {
    consul = await startConsul({ datacenter: 'east', aclDefaultPolicy: 'deny', tls: 'mutual' });
  }, BUILD_TIMEOUT_MS);
  afterAll(() => consul.stop());

  test('shows a service to a token that may read it, and keeps it when killed and started again', async () => {
    await consul.send('PUT', '/v1/catalog/register', {
      Node: 'node-1',
      Address: '10.1.0.1',
      Service: { Service: 'cart', Port: 8080 },
    });
    const token = await consul.createToken('service_prefix "" { policy = "read" } node_prefix "" { policy = "read" }');

    await consul.kill();
    await consul.start();

    const { body } = await consul.send('GET', '/v1/health/service/cart', undefined, token);
    expect(JSON.parse(body)).toMatchObject([
      { Node: { Datacenter: 'east' }, Service: { Service: 'cart', Port: 8080 } },
    ]);
  });

  test('shows nothing to an anonymous client', async () => {
    const { status, body } = await consul.send('GET', '/v1/catalog/services', undefined, '');

    expect({ status, body: body.trim() }).toEqual({ status: 200, body: '{}' });
  });

  test('does not speak to a client without a certificate', async () => {
    const tls = { ca: consul.clientTls!.ca };

    await expect(sendRequest({ url: `${consul.url}/v1/status/leader`, tls })).rejects.toThrow('certificate required');
  });
});

describe('istiod', () => {
  let api: KubeApiServer;
  let istiod: Istiod | undefined;

  beforeAll(async () => {
    api = await startKubeApiServer();
    await ensureIstiod();
  }, BUILD_TIMEOUT_MS);
  afterEach(() => istiod?.stop());
  afterAll(() => api.stop());

  test('sends the service entries of its configuration folder, also after a crash', async () => {
    istiod = await startIstiod({ api, configuration: 'files' });
    await writeFile(path.join(istiod.configFolder, 'payments.yaml'), JSON.stringify(SERVICE_ENTRY));
    await expectServiceEntry(istiod, 'shop/payments');

    await istiod.kill();
    await istiod.start();

    await expectServiceEntry(istiod, 'shop/payments');
  });

  test('sends the service entries that are objects of the cluster', async () => {
    istiod = await startIstiod({ api, configuration: 'custom-resources' });
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
    const created = await api.send(
      'POST',
      '/apis/networking.istio.io/v1/namespaces/shop/serviceentries',
      SERVICE_ENTRY,
    );

    expect(created.status).toBe(201);
    await expectServiceEntry(istiod, 'shop/payments');
  });

  async function expectServiceEntry(server: Istiod, name: string): Promise<void> {
    const stream = await openAdsStream(server, 'networking.istio.io/v1/ServiceEntry');
    const names = await waitUntil({
      what: `istiod sends ${name}`,
      attempt: () => Promise.resolve(stream.names()?.includes(name) ? stream.names() : undefined),
      giveUp: () => {
        const error = stream.error();
        if (error) throw error;
      },
    });
    stream.close();
    expect(names).toEqual(expect.arrayContaining([name]));
  }
});

describe('emulated AWS', () => {
  let aws: Ministack;

  beforeAll(async () => {
    aws = await startMinistack({ persistent: true });
  }, BUILD_TIMEOUT_MS);
  afterAll(() => aws.stop());

  test('answers the SDK, and keeps its state when stopped and started again', async () => {
    const client = new DynamoDBClient({
      endpoint: aws.url,
      region: aws.region,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    await client.send(
      new CreateTableCommand({
        TableName: 'kept',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );

    await aws.stop();
    await aws.start();

    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: 'kept' }));
    expect(table?.TableStatus).toBe('ACTIVE');
    client.destroy();
  });
});
