import type { Construct } from 'constructs';
import type { Installation } from './installation';
import { KeyStage } from './key-stage';
import { grantItems, type Tables } from './tables';

/** Snapshots ──▶ Catalog: merges what the registries say of a service. Writes the Catalog and nothing else. */
export class Aggregator extends KeyStage {
  constructor(scope: Construct, id: string, installation: Installation, tables: Tables) {
    super(scope, id, {
      installation,
      bundle: 'aggregate-services',
      description: `Merges the snapshots of a service into the Catalog of ${installation.name}`,
      source: tables.snapshots,
      environment: {
        REGISTRIES_TABLE: tables.registries.tableName,
        SNAPSHOTS_TABLE: tables.snapshots.tableName,
        CATALOG_TABLE: tables.catalog.tableName,
      },
    });
    grantItems(tables.registries, this.function, ['Scan']);
    grantItems(tables.snapshots, this.function, ['BatchGetItem']);
    grantItems(tables.catalog, this.function, ['GetItem', 'PutItem']);
  }
}
