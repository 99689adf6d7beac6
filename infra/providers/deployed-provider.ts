import type { Stack } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { RegistryConfiguration } from '../../lib/bootstrap/configuration';
import type { ProviderDefinition } from '../../lib/registries/provider-definition';
import type { RegistryAccess } from '../constructs/registry-poller';

export type AccessContext = {
  readonly stack: Stack;
  /** The installation's own bucket; there is one when a registry needs it. */
  readonly serviceEntryBucket: Bucket | undefined;
};

/** A provider that there is a function for. */
export type DeployedProvider = {
  /** What the document may say of such a registry on AWS. */
  readonly definition: ProviderDefinition;
  /** The file in `functions/` that reads such registries. */
  readonly bundle: string;
  /** What a registry's poller may reach. */
  readonly access: (registry: RegistryConfiguration, context: AccessContext) => RegistryAccess;
};
