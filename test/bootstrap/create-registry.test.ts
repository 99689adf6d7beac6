import { createRegistry } from '../../lib/bootstrap/create-registry';
import { parseConfiguration } from '../../lib/bootstrap/parse-configuration';
import { PROVIDERS } from '../../lib/bootstrap/providers';
import { KubernetesEntriesRegistry } from '../../lib/registries/kubernetes/kubernetes-entries-registry';
import { KubernetesRegistry } from '../../lib/registries/kubernetes/kubernetes-registry';
import { mockProvider } from '../../lib/registries/mock/mock-provider';

function registriesOf(text: string) {
  return parseConfiguration(text, { file: 'test', definitions: PROVIDERS }).configuration.registries;
}

test('of a Kubernetes registry with ServiceEntries come two: its services, and an External registry of its entries', async () => {
  const configured = registriesOf('registries: [{ provider: Kubernetes, cluster: prod, serviceEntries: true }]');
  const made = await Promise.all(configured.map((registry) => createRegistry(registry, PROVIDERS, '/')));

  expect(made.map(({ provider, cluster }) => `${provider}/${cluster}`)).toEqual([
    'Kubernetes/prod',
    'External/prod',
    'External/default',
  ]);
  expect(made[0]).toBeInstanceOf(KubernetesRegistry);
  expect(made[1]).toBeInstanceOf(KubernetesEntriesRegistry);
  expect(made[2]).not.toBeInstanceOf(KubernetesEntriesRegistry);
});

test('a provider that there is no definition of is named, with those that there are', async () => {
  const [consul] = registriesOf('registries: [{ provider: Consul, cluster: dc1, address: "http://127.0.0.1:8500" }]');

  await expect(createRegistry(consul!, [mockProvider], '/')).rejects.toMatchObject({
    code: 'UnsupportedProviderError',
    message: 'Registry Consul/dc1: Consul is not supported; supported: Mock',
  });
});

test('settings that the provider refuses name the registry', async () => {
  const [registry] = registriesOf('registries: [{ provider: Kubernetes, kubeconfig: ./k, inCluster: true }]');

  await expect(createRegistry(registry!, PROVIDERS, '/')).rejects.toMatchObject({
    code: 'RegistryConfigurationError',
    message:
      'Registry Kubernetes/default cannot be set up: Registry Kubernetes/default has kubeconfig and inCluster: only one way in is allowed',
  });
});
