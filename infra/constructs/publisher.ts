import type { Construct } from 'constructs';
import type { ChangeBus } from './change-bus';
import type { Installation } from './installation';
import { KeyStage } from './key-stage';
import { grantItems, type Tables } from './tables';

/** Catalog ──▶ Changes, bus, Published: tells what differs from what was last published. */
export class Publisher extends KeyStage {
  constructor(scope: Construct, id: string, installation: Installation, tables: Tables, bus: ChangeBus) {
    super(scope, id, {
      installation,
      bundle: 'publish-changes',
      description: `Publishes the changes of the Catalog of ${installation.name}`,
      source: tables.catalog,
      environment: {
        CATALOG_TABLE: tables.catalog.tableName,
        PUBLISHED_TABLE: tables.published.tableName,
        CHANGES_TABLE: tables.changes.tableName,
        EVENT_BUS: bus.bus.eventBusName,
      },
    });
    grantItems(tables.catalog, this.function, ['GetItem']);
    grantItems(tables.published, this.function, ['GetItem', 'PutItem']);
    grantItems(tables.changes, this.function, ['PutItem', 'Query']);
    bus.grantPut(this.function);
  }
}
