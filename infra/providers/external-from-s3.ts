import { ArnFormat } from 'aws-cdk-lib';
import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import * as z from 'zod';
import type { RegistryConfiguration } from '../../lib/bootstrap/configuration';
import type { ProviderDefinition } from '../../lib/registries/provider-definition';
import type { RegistryAccess } from '../constructs/registry-poller';
import type { AccessContext } from './deployed-provider';

const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.*)$/;

/** The provider as it is on AWS. Manifests come from S3: there are no folders, and no cluster's custom resources without a Kubernetes registry. */
export function externalFromS3(definition: ProviderDefinition): ProviderDefinition {
  const source = z
    .string({ error: 'not a place in S3; allowed: s3://bucket/prefix/' })
    .regex(S3_URL, { error: 'not a place in S3; allowed: s3://bucket/prefix/' })
    .optional()
    .describe("Where the manifests are. Default: the stack's own bucket.");
  return { ...definition, settings: { ...definition.settings, source } };
}

/** Lists and gets the objects of one prefix, and is woken when one changes. */
export function s3Access(
  { settings }: RegistryConfiguration,
  { stack, serviceEntryBucket }: AccessContext,
): RegistryAccess {
  const [, named, prefix = ''] = S3_URL.exec(String(settings.source)) ?? [];
  const bucketName = named ?? serviceEntryBucket?.bucketName;
  if (bucketName === undefined) throw new Error('External without a source needs the bucket of the stack');
  const bucketArn = stack.formatArn({
    service: 's3',
    region: '',
    account: '',
    resource: bucketName,
    arnFormat: ArnFormat.NO_RESOURCE_NAME,
  });
  const objects = `${bucketArn}/${prefix}*`;
  return {
    settings: { source: `s3://${bucketName}/${prefix}` },
    statements: [
      new PolicyStatement({
        actions: ['s3:ListBucket'],
        resources: [bucketArn],
        ...(prefix === '' ? {} : { conditions: { StringLike: { 's3:prefix': [`${prefix}*`] } } }),
      }),
      new PolicyStatement({ actions: ['s3:GetObject'], resources: [objects] }),
    ],
    patterns: { [objects]: 'The names of the manifests below the prefix are the users’ choice.' },
    wake: objectEvents(bucketName, prefix),
  };
}

function objectEvents(bucketName: string, prefix: string): EventPattern {
  return {
    source: ['aws.s3'],
    detailType: ['Object Created', 'Object Deleted'],
    detail: {
      bucket: { name: [bucketName] },
      ...(prefix === '' ? {} : { object: { key: [{ prefix }] } }),
    },
  };
}
