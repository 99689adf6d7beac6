import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a server that holds a data folder is reachable: a file in the folder, there as long as the server runs. */
const ENDPOINT_FILE = 'endpoint';

export async function writeEndpoint(dataDir: string, endpoint: string): Promise<void> {
  await writeFile(join(dataDir, ENDPOINT_FILE), `${endpoint}\n`);
}

export async function removeEndpoint(dataDir: string): Promise<void> {
  await rm(join(dataDir, ENDPOINT_FILE), { force: true });
}

/** The endpoint of the server that holds the folder; `undefined` when none has said so. */
export async function readEndpoint(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, ENDPOINT_FILE), 'utf8')).trim();
  } catch {
    return undefined;
  }
}
