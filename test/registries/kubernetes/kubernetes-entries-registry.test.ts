import * as z from 'zod';
import { KubernetesEntriesRegistry } from '../../../lib/registries/kubernetes/kubernetes-entries-registry';
import { kubernetesSettings } from '../../../lib/registries/kubernetes/settings';
import type { RegistryReading } from '../../../lib/registries/registry';
import { systemClock } from '../../../lib/runtime/system-clock';
import { FakeApiServer } from '../../support/fake-api-server';
import { serviceEntryManifest, serviceManifest, workloadEntryManifest } from '../../support/kube-manifests';

const context = { cluster: 'prod', mode: 'poll', domainSuffix: 'corp', trustDomain: 'td', baseDir: '/' } as const;
const settings = z.strictObject(kubernetesSettings).parse({ serviceEntries: true, workloads: false });

test('reads ServiceEntries and what they select, and no services', async () => {
  const server = await FakeApiServer.start();
  server.put('services', serviceManifest());
  server.put('serviceentries', serviceEntryManifest());
  server.put('workloadentries', workloadEntryManifest());
  const readings: RegistryReading[] = [];
  const registry = new KubernetesEntriesRegistry(context, settings, { clock: systemClock, access: server.access() });

  for await (const reading of registry.read(new AbortController().signal)) readings.push(reading);

  expect([registry.provider, registry.cluster]).toEqual(['External', 'prod']);
  expect(readings).toMatchObject([
    {
      type: 'full',
      snapshots: [{ key: 'shop/pay.example.com', registry: 'External/prod' }],
      unreadable: [],
      cost: { requests: 2 },
    },
  ]);
  await server.stop();
});
