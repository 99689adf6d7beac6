import { join } from 'node:path';
import type { StoredSnapshot } from '../../../lib/model/service-snapshot';
import { accountsOf, makeServiceSnapshot, type ServiceSnapshot } from '../../../lib/model/service-snapshot';
import { makePort } from '../../../lib/model/port';
import { makeService } from '../../../lib/model/service';
import { mergeService } from '../../../lib/aggregation/merge-service';
import { ExternalRegistry } from '../../../lib/registries/external/external-registry';
import { FolderManifestSource } from '../../../lib/registries/external/folder-manifest-source';
import type { FullReading } from '../../../lib/registries/registry';
import { readOnce } from '../../support/read-once';

const INFRA = join(__dirname, '../../../infra');

async function readSamples(): Promise<FullReading> {
  const source = new FolderManifestSource({ baseDir: INFRA, paths: ['service-entries'] });
  const registry = new ExternalRegistry({ cluster: 'shared', trustDomain: 'cluster.local', source });
  return readOnce(registry);
}

/** A snapshot as a few lines. */
function render({ key, service, endpoints, sources, conflicts }: ServiceSnapshot): string {
  return [
    `${key} ${service.address} ${service.resolution} ${service.meshExternal ? 'external' : 'internal'} exported to [${service.exportTo.join()}]`,
    ...service.ports.map(({ name, number, protocol }) => `  port ${name}/${number}/${protocol}`),
    ...endpoints.map(
      (one) =>
        `  ${one.servicePort} → ${one.addresses.join()}:${one.port} ${one.workload.namespace}/${one.workload.name} tls=${one.tlsMode} weight=${one.weight} [${one.locality}] ${one.serviceAccount}`,
    ),
    ...conflicts.map(({ type }) => `  conflict ${type}`),
    `  from ${sources.join(', ')}`,
  ].join('\n');
}

test('the sample manifests are read without a problem or a note', async () => {
  expect(await readSamples()).toMatchObject({ unreadable: [], notes: [] });
});

test('the sample manifests are these services', async () => {
  expect((await readSamples()).snapshots.map(render).join('\n')).toBe(
    `
default/hello.default.svc.cluster.local 10.1.0.0 ClientSideLB internal exported to []
  port grpc/80/GRPC
  grpc → 10.30.0.1:8080 default/hello-on-a-vm tls=disabled weight=0 [] 
  from service-entries/hello-on-a-vm.yaml
shop/api.payments.example.com 0.0.0.0 DNSLB external exported to [.]
  port tls/443/TLS
  tls → api.payments.example.com:443 shop/payments-api tls=disabled weight=0 [] 
  from service-entries/external-api.yaml
shop/orders-db.shop.vm 10.20.0.10 ClientSideLB internal exported to []
  port mysql/3306/MySQL
  mysql → 10.20.1.1:13306 shop/orders-db-1 tls=istio weight=0 [eu-west-1/eu-west-1a] spiffe://cluster.local/ns/shop/sa/orders-db
  mysql → 10.20.1.2:3306 shop/orders-db-2 tls=istio weight=2 [eu-west-1/eu-west-1b] spiffe://cluster.local/ns/shop/sa/orders-db
  from service-entries/virtual-machines.yaml
`.trim(),
  );
});

test('the sample hello conflicts with that of another registry in its port only, and adds an endpoint', async () => {
  const sample = (await readSamples()).snapshots[0]!;
  const hello = makeServiceSnapshot({
    registry: 'Mock/demo',
    service: makeService({
      hostname: 'hello.default.svc.cluster.local',
      namespace: 'default',
      address: '10.1.0.0',
      ports: [makePort({ name: 'http', number: 80, protocol: 'HTTP' })],
      resolution: 'ClientSideLB',
    }),
    endpoints: [],
    sources: [],
  });
  const stored = (snapshot: ServiceSnapshot, precedence: number): StoredSnapshot => ({
    ...snapshot,
    endpointAccounts: accountsOf(snapshot.endpoints),
    precedence,
    generation: 1,
    pollId: 'p',
    observedAt: '2026-01-31T00:00:00.000Z',
  });
  const merged = mergeService([stored(hello, 0), stored(sample, 1)]);
  expect(merged).toMatchObject({
    service: {
      ports: [{ name: 'http', number: 80, protocol: 'HTTP' }],
      endpoints: [{ registry: 'External/shared', servicePort: 'http', addresses: ['10.30.0.1'], port: 8080 }],
      conflicts: [
        { type: 'PortConflict', field: 'ports/TCP/80' },
        { type: 'ProtocolConflict', field: 'ports/TCP/80' },
      ],
    },
  });
});
