import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { kubernetesProvider } from '../../../lib/registries/kubernetes/kubernetes-provider';
import { KubernetesRegistry } from '../../../lib/registries/kubernetes/kubernetes-registry';
import { kubernetesSettings } from '../../../lib/registries/kubernetes/settings';
import { systemClock } from '../../../lib/runtime/system-clock';
import { FakeApiServer } from '../../support/fake-api-server';
import { serviceManifest } from '../../support/kube-manifests';

const context = { cluster: 'prod', mode: 'poll', domainSuffix: 'corp', trustDomain: 'td', baseDir: '/' } as const;
const settings = (wishes: object = {}) => z.strictObject(kubernetesSettings).parse(wishes);

let server: FakeApiServer;
beforeEach(async () => {
  server = await FakeApiServer.start();
  server.put(
    'services',
    serviceManifest({ metadata: { annotations: { 'alpha.istio.io/kubernetes-serviceaccounts': 'a' } } }),
  );
});
afterEach(() => server.stop());

async function readAll(registry: { read(signal: AbortSignal): AsyncIterable<unknown> }): Promise<readonly unknown[]> {
  const readings: unknown[] = [];
  for await (const reading of registry.read(new AbortController().signal)) readings.push(reading);
  return readings;
}

test('reads by its settings and what all registries share', async () => {
  const registry = new KubernetesRegistry(context, settings({ workloads: false, pageSize: 50, labelSelector: 'a' }), {
    clock: systemClock,
    access: server.access(),
  });
  expect([registry.provider, registry.cluster]).toEqual(['Kubernetes', 'prod']);
  expect(await readAll(registry)).toMatchObject([
    {
      type: 'full',
      snapshots: [
        {
          key: 'shop/cart.shop.svc.corp',
          registry: 'Kubernetes/prod',
          service: { clusterVips: { prod: ['10.0.0.10'] }, serviceAccounts: ['spiffe://td/ns/shop/sa/a'] },
        },
      ],
      cost: { requests: 2 },
    },
  ]);
  expect(server.requests).toContain('/api/v1/services?limit=50&labelSelector=a');
});

test('each reading begins anew, and gives its connections back', async () => {
  let closed = 0;
  const access = { ...server.access(), close: () => (closed += 1) };
  const registry = new KubernetesRegistry(context, settings(), { clock: systemClock, access });
  await readAll(registry);
  await readAll(registry);
  expect(closed).toBe(2);
});

describe('the provider', () => {
  test('watches by default', () => {
    expect(kubernetesProvider).toMatchObject({
      provider: 'Kubernetes',
      watch: 'default',
      settings: kubernetesSettings,
    });
  });

  test('makes registries that read a kubeconfig beside the configuration', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'pilotless-provider-'));
    const config = {
      clusters: [{ name: 'a', cluster: { server: server.url } }],
      users: [{ name: 'a', user: {} }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    };
    await writeFile(path.join(folder, 'config'), JSON.stringify(config));
    const create = await kubernetesProvider.load();
    const registry = create({ ...context, baseDir: folder }, settings({ kubeconfig: 'config', workloads: false }));
    expect(await readAll(registry)).toMatchObject([{ type: 'full', snapshots: [{ registry: 'Kubernetes/prod' }] }]);
    await rm(folder, { recursive: true });
  });
});
