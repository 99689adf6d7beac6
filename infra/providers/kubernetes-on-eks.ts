import { ArnFormat } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import * as z from 'zod';
import type { RegistryConfiguration } from '../../lib/bootstrap/configuration';
import { kubernetesProvider } from '../../lib/registries/kubernetes/kubernetes-provider';
import type { ProviderDefinition } from '../../lib/registries/provider-definition';
import type { RegistryAccess } from '../constructs/registry-poller';
import type { AccessContext } from './deployed-provider';

const { kubeconfig: _file, context: _context, inCluster: _pod, eks, ...kept } = kubernetesProvider.settings;

/** Kubernetes as it is on AWS: clusters of EKS. A function has no kubeconfig and runs in no Pod. */
export const kubernetesOnEks: ProviderDefinition = {
  ...kubernetesProvider,
  settings: { ...kept, eks: eks.unwrap() },
};

const eksSchema = z.object({ eks: z.object({ name: z.string(), region: z.string(), roleArn: z.string().optional() }) });

/**
 * Finds the cluster and enters it by the function's own role, or may take the role that is named, which does both. What it
 * sees in the cluster is what the access entry of that role allows.
 */
export function eksAccess({ settings }: RegistryConfiguration, { stack }: AccessContext): RegistryAccess {
  const { name, region, roleArn } = eksSchema.parse(settings).eks;
  if (roleArn !== undefined) {
    return { statements: [new PolicyStatement({ actions: ['sts:AssumeRole'], resources: [roleArn] })] };
  }
  const cluster = stack.formatArn({
    service: 'eks',
    region,
    resource: 'cluster',
    resourceName: name,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
  return { statements: [new PolicyStatement({ actions: ['eks:DescribeCluster'], resources: [cluster] })] };
}
