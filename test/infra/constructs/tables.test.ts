import { RemovalPolicy } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { TABLE_DEFINITIONS } from '../../../lib/runtime/table-definitions';
import { synthesize } from '../../support/synthesize';

const DOCUMENT = 'registries: [{ provider: Mock }]';

let template: Template;

beforeAll(() => {
  template = synthesize({ document: DOCUMENT });
});

describe('tables', () => {
  test.each(TABLE_DEFINITIONS)('$name is on-demand, encrypted, recoverable, retained and protected', (definition) => {
    const keys = [definition.partitionKey, ...(definition.sortKey === undefined ? [] : [definition.sortKey])];
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: Match.objectLike({
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: keys.map(({ name }, index) => ({ AttributeName: name, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
        ...(definition.stream === undefined ? {} : { StreamSpecification: { StreamViewType: 'KEYS_ONLY' } }),
        ...(definition.expires ? { TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } } : {}),
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
      }),
    });
  });

  test('have generated names and the indexes of their definitions, keys only', () => {
    const tables = Object.values(template.findResources('AWS::DynamoDB::GlobalTable'));
    const indexes = tables.flatMap(
      ({ Properties }) => (Properties as Record<string, unknown>).GlobalSecondaryIndexes ?? [],
    );

    expect(tables).toHaveLength(5);
    expect(JSON.stringify(tables)).not.toContain('"TableName"');
    expect(indexes).toMatchObject(
      ['byNamespace', 'byHostname', 'byTime'].map((IndexName) => ({
        IndexName,
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    );
  });

  test('go with the stack when that is asked for', () => {
    const destroyed = synthesize({ document: DOCUMENT, removalPolicy: RemovalPolicy.DESTROY });

    destroyed.allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
    expect(JSON.stringify(destroyed.toJSON())).not.toContain('"DeletionProtectionEnabled":true');
  });
});
