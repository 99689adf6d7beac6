import * as z from 'zod';
import type { ProviderDefinition } from '../../lib/registries/provider-definition';
import type { DeployedProvider } from './deployed-provider';
import { externalFromS3, s3Access } from './external-from-s3';

const load = () => Promise.reject(new Error('pending'));
const mockDefinition: ProviderDefinition = {
  provider: 'Mock',
  settings: { faults: z.unknown().optional() },
  watch: 'unsupported',
  load,
};
const externalDefinition: ProviderDefinition = {
  provider: 'External',
  settings: { source: z.string().optional() },
  watch: 'unsupported',
  load,
};

/** Every provider of this version, a line each. */
export const DEPLOYED_PROVIDERS: readonly DeployedProvider[] = [
  { definition: mockDefinition, bundle: 'poll-mock', access: () => ({}) },
  { definition: externalFromS3(externalDefinition), bundle: 'poll-external', access: s3Access },
];
