import { makeRegistryId, parseRegistryId } from '../../lib/model/registry-id';
import { isProviderId } from '../../lib/model/provider-id';

test.each(['a', 'eks-prod', 'A.b_c-9', '9', 'x'.repeat(63)])('%s is the name of a cluster', (cluster) => {
  expect(makeRegistryId('Kubernetes', cluster)).toBe(`Kubernetes/${cluster}`);
});

test.each(['', '-a', '.a', '_a', 'a/b', 'a b', 'ä', 'x'.repeat(64), 'a\n'])(
  '%j is not, and the error says what is allowed',
  (cluster) => {
    expect(() => makeRegistryId('Kubernetes', cluster)).toThrow(
      `Cluster name ${JSON.stringify(cluster)} is not allowed: 1 to 63 letters, digits, ".", "_" or "-", starting with a letter or digit`,
    );
  },
);

test('an id is taken apart', () => {
  expect(parseRegistryId('Consul/dc1')).toEqual({ id: 'Consul/dc1', provider: 'Consul', cluster: 'dc1' });
});

test.each(['', 'Consul', '/dc1', 'consul/dc1', 'Eureka/dc1'])('%j is no id', (text) => {
  expect(() => parseRegistryId(text)).toThrow(
    `Registry ${JSON.stringify(text)} is not of the form provider/cluster, with a provider of Kubernetes, Consul, MCP, External, Mock`,
  );
});

test.each(['Consul/', 'Consul/a/b'])('%j has no name of a cluster', (text) => {
  expect(() => parseRegistryId(text)).toThrow('is not allowed');
});

test('providers are known by their exact names', () => {
  expect(['Mock', 'mock', ''].map(isProviderId)).toEqual([true, false, false]);
});
