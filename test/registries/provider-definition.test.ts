import { loadFactory, type ProviderDefinition } from '../../lib/registries/provider-definition';
import { ScriptedRegistry } from '../support/scripted-registry';

const own = () => new ScriptedRegistry();
const others = () => new ScriptedRegistry();

const definition: ProviderDefinition = {
  provider: 'Kubernetes',
  settings: {},
  watch: 'default',
  load: () => Promise.resolve(own),
  companion: { provider: 'External', wantedBy: 'serviceEntries', load: () => Promise.resolve(others) },
};

test('registries of a provider are made by its definition, those of its companion by that', async () => {
  expect(await loadFactory(definition, 'Kubernetes')).toBe(own);
  expect(await loadFactory(definition, 'External')).toBe(others);
});

test('a registry of another provider is a bug', () => {
  const { companion: _, ...alone } = definition;
  expect(() => loadFactory(definition, 'Consul')).toThrow('The provider Kubernetes makes no registries of Consul');
  expect(() => loadFactory(alone, 'External')).toThrow('The provider Kubernetes makes no registries of External');
});
