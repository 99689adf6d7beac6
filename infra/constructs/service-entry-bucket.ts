import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge';
import type { Installation } from './installation';

/** The bucket of ServiceEntry manifests that an External registry without a `source` reads. */
export class ServiceEntryBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { kmsKey, removalPolicy }: Installation) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      versioned: true,
      removalPolicy,
      ...(kmsKey === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryption: BucketEncryption.KMS, encryptionKey: kmsKey, bucketKeyEnabled: true }),
    });
    sendEvents(this.bucket);
    acknowledge(
      this,
      'Who wrote a manifest is told by its versions and by CloudTrail; access logs would need a bucket of their own.',
      'AwsSolutions-S1',
    );
  }
}

/** Object events on the account's default bus. By the resource itself: `eventBridgeEnabled` would add a function for it. */
function sendEvents(bucket: Bucket): void {
  const { defaultChild } = bucket.node;
  if (!(defaultChild instanceof CfnBucket)) throw new TypeError('a bucket without a CfnBucket');
  defaultChild.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
}
