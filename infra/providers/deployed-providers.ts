import { consulProvider } from '../../lib/registries/consul/consul-provider';
import { externalProvider } from '../../lib/registries/external/external-provider';
import { mcpProvider } from '../../lib/registries/mcp/mcp-provider';
import { mockProvider } from '../../lib/registries/mock/mock-provider';
import { credentialsBySecret } from './credentials-by-secret';
import type { DeployedProvider } from './deployed-provider';
import { externalFromS3, s3Access } from './external-from-s3';
import { eksAccess, kubernetesOnEks } from './kubernetes-on-eks';

/** Every provider that there is a function for, a line each. */
export const DEPLOYED_PROVIDERS: readonly DeployedProvider[] = [
  { definition: kubernetesOnEks, bundle: 'poll-kubernetes', access: eksAccess },
  { definition: credentialsBySecret(consulProvider), bundle: 'poll-consul', access: () => ({}) },
  { definition: credentialsBySecret(mcpProvider), bundle: 'poll-mcp', access: () => ({}) },
  { definition: mockProvider, bundle: 'poll-mock', access: () => ({}) },
  { definition: externalFromS3(externalProvider), bundle: 'poll-external', access: s3Access },
];
