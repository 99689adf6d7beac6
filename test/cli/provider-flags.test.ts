import { Command } from 'commander';
import { addProviderFlags, overridesOfFlags } from '../../lib/cli/provider-flags';

function overridesOf(...args: readonly string[]) {
  const command = addProviderFlags(new Command()).exitOverride();
  command.parse(args, { from: 'user' });
  return overridesOfFlags(command.opts(), '/srv/mesh');
}

test('flags are settings of their provider, paths relative to the working directory', () => {
  expect(
    overridesOf(
      ...['--mcp-address', 'xdss://127.0.0.1:15012'],
      ...['--mcp-server-name', 'istiod.istio-system.svc'],
      ...['--mcp-ca-file', 'ca.pem'],
      ...['--mcp-token-file', '/run/token'],
    ),
  ).toEqual({
    MCP: {
      address: 'xdss://127.0.0.1:15012',
      serverName: 'istiod.istio-system.svc',
      caFile: '/srv/mesh/ca.pem',
      tokenFile: '/run/token',
    },
  });
});

test('flags of several providers stand side by side', () => {
  expect(
    overridesOf('--consul-address', 'http://127.0.0.1:8500', '--kubeconfig', 'kube/config', '--context', 'dev'),
  ).toEqual({
    Consul: { address: 'http://127.0.0.1:8500' },
    Kubernetes: { kubeconfig: '/srv/mesh/kube/config', context: 'dev' },
  });
});

test('flags that are not given say nothing', () => {
  expect(overridesOf()).toEqual({});
});
