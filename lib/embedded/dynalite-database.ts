import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { Level } from 'level';
import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { types } from 'node:util';
import { AppError } from '../model/app-error';
import type { Clock } from '../runtime/clock';
import type { TableNames } from '../runtime/table-definitions';
import { ensureTables } from './dynamodb-tables';

/** Names of the tables in an embedded database. */
export const EMBEDDED_TABLE_NAMES: TableNames = {
  Registries: 'Registries',
  Snapshots: 'Snapshots',
  Catalog: 'Catalog',
  Published: 'Published',
  Changes: 'Changes',
};

const HOST = '127.0.0.1';

/** How often connections that have become idle are let go, and when the others are, while the database closes. */
const CLOSE_IDLE_EVERY_MS = 5;
const CLOSE_GRACE_MS = 1000;

export type EmbeddedDatabase = {
  /** For `aws dynamodb … --endpoint-url`. */
  readonly endpoint: string;
  /** A client of this database. It is destroyed when the database closes. */
  readonly client: DynamoDBClient;
  readonly tableNames: TableNames;
  /** Resolves when everything is on disk and the data folder is free again. May be called more than once. */
  close(): Promise<void>;
};

/**
 * Starts a DynamoDB (dynalite) in this process, reachable from this machine alone, with all tables ready: in memory, or
 * on a folder whose content outlives it.
 * @throws AppError `DataFolderError` naming the folder, e.g. because another process holds it; `PortInUseError`;
 * and what `ensureTables` throws.
 */
export async function startDynaliteDatabase(options: {
  readonly clock: Clock;
  /** Without it any free port. */
  readonly port?: number;
  readonly dataDir?: string;
}): Promise<EmbeddedDatabase> {
  const { clock, port = 0, dataDir } = options;
  const folder = dataDir === undefined ? undefined : await openFolder(dataDir);
  const server = dynalite({ createTableMs: 0, ...(folder === undefined ? {} : { path: folder.path }) });
  let client: DynamoDBClient | undefined;
  const close = async (): Promise<void> => {
    await closeServer(server);
    client?.destroy();
    await folder?.lock.close();
  };
  try {
    const endpoint = await listen(server, port);
    client = embeddedClient(endpoint);
    await ensureTables(client, EMBEDDED_TABLE_NAMES, clock);
    let closed: Promise<void> | undefined;
    return { endpoint, client, tableNames: EMBEDDED_TABLE_NAMES, close: () => (closed ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Takes the folder for this process by the file lock of a small LevelDB of our own, held as long as the database is open,
 * and sees that the tables in it can be opened: dynalite itself crashes on a folder that another process has open or that
 * is damaged. The lock ends with the process, however it ends.
 */
async function openFolder(dataDir: string): Promise<{ readonly path: string; readonly lock: Level }> {
  const path = join(dataDir, 'tables');
  const lock = new Level(join(dataDir, 'lock'));
  const tables = new Level(path);
  try {
    await mkdir(dataDir, { recursive: true });
    await lock.open();
    await tables.open();
    await tables.close();
    return { path, lock };
  } catch (error) {
    await lock.close();
    throw new AppError(
      isLocked(error)
        ? `Data folder ${dataDir} is in use by another process. Stop that one, or give another folder`
        : `Data folder ${dataDir} cannot be used: ${reasonOf(error)}`,
      { code: 'DataFolderError', details: { dataDir }, cause: error },
    );
  }
}

/** LevelDB says why it failed to open in the cause of its error. */
function isLocked(error: unknown): boolean {
  return types.isNativeError(error) && types.isNativeError(error.cause) && codeOf(error.cause) === 'LEVEL_LOCKED';
}

function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  return types.isNativeError(error.cause) ? error.cause.message : error.message;
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}

/** @returns the address as a URL. */
async function listen(server: Server, port: number): Promise<string> {
  // dynalite throws when a client hangs up in the middle of a request, which would end this process.
  server.on('request', (request) => request.removeAllListeners('error').on('error', () => undefined));
  await listenOn(server, port);
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${HOST}:${actualPort}`;
}

async function listenOn(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portError(port, error)));
    server.listen(port, HOST, resolve);
  });
}

function portError(port: number, error: Error): Error {
  if (codeOf(error) !== 'EADDRINUSE') return error;
  return new AppError(`Port ${port} on ${HOST} is in use. Give another one, or none to take any that is free`, {
    code: 'PortInUseError',
    details: { port },
    cause: error,
  });
}

/** A client of the tables of an embedded server, also of one in another process. */
export function embeddedClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'embedded', secretAccessKey: 'embedded' },
  });
}

/**
 * Lets requests that are under way end before the store closes: dynalite goes on with them even when their connection is
 * gone, and throws when it finds the store closed.
 */
async function closeServer(server: Server): Promise<void> {
  // dynalite closes its store only with a server that listens; one that did not get its port has to, for a moment.
  if (!server.listening) await listenOn(server, 0);
  const leisure = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const impatience = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (types.isNativeError(error) ? reject(error) : resolve()));
    });
  } finally {
    clearInterval(leisure);
    clearTimeout(impatience);
  }
}
