import { Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import * as z from 'zod';

/** Accepts findings of cdk-nag on a construct and all below it; the reason is for the reader of the security review. */
export function acknowledge(scope: IConstruct, reason: string, ...ids: readonly string[]): void {
  for (const id of ids) Validations.of(scope).acknowledge({ id, reason });
}

/** Accepts that a policy below the construct names a resource by a pattern. */
export function acknowledgePattern(scope: IConstruct, reason: string, resource: string): void {
  const spelt = asNagSpells(Stack.of(scope).resolve(resource));
  acknowledge(scope, reason, `AwsSolutions-IAM5[Resource::${spelt}]`);
}

const joinSchema = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) });
const attributeSchema = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) });
const referenceSchema = z.object({ Ref: z.string() });

/** A CloudFormation value as cdk-nag names it in a finding: `arn:<AWS::Partition>:s3:::<Bucket>/*`. */
function asNagSpells(value: unknown): string {
  const join = joinSchema.safeParse(value).data?.['Fn::Join'];
  if (join !== undefined) return join[1].map(asNagSpells).join(join[0]);
  const attribute = attributeSchema.safeParse(value).data?.['Fn::GetAtt'];
  if (attribute !== undefined) return `<${attribute.join('.')}>`;
  const reference = referenceSchema.safeParse(value).data?.Ref;
  return reference === undefined ? String(value) : `<${reference}>`;
}
