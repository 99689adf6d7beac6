import { openCatalog } from '../../lib/discovery/dynamodb-catalog-client';
import { startDynaliteDatabase, type EmbeddedDatabase } from '../../lib/embedded/dynalite-database';
import { dynamoDbStores, type Stores } from '../../lib/runtime/dynamodb-stores';
import { systemClock } from '../../lib/runtime/system-clock';
import { catalogEntry } from '../support/catalog-entries';

let database: EmbeddedDatabase;
let stores: Stores;

beforeAll(async () => {
  database = await startDynaliteDatabase({ clock: systemClock });
  stores = dynamoDbStores(database.client, database.tableNames, systemClock);
});
afterAll(() => database.close());

test('the catalog is read by the names of its tables, with how complete it is', async () => {
  const { Catalog: catalog, Registries: registries, Changes: changes } = database.tableNames;
  const client = openCatalog({ catalog, registries, changes }, database.client);
  const entry = catalogEntry();
  await stores.catalog.put(entry, undefined);
  await stores.registries.acquire({
    registry: 'Kubernetes/a',
    owner: 'run-1',
    leaseUntil: '2026-11-30T12:00:30.000Z',
    runStartedAt: '2026-11-30T12:00:00.000Z',
    precedence: 0,
    mode: 'poll',
    configVersion: '1',
  });

  const { data, completeness } = await client.getService(entry.key);

  expect(data).toEqual(entry);
  expect(completeness).toMatchObject({ complete: false, neverSynced: ['Kubernetes/a'] });
  await expect(client.changes({ sinceMs: 0 })).resolves.toEqual([]);
});
