import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Accepts findings of cdk-nag on a construct and all below it; the reason is for the reader of the security review. */
export function acknowledge(scope: IConstruct, reason: string, ...ids: readonly string[]): void {
  for (const id of ids) Validations.of(scope).acknowledge({ id, reason });
}
