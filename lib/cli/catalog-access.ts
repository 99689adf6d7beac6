import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { stat } from 'node:fs/promises';
import { Option } from 'commander';
import { CatalogClient } from '../discovery/catalog-client';
import { embeddedClient, EMBEDDED_TABLE_NAMES, startDynaliteDatabase } from '../embedded/dynalite-database';
import { readEndpoint } from '../embedded/endpoint-file';
import { AppError } from '../model/app-error';
import { dynamoDbStores, type Stores } from '../runtime/dynamodb-stores';
import type { CliIo } from './cli-io';
import { UsageError } from './usage-error';

/** Port that a running server's tables are looked for at when nothing else is said (that of DynamoDB Local). */
export const DEFAULT_PORT = 8000;

/** Where the catalog is: in a running server, or in the folder that one left behind. */
export type CatalogAccess = { readonly endpointUrl?: string; readonly dataDir?: string };

export type OpenCatalog = { readonly client: CatalogClient; readonly stores: Stores };

export function catalogAccessOptions(): readonly Option[] {
  return [
    new Option(
      '--endpoint-url <url>',
      `tables of a running server, as it printed them (default: http://127.0.0.1:${DEFAULT_PORT})`,
    ).env('PILOTLESS_ENDPOINT_URL'),
    new Option('--data-dir <dir>', 'a stored catalog, or that of the server that is running on it').conflicts(
      'endpointUrl',
    ),
  ];
}

/**
 * Opens the catalog for one use of it.
 * @throws UsageError when the data folder does not exist; AppError `NoCatalogError` when nothing answers at the endpoint.
 */
export async function withCatalog<T>(
  access: CatalogAccess,
  io: CliIo,
  use: (catalog: OpenCatalog) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(access, io);
  const stores = dynamoDbStores(database.client, EMBEDDED_TABLE_NAMES, io.clock);
  const { catalog, registries, changes } = stores;
  try {
    return await use({ client: new CatalogClient({ catalog, registries, changes, clock: io.clock }), stores });
  } catch (error) {
    throw isUnreachable(error) ? noCatalog(database.endpoint, error) : error;
  } finally {
    await database.close();
  }
}

type OpenDatabase = { readonly endpoint: string; readonly client: DynamoDBClient; close(): Promise<void> };

async function openDatabase({ endpointUrl, dataDir }: CatalogAccess, io: CliIo): Promise<OpenDatabase> {
  if (dataDir === undefined) return connect(endpointUrl ?? `http://127.0.0.1:${DEFAULT_PORT}`);
  if (!(await isFolder(dataDir))) {
    throw new UsageError(
      `No catalog in ${dataDir}: there is no such folder. It is made by pilotless discovery --data-dir`,
    );
  }
  try {
    return await startDynaliteDatabase({ clock: io.clock, dataDir });
  } catch (error) {
    const endpoint = await readEndpoint(dataDir);
    if (endpoint === undefined) throw error;
    return connect(endpoint);
  }
}

function connect(endpoint: string): OpenDatabase {
  const client = embeddedClient(endpoint);
  return {
    endpoint,
    client,
    close: () => {
      client.destroy();
      return Promise.resolve();
    },
  };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** Nobody listens there, or who does has no tables of ours. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ResourceNotFoundException']);

function isUnreachable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const named = 'name' in error && typeof error.name === 'string' && UNREACHABLE.has(error.name);
  const coded = 'code' in error && typeof error.code === 'string' && UNREACHABLE.has(error.code);
  return named || coded || ('cause' in error && isUnreachable(error.cause));
}

function noCatalog(endpoint: string, cause: unknown): AppError {
  return new AppError(
    `No catalog at ${endpoint}. Start one with pilotless discovery, or name another with --endpoint-url or --data-dir`,
    { code: 'NoCatalogError', cause },
  );
}
