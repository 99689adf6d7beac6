import { DescribeTableCommand, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDbCatalogStore } from '../../lib/catalog/dynamodb-catalog-store';
import { startDynaliteDatabase, type EmbeddedDatabase } from '../../lib/embedded/dynalite-database';
import { AppError } from '../../lib/model/app-error';
import type { CatalogTombstone } from '../../lib/model/catalog-entry';
import { ManualClock } from '../support/manual-clock';

const clock = new ManualClock();

const tombstone: CatalogTombstone = {
  key: 'shop/cart.example.com',
  deleted: true,
  version: 7,
  cause: { registry: 'Mock/demo', pollId: 'p1', observedAt: clock.iso() },
  updatedAt: clock.iso(),
};

const open: EmbeddedDatabase[] = [];
let dataDir: string;

async function start(options: { readonly port?: number; readonly dataDir?: string } = {}): Promise<EmbeddedDatabase> {
  const database = await startDynaliteDatabase({ clock, ...options });
  open.push(database);
  return database;
}

function catalogOf({ client, tableNames }: EmbeddedDatabase): DynamoDbCatalogStore {
  return new DynamoDbCatalogStore({ client, tableName: tableNames.Catalog, clock });
}

async function refusal(attempt: Promise<unknown>): Promise<AppError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw new Error(`not an AppError: ${String(error)}`);
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pilotless-'));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((database) => database.close()));
  await rm(dataDir, { recursive: true, force: true });
});

describe('startDynaliteDatabase', () => {
  test('answers on loopback with every table ready', async () => {
    const { client, endpoint } = await start();
    const { TableNames: names } = await client.send(new ListTablesCommand());
    expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(names).toEqual(['Catalog', 'Changes', 'Published', 'Registries', 'Snapshots']);
  });

  test('makes the indexes of the definitions, keys only', async () => {
    const { client, tableNames } = await start();
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: tableNames.Catalog }));
    expect(table?.GlobalSecondaryIndexes?.map(({ IndexName, Projection }) => [IndexName, Projection])).toEqual([
      ['byNamespace', { ProjectionType: 'KEYS_ONLY' }],
      ['byHostname', { ProjectionType: 'KEYS_ONLY' }],
    ]);
  });

  test('keeps its content in the data folder over a restart', async () => {
    const first = await start({ dataDir });
    await catalogOf(first).put(tombstone, undefined);
    await first.close();
    const second = await start({ dataDir });
    await expect(catalogOf(second).get(tombstone.key)).resolves.toEqual(tombstone);
  });

  test('keeps nothing without a data folder', async () => {
    const first = await start();
    await catalogOf(first).put(tombstone, undefined);
    await first.close();
    await expect(catalogOf(await start()).get(tombstone.key)).resolves.toBeUndefined();
  });

  test('refuses a data folder that is in use, naming it, and leaves its holder alone', async () => {
    const holder = await start({ dataDir });
    const error = await refusal(startDynaliteDatabase({ clock, dataDir }));
    expect(error.code).toBe('DataFolderError');
    expect(error.message).toBe(
      `Data folder ${dataDir} is in use by another process. Stop that one, or give another folder`,
    );
    await expect(catalogOf(holder).put(tombstone, undefined)).resolves.toBeUndefined();
  });

  test('refuses a data folder that is a file, naming it', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    const error = await refusal(startDynaliteDatabase({ clock, dataDir: file }));
    expect(error.code).toBe('DataFolderError');
    expect(error.message).toContain(`Data folder ${file} cannot be used: EEXIST`);
  });

  test('refuses a data folder with damaged tables, naming it, and frees it again', async () => {
    const tables = join(dataDir, 'tables');
    await mkdir(tables);
    await writeFile(join(tables, 'CURRENT'), 'damaged');
    const error = await refusal(startDynaliteDatabase({ clock, dataDir }));
    expect(error.code).toBe('DataFolderError');
    expect(error.message).toMatch(new RegExp(`^Data folder ${dataDir} cannot be used: Corruption`));
    await rm(tables, { recursive: true });
    await expect(start({ dataDir })).resolves.toBeDefined();
  });

  test('refuses a port that is in use, and frees the data folder again', async () => {
    const port = Number(new URL((await start()).endpoint).port);
    const error = await refusal(startDynaliteDatabase({ clock, port, dataDir }));
    expect(error.code).toBe('PortInUseError');
    expect(error.message).toContain(`Port ${port} on 127.0.0.1 is in use`);
    await expect(start({ dataDir })).resolves.toBeDefined();
  });

  test('survives a client that hangs up in the middle of a request', async () => {
    const database = await start();
    await hangUpDuringRequest(Number(new URL(database.endpoint).port));
    await expect(catalogOf(database).get(tombstone.key)).resolves.toBeUndefined();
  });

  test('ends the requests that are under way before it closes, and loses none that it answered', async () => {
    const first = await start({ dataDir });
    const keys = Array.from({ length: 30 }, (_, n) => `shop/s${n}.example.com` as const);
    const puts = keys.map((key) => catalogOf(first).put({ ...tombstone, key }, undefined));
    await Promise.race(puts);
    await first.close();
    const answered = (await Promise.allSettled(puts)).map(({ status }) => status === 'fulfilled');
    const second = catalogOf(await start({ dataDir }));
    const found = await Promise.all(keys.map((key) => second.get(key)));
    expect(answered).toContain(true);
    expect(keys.filter((_, n) => answered[n] === true && found[n] === undefined)).toEqual([]);
  });

  test('closes although a client is stuck in the middle of a request', async () => {
    const database = await start();
    const socket = connect(Number(new URL(database.endpoint).port), '127.0.0.1');
    await new Promise<void>((resolve) =>
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf', () => resolve()),
    );
    await database.close();
    await expect(database.client.send(new ListTablesCommand())).rejects.toThrow('ECONNREFUSED');
    socket.destroy();
  });

  test('closes once, however often it is asked, and refuses calls from then on', async () => {
    const database = await start();
    await Promise.all([database.close(), database.close()]);
    await expect(database.client.send(new PutItemCommand({ TableName: 'Catalog', Item: {} }))).rejects.toThrow(
      'ECONNREFUSED',
    );
  });
});

async function hangUpDuringRequest(port: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });
}
