import { externalProvider } from '../../lib/registries/external/external-provider';
import { mockProvider } from '../../lib/registries/mock/mock-provider';
import type { DeployedProvider } from './deployed-provider';
import { externalFromS3, s3Access } from './external-from-s3';

/** Every provider that there is a function for, a line each. */
export const DEPLOYED_PROVIDERS: readonly DeployedProvider[] = [
  { definition: mockProvider, bundle: 'poll-mock', access: () => ({}) },
  { definition: externalFromS3(externalProvider), bundle: 'poll-external', access: s3Access },
];
