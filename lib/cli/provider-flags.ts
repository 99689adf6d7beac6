import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { SettingOverrides } from '../bootstrap/parse-configuration';
import type { ProviderId } from '../model/provider-id';

/** A flag that takes the place of one setting of one provider's registries. */
type ProviderFlag = {
  readonly flag: string;
  /** The name that commander gives its value. */
  readonly option: string;
  readonly provider: ProviderId;
  readonly setting: string;
  readonly description: string;
  /** Set when the value is a path relative to the working directory; in a document, paths are relative to the document. */
  readonly isPath?: true;
};

/** What it takes to try a provider without a document. Everything else is said in one. */
const PROVIDER_FLAGS: readonly ProviderFlag[] = [
  {
    flag: '--kubeconfig <file>',
    option: 'kubeconfig',
    provider: 'Kubernetes',
    setting: 'kubeconfig',
    description: 'kubeconfig of the cluster to read',
    isPath: true,
  },
  {
    flag: '--context <name>',
    option: 'context',
    provider: 'Kubernetes',
    setting: 'context',
    description: 'context of the kubeconfig, in place of its current one',
  },
  {
    flag: '--consul-address <url>',
    option: 'consulAddress',
    provider: 'Consul',
    setting: 'address',
    description: 'address of Consul, such as http://127.0.0.1:8500',
  },
  {
    flag: '--mcp-address <url>',
    option: 'mcpAddress',
    provider: 'MCP',
    setting: 'address',
    description: 'the istiod to read, such as xdss://127.0.0.1:15012',
  },
  {
    flag: '--mcp-server-name <name>',
    option: 'mcpServerName',
    provider: 'MCP',
    setting: 'serverName',
    description: "name in istiod's certificate, such as istiod.istio-system.svc",
  },
  {
    flag: '--mcp-ca-file <file>',
    option: 'mcpCaFile',
    provider: 'MCP',
    setting: 'caFile',
    description: "certificate of istiod's CA (PEM)",
    isPath: true,
  },
  {
    flag: '--mcp-token-file <file>',
    option: 'mcpTokenFile',
    provider: 'MCP',
    setting: 'tokenFile',
    description: "token of a service account in istiod's namespace",
    isPath: true,
  },
];

/** The options of a command that has the flags, as far as they are theirs. */
export type ProviderFlagValues = Readonly<Record<string, unknown>>;

/** Adds the flags of all providers to the command. */
export function addProviderFlags(command: Command): Command {
  for (const { flag, description } of PROVIDER_FLAGS) command.option(flag, description);
  return command;
}

/** What the flags that were given say, for the configuration. */
export function overridesOfFlags(values: ProviderFlagValues, workingDirectory: string): SettingOverrides {
  const overrides: Partial<Record<ProviderId, Readonly<Record<string, unknown>>>> = {};
  for (const { option, provider, setting, isPath } of PROVIDER_FLAGS) {
    const value = values[option];
    if (typeof value !== 'string') continue;
    overrides[provider] = {
      ...overrides[provider],
      [setting]: isPath === true ? resolve(workingDirectory, value) : value,
    };
  }
  return overrides;
}
