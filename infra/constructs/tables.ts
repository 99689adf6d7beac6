import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
  type Attribute,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  CATALOG_TABLE,
  CHANGES_TABLE,
  EXPIRES_AT,
  PUBLISHED_TABLE,
  REGISTRIES_TABLE,
  SNAPSHOTS_TABLE,
  type KeyAttribute,
  type TableDefinition,
} from '../../lib/runtime/table-definitions';
import type { Installation } from './installation';

/** The five tables, in the order of the life of a service (DESIGN "Tables"). */
export class Tables extends Construct {
  readonly registries: TableV2;
  readonly snapshots: TableV2;
  readonly catalog: TableV2;
  readonly published: TableV2;
  readonly changes: TableV2;

  constructor(scope: Construct, id: string, installation: Installation) {
    super(scope, id);
    const make = (definition: TableDefinition) => makeTable(this, definition, installation);
    this.registries = make(REGISTRIES_TABLE);
    this.snapshots = make(SNAPSHOTS_TABLE);
    this.catalog = make(CATALOG_TABLE);
    this.published = make(PUBLISHED_TABLE);
    this.changes = make(CHANGES_TABLE);
  }
}

function makeTable(scope: Construct, definition: TableDefinition, { kmsKey, removalPolicy }: Installation): TableV2 {
  return new TableV2(scope, definition.name, {
    partitionKey: attributeOf(definition.partitionKey),
    ...(definition.sortKey === undefined ? {} : { sortKey: attributeOf(definition.sortKey) }),
    globalSecondaryIndexes: definition.indexes.map((index) => ({
      indexName: index.name,
      partitionKey: attributeOf(index.partitionKey),
      sortKey: attributeOf(index.sortKey),
      projectionType: ProjectionType.KEYS_ONLY,
    })),
    ...(definition.expires ? { timeToLiveAttribute: EXPIRES_AT } : {}),
    ...(definition.stream === undefined ? {} : { dynamoStream: StreamViewType.KEYS_ONLY }),
    billing: Billing.onDemand(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    encryption:
      kmsKey === undefined ? TableEncryptionV2.dynamoOwnedKey() : TableEncryptionV2.customerManagedKey(kmsKey),
    removalPolicy,
    deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
  });
}

function attributeOf({ name, type }: KeyAttribute): Attribute {
  return { name, type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER };
}

type ItemAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'Scan' | 'PutItem' | 'UpdateItem';

/**
 * Allows just these actions on a table. With `partition`, only on items of that partition key (`dynamodb:LeadingKeys`): for
 * Query and calls by key, so it must not go together with Scan, which names no key.
 */
export function grantItems(
  table: TableV2,
  grantee: IGrantable,
  actions: readonly ItemAction[],
  partition?: string,
): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [table.tableArn],
      ...(partition === undefined
        ? {}
        : { conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [partition] } } }),
    }),
  );
  table.encryptionKey?.grantEncryptDecrypt(grantee);
}

/** A table's own ARN and those of its indexes. */
export function arnsOf({ tableArn }: TableV2, { indexes }: TableDefinition): readonly string[] {
  return [tableArn, ...indexes.map(({ name }) => `${tableArn}/index/${name}`)];
}
