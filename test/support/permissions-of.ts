import type { Template } from 'aws-cdk-lib/assertions';

/** Everything that the role of the function with this description may do: `action resource condition`. */
export function permissionsOf(template: Template, description: string): readonly string[] {
  const roles = Object.keys(template.findResources('AWS::IAM::Role', { Properties: { Description: description } }));
  const policies = Object.values(template.findResources('AWS::IAM::Policy')).filter(({ Properties: { Roles } }) =>
    (Roles as { Ref: string }[]).some(({ Ref }) => roles.includes(Ref)),
  );
  return policies
    .flatMap(({ Properties: { PolicyDocument } }) => (PolicyDocument as { Statement: Statement[] }).Statement)
    .flatMap(({ Action, Resource, Condition }) =>
      [Action]
        .flat()
        .flatMap((action) =>
          (Array.isArray(Resource) ? Resource : [Resource]).map((resource) =>
            [action, nameOf(resource), ...(Condition === undefined ? [] : [JSON.stringify(Condition)])].join(' '),
          ),
        ),
    )
    .filter((permission) => !/^(logs:|sqs:GetQueue|dynamodb:(ListStreams|DescribeStream|GetShard))/.test(permission))
    .sort();
}

type Statement = {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
};

/** `Catalog`, `Bus` and the like, of whatever way CloudFormation has to name a resource. */
function nameOf(resource: unknown): string {
  const text = JSON.stringify(resource);
  const index = /\/index\/(\w+)/.exec(text)?.[1];
  if (index !== undefined) return `index ${index}`;
  const table = /Tables(Registries|Snapshots|Catalog|Published|Changes)\w+","(Arn|StreamArn)"/.exec(text);
  if (table !== null) return `${String(table[1])}${table[2] === 'StreamArn' ? ' stream' : ''}`;
  const queue = /Pilotless(\w*?)(DeadLetters)?Queue[0-9A-F]{8}/.exec(text);
  if (queue !== null) return `${String(queue[1])} ${queue[2] === undefined ? 'queue' : 'dead letters'}`;
  if (text.includes('ChangesBus')) return 'Bus';
  if (text.includes('ServiceEntriesBucket')) return text.includes('/*') ? 'own bucket/*' : 'own bucket';
  if (text.includes(':s3:::')) return String(/:s3:::([^"]*)/.exec(text)?.[1]);
  if (text.includes('Function')) return 'function';
  return text;
}
